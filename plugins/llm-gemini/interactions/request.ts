/** Parses a request of the Interactions API. */
import { isRecord } from 'svc/toolkit'
import type { ChatParsed, Engine, NeutralRequest, ReplyFormat, RouteInput, Tool, ToolChoice } from '../../llm/types.ts'
import type { InteractionHead } from './interaction.ts'
import { readSteps, type Step } from './steps.ts'

export interface InteractionWire {
  head: Omit<InteractionHead, 'created'>
  input: Step[]
  provider: string
  isStored: boolean
  revision: string | null
}
export type InteractionParsed = ChatParsed<InteractionWire>

const REVISION = '2026-05-20'
const ECHOED = ['previous_interaction_id', 'system_instruction', 'tools', 'generation_config', 'labels']
const MAX_STOPS = 5
const CONFIG_VALUES = [
  ['thinking_summaries', ['auto', 'none']],
  ['thinking_level', ['minimal', 'low', 'medium', 'high']],
  ['tool_choice', ['auto', 'any', 'none', 'validated']],
] as const satisfies readonly (readonly [string, readonly string[]])[]

/** The revision that the request names, to be echoed; throws for an old one. */
export function revisionOf(engine: Engine, { headers }: RouteInput): string | null {
  const given = headers['api-revision']
  const revision = (Array.isArray(given) ? given[0] : given)?.trim()
  if (revision === undefined || revision === '') return null
  if (!/^\d{4}-\d{2}-\d{2}$/.test(revision)) throw engine.badInput('Api-Revision: expected a date such as 2026-05-20.')
  if (revision < REVISION) throw engine.badInput(`Api-Revision ${revision} is no longer supported.`)
  return revision
}

/** Throws for a parameter that would be ignored because its type or value is wrong; null is as good as absent. */
export function checkParameters(engine: Engine, body: Record<string, unknown>): void {
  const { json } = engine
  const check = (name: string, value: unknown, isValid: boolean, expected: string): void => {
    if (value != null && !isValid) throw engine.badInput(`${name}: expected ${expected}.`)
  }
  for (const name of ['store', 'background', 'stream'])
    check(name, body[name], typeof body[name] === 'boolean', 'true or false')
  const { previous_interaction_id: previous, generation_config: config, labels } = body
  check('previous_interaction_id', previous, typeof previous === 'string', 'a text')
  check('labels', labels, isRecord(labels), 'an object')
  check('generation_config', config, isRecord(config), 'an object')
  for (const [name, values] of CONFIG_VALUES) {
    const value = json.own(config, name)
    const isObject = name === 'tool_choice' && isRecord(value)
    check(
      `generation_config.${name}`,
      value,
      isObject || values.some(known => known === value),
      `one of ${values.join(', ')}`,
    )
  }
}

export function parseInteraction(
  engine: Engine,
  input: RouteInput,
  body: Record<string, unknown>,
  { before, steps }: { before: Step[]; steps: Step[] },
): InteractionParsed {
  const { json } = engine
  const revision = revisionOf(engine, input)
  const model = json.textOf(body.model)?.replace(/^models\//, '') ?? input.defaultModel
  if (body.agent != null) throw engine.badInput('agent: agents are not supported; use model instead.')
  if (model === undefined) throw engine.badInput('model: Field required.')
  const isBackground = body.background === true
  const isStored = input.storesResponses && body.store !== false
  if (isBackground && !isStored) throw engine.badInput('background: requires store to be true.')
  const config = json.objectOf(body.generation_config)
  const showsSummary = config.thinking_summaries === 'auto'
  return {
    op: 'chat',
    model,
    stream: body.stream === true,
    ...(isBackground ? { isBackground } : {}),
    request: neutral(engine, body, model, [...before, ...steps]),
    wire: {
      head: {
        id: engine.randomId(22),
        model,
        echo: Object.fromEntries(ECHOED.flatMap(name => (body[name] == null ? [] : [[name, body[name]]]))),
        showsSummary,
        isBackground,
      },
      input: steps,
      provider: input.provider,
      isStored,
      revision,
    },
  }
}

function neutral(engine: Engine, body: Record<string, unknown>, model: string, steps: Step[]): NeutralRequest {
  const { json } = engine
  const config = json.objectOf(body.generation_config)
  const maxTokens = json.countOf(config.max_output_tokens)
  const system = json.textOf(body.system_instruction)
  const level = json.textOf(config.thinking_level)
  return {
    model,
    system: system === undefined ? [] : [system],
    messages: readSteps(engine, steps),
    ...readTooling(engine, body.tools, config.tool_choice),
    format: readFormat(engine, body.response_format),
    stop: json.stopsOf(config.stop_sequences, MAX_STOPS),
    n: 1,
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(level !== undefined || config.thinking_summaries === 'auto' ? { reasoning: {} } : {}),
  }
}

function readTooling(engine: Engine, given: unknown, choice: unknown): { tools: Tool[]; toolChoice: ToolChoice } {
  const { json } = engine
  const tools = json.listOf(given).flatMap((item): Tool[] => {
    const name = json.own(item, 'type') === 'function' ? json.textOf(json.own(item, 'name')) : undefined
    if (name === undefined) return []
    const description = json.textOf(json.own(item, 'description')) ?? ''
    return [{ name, description, schema: json.own(item, 'parameters') ?? {} }]
  })
  const set = json.own(choice, 'allowed_tools')
  const allowed = json.listOf(json.own(set, 'tools'))
  const mode = json.textOf(choice) ?? json.textOf(json.own(set, 'mode'))
  const kept = tools.filter(({ name }) => allowed.includes(name))
  return {
    tools: kept.length > 0 ? kept : tools,
    toolChoice: mode === 'none' ? 'none' : mode === 'any' ? 'required' : 'auto',
  }
}

/** One format, or a list of them. */
function readFormat({ json }: Engine, given: unknown): ReplyFormat {
  const formats = Array.isArray(given) ? given : [given]
  const format = formats.find(item => json.own(item, 'mime_type') === 'application/json')
  if (format === undefined) return { type: 'none' }
  const schema = json.own(format, 'schema')
  return schema === undefined ? { type: 'json' } : { type: 'schema', schema }
}
