/** Parses a request of `v1/chat`. */
import type { ChatParsed, Engine, Message, Part, ReplyFormat, RouteInput, Tool } from '../llm/types.ts'

export interface ChatV1Wire {
  /** The unchanged history, for the reply. */
  history: unknown[]
  message: string
  /** The client requests server-sent events instead of JSON lines. */
  isSse: boolean
}

const maxStops = 5
const roles = new Set(['USER', 'CHATBOT', 'SYSTEM', 'TOOL'])
/** Python type names; JSON Schema types are accepted too. */
const schemaTypes: Readonly<Record<string, string>> = {
  str: 'string',
  int: 'integer',
  float: 'number',
  bool: 'boolean',
  list: 'array',
  dict: 'object',
}

/** Throws if there is neither a message nor a tool result, and for unknown roles. */
export function parseChatV1(engine: Engine, input: RouteInput): ChatParsed<ChatV1Wire> {
  const { json } = engine
  const body = input.json()
  const model = json.textOf(body.model) ?? input.defaultModel ?? 'svc-command'
  const message = json.textOf(body.message) ?? ''
  const results = json.listOf(body.tool_results)
  if (message === '' && results.length === 0)
    throw engine.badInput('invalid request: message must be at least 1 token long or tool results must be specified')
  const preamble = json.textOf(body.preamble)
  const read = { system: preamble === undefined ? [] : [preamble], messages: [] as Message[] }
  const history = json.listOf(body.chat_history)
  history.forEach((item, index) => addTurn(engine, read, json.objectOf(item), index))
  if (message !== '') read.messages.push({ role: 'user', parts: [{ type: 'text', text: message }] })
  addResults(engine, read.messages, results)
  const maxTokens = json.countOf(body.max_tokens)
  const accept = input.headers.accept
  return {
    op: 'chat',
    model,
    stream: body.stream === true,
    request: {
      model,
      ...read,
      tools: json.listOf(body.tools).flatMap(tool => readTool(engine, tool)),
      toolChoice: 'auto',
      format: readFormat(engine, body.response_format),
      stop: json.stopsOf(body.stop_sequences, maxStops),
      n: 1,
      ...(maxTokens === undefined ? {} : { maxTokens }),
    },
    wire: { history, message, isSse: typeof accept === 'string' && accept.includes('text/event-stream') },
  }
}

interface Read {
  system: string[]
  messages: Message[]
}

function addTurn(engine: Engine, read: Read, turn: Record<string, unknown>, index: number): void {
  const { json } = engine
  const role = json.textOf(turn.role)?.toUpperCase() ?? ''
  if (!roles.has(role))
    throw engine.badInput(`invalid request: chat_history[${index}].role must be one of ${[...roles].join(', ')}`)
  const text = json.asText(turn.message)
  if (role === 'SYSTEM') read.system.push(text)
  else if (role === 'TOOL') addResults(engine, read.messages, json.listOf(turn.tool_results))
  else if (role === 'USER') read.messages.push({ role: 'user', parts: [{ type: 'text', text }] })
  else read.messages.push({ role: 'assistant', parts: [{ type: 'text', text }] })
}

/** A result includes its call, so the call is known even if the history does not contain it. */
function addResults(engine: Engine, messages: Message[], results: readonly unknown[]): void {
  const { json } = engine
  const read = results.flatMap((result, index): { call: Part; content: Part }[] => {
    const call = json.own(result, 'call')
    const name = json.textOf(json.own(call, 'name'))
    if (name === undefined) return []
    const id = `${name}_${index}`
    return [
      {
        call: { type: 'call', id, name, args: json.own(call, 'parameters') ?? {} },
        content: { type: 'result', id, name, content: JSON.stringify(json.own(result, 'outputs') ?? []) },
      },
    ]
  })
  if (read.length === 0) return
  messages.push(
    { role: 'assistant', parts: read.map(({ call }) => call) },
    { role: 'tool', parts: read.map(({ content }) => content) },
  )
}

function readTool({ json }: Engine, given: unknown): Tool[] {
  const name = json.textOf(json.own(given, 'name'))
  if (name === undefined) return []
  const parameters = Object.entries(json.objectOf(json.own(given, 'parameter_definitions')))
  const properties = Object.fromEntries(
    parameters.map(([parameter, definition]) => [parameter, schemaOf(json.own(definition, 'type'))]),
  )
  const required = parameters
    .filter(([, definition]) => json.own(definition, 'required') === true)
    .map(([parameter]) => parameter)
  return [
    {
      name,
      description: json.textOf(json.own(given, 'description')) ?? '',
      schema: { type: 'object', properties, required },
    },
  ]
}

/** `str`, `List[int]` and the like. */
function schemaOf(type: unknown): object {
  const word = typeof type === 'string' ? type.slice(0, 100).toLowerCase() : 'str'
  const item = /^list\[(\w+)/.exec(word)?.[1]
  if (item !== undefined) return { type: 'array', items: { type: schemaTypes[item] ?? item } }
  const plain = /^\w+/.exec(word)?.[0] ?? 'str'
  return { type: schemaTypes[plain] ?? plain }
}

function readFormat({ json }: Engine, given: unknown): ReplyFormat {
  if (json.own(given, 'type') !== 'json_object') return { type: 'none' }
  const schema = json.own(given, 'schema')
  return schema === undefined ? { type: 'json' } : { type: 'schema', schema }
}
