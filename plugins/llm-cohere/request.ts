/** Parses a request of `v2/chat`. */
import type { ChatParsed, Engine, Message, Part, ReplyFormat, RouteInput, ToolChoice } from '../llm/types.ts'

const maxStops = 5
const roles = new Set(['system', 'developer', 'user', 'assistant', 'tool'])

/** Throws for a missing model, missing or empty messages, and unknown roles. */
export function parseChat(engine: Engine, input: RouteInput): ChatParsed {
  const { json } = engine
  const body = input.json()
  const model = json.textOf(body.model) ?? input.defaultModel
  if (model === undefined) throw engine.badInput('invalid request: model is required')
  const list = json.listOf(body.messages)
  if (list.length === 0) throw engine.badInput('invalid request: messages must be a list with at least one message')
  const read = { system: [] as string[], messages: [] as Message[] }
  list.forEach((message, index) => addMessage(engine, read, json.objectOf(message), index))
  const maxTokens = json.countOf(body.max_tokens)
  const budget = json.countOf(json.own(body.thinking, 'token_budget'))
  return {
    op: 'chat',
    model,
    stream: body.stream === true,
    request: {
      model,
      ...read,
      tools: json.listOf(body.tools).flatMap(tool => {
        const called = json.own(tool, 'function')
        const name = json.textOf(json.own(called, 'name'))
        return name === undefined
          ? []
          : [
              {
                name,
                description: json.textOf(json.own(called, 'description')) ?? '',
                schema: json.own(called, 'parameters') ?? {},
              },
            ]
      }),
      toolChoice: readToolChoice(body.tool_choice),
      format: readFormat(engine, body.response_format),
      stop: json.stopsOf(body.stop_sequences, maxStops),
      n: 1,
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(json.own(body.thinking, 'type') === 'enabled' ? { reasoning: budget === undefined ? {} : { budget } } : {}),
    },
    wire: undefined,
  }
}

function addMessage(
  engine: Engine,
  read: { system: string[]; messages: Message[] },
  message: Record<string, unknown>,
  index: number,
): void {
  const { json } = engine
  const role = json.textOf(message.role)
  if (role === undefined || !roles.has(role))
    throw engine.badInput(`invalid request: messages[${index}].role must be one of ${[...roles].join(', ')}`)
  const parts = readContent(engine, message.content)
  const text = engine.textOfParts(parts)
  if (role === 'system' || role === 'developer') read.system.push(text)
  else if (role === 'tool')
    read.messages.push({
      role: 'tool',
      parts: [{ type: 'result', id: json.textOf(message.tool_call_id) ?? '', content: text }],
    })
  else if (role === 'user') read.messages.push({ role: 'user', parts })
  else {
    const calls = json.listOf(message.tool_calls).flatMap((call): Part[] => {
      const called = json.own(call, 'function')
      const name = json.textOf(json.own(called, 'name'))
      return name === undefined
        ? []
        : [
            {
              type: 'call',
              id: json.textOf(json.own(call, 'id')) ?? '',
              name,
              args: json.argumentsOf(json.own(called, 'arguments')),
            },
          ]
    })
    read.messages.push({ role: 'assistant', parts: [...parts, ...calls] })
  }
}

/** A string, or a list of text, image and document parts; skips other parts. */
function readContent({ json, describeUrl }: Engine, content: unknown): Part[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return json.listOf(content).flatMap((given): Part[] => {
    const part = json.objectOf(given)
    if (part.type === 'text' && typeof part.text === 'string') return [{ type: 'text', text: part.text }]
    if (part.type === 'image_url')
      return [{ type: 'image', description: describeUrl(json.textOf(json.own(part.image_url, 'url')) ?? 'image') }]
    if (part.type !== 'document') return []
    const data = json.own(part.document, 'data')
    return [{ type: 'text', text: json.asText(json.own(data, 'text') ?? data) }]
  })
}

function readToolChoice(given: unknown): ToolChoice {
  const word = typeof given === 'string' ? given.toUpperCase() : ''
  return word === 'REQUIRED' ? 'required' : word === 'NONE' ? 'none' : 'auto'
}

function readFormat({ json }: Engine, given: unknown): ReplyFormat {
  if (json.own(given, 'type') !== 'json_object') return { type: 'none' }
  const schema = json.own(given, 'json_schema') ?? json.own(given, 'schema')
  return schema === undefined ? { type: 'json' } : { type: 'schema', schema }
}
