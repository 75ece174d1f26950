/** Parses a request of the Messages API. */
import type { Engine, Message, NeutralRequest, Part, ReplyFormat, ToolChoice } from '../llm/types.ts'

/** The API version that rejects what others accept. */
const STRICT_VERSION = '2026-10-21'

const maxStops = 8
const roles = new Set(['user', 'assistant', 'system'])

export interface ReadOptions {
  model: string
  /** Value of the header `anthropic-version`. */
  version: string | undefined
  needsMaxTokens: boolean
}

/** Throws for missing or invalid fields, with the messages of the API. */
export function readRequest(
  engine: Engine,
  body: Record<string, unknown>,
  { model, version, needsMaxTokens }: ReadOptions,
): NeutralRequest {
  const { json } = engine
  const maxTokens = json.countOf(body.max_tokens)
  if (needsMaxTokens && maxTokens === undefined) throw engine.badInput('max_tokens: Field required')
  if (!Array.isArray(body.messages)) throw engine.badInput('messages: Field required')
  if (body.messages.length === 0) throw engine.badInput('messages: at least one message is required')
  checkVersion(engine, body, version)
  const system = readSystem(engine, body.system)
  const messages: Message[] = []
  body.messages.forEach((item: unknown, index) => {
    const message = json.objectOf(item)
    const role = json.textOf(message.role)
    if (role === undefined || !roles.has(role))
      throw engine.badInput(`messages.${index}.role: Input should be 'user', 'assistant' or 'system'`)
    if (typeof message.content !== 'string' && !Array.isArray(message.content))
      throw engine.badInput(`messages.${index}.content: Field required`)
    const parts = readBlocks(engine, message.content)
    if (role === 'system') system.push(engine.textOfParts(parts))
    else messages.push({ role: role === 'assistant' ? 'assistant' : 'user', parts })
  })
  const reasoning = readThinking(engine, body.thinking)
  return {
    model,
    system,
    messages,
    tools: json.listOf(body.tools).flatMap(tool => {
      const name = json.textOf(json.own(tool, 'name'))
      const schema = json.own(tool, 'input_schema')
      return name === undefined || schema === undefined
        ? []
        : [{ name, description: json.textOf(json.own(tool, 'description')) ?? '', schema }]
    }),
    toolChoice: readToolChoice(engine, body.tool_choice),
    format: readFormat(engine, json.own(body.output_config, 'format') ?? body.output_format),
    stop: json.stopsOf(body.stop_sequences, maxStops),
    n: 1,
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(reasoning === undefined ? {} : { reasoning }),
  }
}

function readSystem(engine: Engine, given: unknown): string[] {
  if (typeof given === 'string') return given === '' ? [] : [given]
  return engine.json.listOf(given).flatMap(block => engine.json.textOf(engine.json.own(block, 'text')) ?? [])
}

/** A string or a list of blocks; skips unknown blocks. */
function readBlocks(engine: Engine, content: unknown): Part[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return engine.json.listOf(content).flatMap(block => readBlock(engine, engine.json.objectOf(block)))
}

function readBlock(engine: Engine, block: Record<string, unknown>): Part[] {
  const { json } = engine
  switch (block.type) {
    case 'text':
      return typeof block.text === 'string' ? [{ type: 'text', text: block.text }] : []
    case 'image':
      return [{ type: 'image', description: describeSource(engine, block.source) }]
    case 'document':
      return [
        { type: 'file', description: json.textOf(block.title)?.slice(0, 200) ?? describeSource(engine, block.source) },
      ]
    case 'tool_use': {
      const name = json.textOf(block.name)
      return name === undefined
        ? []
        : [{ type: 'call', id: json.textOf(block.id) ?? '', name, args: block.input ?? {} }]
    }
    case 'tool_result':
      return [
        {
          type: 'result',
          id: json.textOf(block.tool_use_id) ?? '',
          content: engine.textOfParts(readBlocks(engine, block.content)),
        },
      ]
    default:
      return []
  }
}

function describeSource({ json, describeUrl, describeInline }: Engine, given: unknown): string {
  const source = json.objectOf(given)
  const url = json.textOf(source.url) ?? json.textOf(source.file_id)
  return url === undefined ? describeInline(source.media_type, 'base64') : describeUrl(url)
}

function readToolChoice({ json }: Engine, given: unknown): ToolChoice {
  const type = json.own(given, 'type')
  const name = json.textOf(json.own(given, 'name'))
  if (type === 'tool' && name !== undefined) return { name }
  if (type === 'any' || type === 'tool') return 'required'
  return type === 'none' ? 'none' : 'auto'
}

function readFormat({ json }: Engine, given: unknown): ReplyFormat {
  return json.own(given, 'type') === 'json_schema'
    ? { type: 'schema', schema: json.own(given, 'schema') }
    : { type: 'none' }
}

function readThinking({ json }: Engine, given: unknown): { budget?: number } | undefined {
  const type = json.own(given, 'type')
  if (type !== 'enabled' && type !== 'adaptive') return undefined
  const budget = json.countOf(json.own(given, 'budget_tokens'))
  return budget === undefined ? {} : { budget }
}

/** Throws for fields that the API version in `anthropic-version` rejects; all but one reject none. */
function checkVersion({ json, badInput }: Engine, body: Record<string, unknown>, version: string | undefined): void {
  if (version?.trim() !== STRICT_VERSION) return
  for (const name of ['temperature', 'top_p', 'top_k'])
    if (body[name] !== undefined) throw badInput(`${name}: Extra inputs are not permitted`)
  json.listOf(body.messages).forEach((message, index) => {
    const role = json.own(message, 'role')
    json.listOf(json.own(message, 'content')).forEach((block, at) => {
      const type = json.own(block, 'type')
      if (role === 'assistant' && type === 'document')
        throw badInput(`messages.${index}.content.${at}: document blocks are not permitted in assistant messages`)
      if (role === 'user' && type === 'text' && json.listOf(json.own(block, 'citations')).length > 0)
        throw badInput(`messages.${index}.content.${at}.text.citations: Extra inputs are not permitted`)
    })
  })
}
