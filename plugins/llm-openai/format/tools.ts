/** Parses tools and the tool choice of chat completions and responses, and renders calls. */
import type { Call, Engine, Tool, ToolChoice, ToolName } from '../../llm/types.ts'

export interface Tooling {
  tools: Tool[]
  toolChoice: ToolChoice
}

interface Given {
  tools: unknown
  /** Deprecated form of tools. */
  functions?: unknown
  choice: unknown
  /** Chat completions nest a tool in a member named after its type; responses don't. */
  isNested: boolean
  /** Whether tools of the type `namespace` contain others. */
  hasNamespaces?: boolean
}

/**
 * Skips unnamed tools and unknown types. Throws for invalid allowed tools, and for a forced call that is not possible.
 */
export function readTooling(
  engine: Engine,
  { tools, functions, choice, isNested, hasNamespaces = false }: Given,
): Tooling {
  const { json } = engine
  const offered = [
    ...json
      .listOf(tools)
      .flatMap(item => (hasNamespaces ? readToolOrNamespace(engine, item) : readTool(engine, item, isNested))),
    ...json.listOf(functions).flatMap(item => functionOf(engine, item)),
  ]
  const isSet = json.own(choice, 'type') === 'allowed_tools'
  const tooling = isSet
    ? allowedOf(engine, offered, choice, isNested)
    : { tools: offered, toolChoice: readToolChoice(engine, choice) }
  refuseForcedGrammar(engine, tooling)
  return tooling
}

/** A tool, or the functions and custom tools of a namespace. */
function readToolOrNamespace(engine: Engine, item: unknown): Tool[] {
  const { json } = engine
  if (json.own(item, 'type') !== 'namespace') return readTool(engine, item, false)
  const namespace = json.textOf(json.own(item, 'name'))
  if (namespace === undefined) return []
  return json
    .listOf(json.own(item, 'tools'))
    .flatMap(inner => readTool(engine, inner, false).map(tool => ({ ...tool, namespace })))
}

function readTool(engine: Engine, item: unknown, isNested: boolean): Tool[] {
  const { json } = engine
  const type = json.own(item, 'type')
  const custom = type !== 'custom' ? undefined : isNested ? json.own(item, 'custom') : item
  if (custom !== undefined) return customOf(engine, custom)
  if (isNested) return functionOf(engine, json.own(item, 'function'))
  return type === 'function' ? functionOf(engine, item) : []
}

function functionOf({ json }: Engine, given: unknown): Tool[] {
  const name = json.textOf(json.own(given, 'name'))
  if (name === undefined) return []
  return [
    {
      name,
      description: json.textOf(json.own(given, 'description')) ?? '',
      schema: json.own(given, 'parameters') ?? {},
    },
  ]
}

/** A custom tool, which takes text instead of JSON. */
function customOf({ json }: Engine, given: unknown): Tool[] {
  const name = json.textOf(json.own(given, 'name'))
  if (name === undefined) return []
  const input = json.own(json.own(given, 'format'), 'type') === 'grammar' ? 'grammar' : 'text'
  return [{ name, description: json.textOf(json.own(given, 'description')) ?? '', schema: {}, input }]
}

/**
 * `none`, `auto`, `required`, `any`, or an object with the name of a tool, directly or in a member named after its
 * type.
 */
function readToolChoice({ json }: Engine, given: unknown): ToolChoice {
  if (given === 'none' || given === 'required' || given === 'auto') return given
  if (given === 'any') return 'required'
  return nameOf(json, given) ?? 'auto'
}

/** The name of a tool in a choice of tools. */
function nameOf(json: Engine['json'], given: unknown): ToolName | undefined {
  const named = json.own(given, 'function') ?? json.own(given, 'custom') ?? given
  const name = json.textOf(json.own(named, 'name'))
  if (name === undefined) return undefined
  const namespace = json.textOf(json.own(named, 'namespace'))
  return namespace === undefined ? { name } : { name, namespace }
}

/** The allowed tools, one of which may or must be called. */
function allowedOf(engine: Engine, offered: Tool[], choice: unknown, isNested: boolean): Tooling {
  const { json } = engine
  const invalid = (message: string, member: string, code: string): Error =>
    engine.badInput(message, { param: path + member, code })
  /** A choice can name a tool, or a whole namespace. */
  const namesOfTool = (tool: Tool): string[] => [
    tool.name,
    ...(tool.namespace === undefined ? [] : [engine.flatToolName(tool), tool.namespace]),
  ]
  const path = isNested ? 'tool_choice.allowed_tools' : 'tool_choice'
  const set = isNested ? json.own(choice, 'allowed_tools') : choice
  const mode = json.own(set, 'mode')
  if (mode == null) throw invalid(`Missing required parameter: '${path}.mode'.`, '.mode', 'missing_required_parameter')
  if (mode !== 'auto' && mode !== 'required')
    throw invalid(`Invalid value for '${path}.mode': expected 'auto' or 'required'.`, '.mode', 'invalid_value')
  const list = json.own(set, 'tools')
  if (list == null)
    throw invalid(`Missing required parameter: '${path}.tools'.`, '.tools', 'missing_required_parameter')
  if (!Array.isArray(list) || list.length === 0)
    throw invalid(`Invalid '${path}.tools': expected an array with at least one tool.`, '.tools', 'invalid_value')
  const names = new Set(list.flatMap((item: unknown) => nameOf(json, item) ?? []).map(engine.flatToolName))
  const known = new Set(offered.flatMap(namesOfTool))
  const unknown = [...names].find(name => !known.has(name))
  if (unknown !== undefined)
    throw invalid(`Tool choice '${unknown.slice(0, 100)}' not found in 'tools' parameter.`, '.tools', 'invalid_value')
  const tools = offered.filter(tool => namesOfTool(tool).some(name => names.has(name)))
  return { tools, toolChoice: tools.length === 0 ? 'none' : mode }
}

/** Only a rule can provide text that follows a grammar, so a call to such a tool can't be forced. */
function refuseForcedGrammar(engine: Engine, { tools, toolChoice }: Tooling): void {
  const named = typeof toolChoice === 'object' ? engine.findTool(tools, toolChoice) : undefined
  const forced = named !== undefined ? [named] : toolChoice === 'required' ? tools : []
  if (forced.length === 0 || forced.some(tool => tool.input !== 'grammar')) return
  throw engine.badInput(
    "Unsupported value: a call to a custom tool with the format 'grammar' can't be forced. Use the format 'text'.",
    { param: 'tool_choice', code: 'unsupported_value' },
  )
}

/** A call in a chat message, with `index` in streams. */
export function chatCall(call: Call, text: string = call.json): ChatCall {
  if (call.isText === true)
    return { id: call.givenId ?? `call_${call.id}`, type: 'custom', custom: { name: call.name, input: text } }
  return { id: call.givenId ?? `call_${call.id}`, type: 'function', function: { name: call.name, arguments: text } }
}

/** The next piece of a streamed call. */
export function chatCallPiece(call: Call, piece: string): ChatCall {
  return call.isText === true ? { custom: { input: piece } } : { function: { arguments: piece } }
}

export interface ChatCall {
  index?: number
  id?: string
  type?: 'function' | 'custom'
  function?: { name?: string; arguments: string }
  custom?: { name?: string; input: string }
}
