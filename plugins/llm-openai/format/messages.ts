/** Parses the messages and the reply format of chat completions. */
import type { Engine, Message, Part, ReplyFormat } from '../../llm/types.ts'

const roles = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function'])

export interface ReadMessages {
  system: string[]
  messages: Message[]
}

/** Throws for a missing, empty or invalid list, and for an unknown role. */
export function readMessages(engine: Engine, given: unknown): ReadMessages {
  const { json } = engine
  const invalid = (message: string, param: string, code: string): Error => engine.badInput(message, { param, code })
  if (given == null) throw invalid("Missing required parameter: 'messages'.", 'messages', 'missing_required_parameter')
  if (!Array.isArray(given))
    throw invalid("Invalid type for 'messages': expected an array of objects.", 'messages', 'invalid_value')
  if (given.length === 0)
    throw invalid(
      "Invalid 'messages': empty array. Expected an array with minimum length 1.",
      'messages',
      'empty_array',
    )
  const read: ReadMessages = { system: [], messages: [] }
  given.forEach((item: unknown, index) => {
    const param = `messages[${index}].role`
    const message = json.objectOf(item)
    if (typeof message.role !== 'string')
      throw invalid(`Missing required parameter: '${param}'.`, param, 'missing_required_parameter')
    if (!roles.has(message.role))
      throw invalid(`Invalid value for '${param}': expected one of ${[...roles].join(', ')}.`, param, 'invalid_value')
    addMessage(engine, read, message.role, message)
  })
  return read
}

function addMessage(engine: Engine, read: ReadMessages, role: string, message: Record<string, unknown>): void {
  const { json } = engine
  const content = readContent(engine, message.content)
  const text = engine.textOfParts(content)
  if (role === 'system' || role === 'developer') read.system.push(text)
  else if (role === 'user') read.messages.push({ role: 'user', parts: content })
  else if (role === 'assistant')
    read.messages.push({ role: 'assistant', parts: [...content, ...readCalls(engine, message)] })
  else {
    const name = json.textOf(message.name)
    read.messages.push({
      role: 'tool',
      parts: [
        {
          type: 'result',
          id: json.textOf(message.tool_call_id) ?? '',
          content: text,
          ...(name === undefined ? {} : { name }),
        },
      ],
    })
  }
}

function readCalls(engine: Engine, message: Record<string, unknown>): Part[] {
  const { json } = engine
  const calls = json
    .listOf(message.tool_calls)
    .map(call => ({ id: json.own(call, 'id'), called: json.own(call, 'function') ?? json.own(call, 'custom') }))
  if (message.function_call != null) calls.push({ id: '', called: message.function_call })
  return calls.flatMap(({ id, called }): Part[] => {
    const name = json.textOf(json.own(called, 'name'))
    return name === undefined
      ? []
      : [
          {
            type: 'call',
            id: json.textOf(id) ?? '',
            name,
            args: json.own(called, 'input') ?? json.argumentsOf(json.own(called, 'arguments')),
          },
        ]
  })
}

/** A string, null, one part, or a list of parts; skips unknown parts. */
export function readContent(engine: Engine, content: unknown): Part[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return (Array.isArray(content) ? content : [content]).flatMap((part: unknown) => readPart(engine, part))
}

/** Parts of chat completions, and of responses, where their types have a prefix. */
function readPart({ json, describeUrl, describeInline }: Engine, given: unknown): Part[] {
  if (typeof given === 'string') return [{ type: 'text', text: given }]
  const part = json.objectOf(given)
  switch (part.type) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return typeof part.text === 'string' ? [{ type: 'text', text: part.text }] : []
    case 'refusal':
      return typeof part.refusal === 'string' ? [{ type: 'text', text: part.refusal }] : []
    case 'image_url':
    case 'input_image': {
      const url =
        json.textOf(part.image_url) ??
        json.textOf(json.own(part.image_url, 'url')) ??
        json.textOf(part.filename) ??
        json.textOf(part.file_id)
      return url === undefined ? [] : [{ type: 'image', description: describeUrl(url) }]
    }
    case 'input_audio': {
      const format = json.textOf(json.own(part.input_audio, 'format')) ?? 'wav'
      return [{ type: 'audio', description: describeInline(`audio/${format}`, 'base64') }]
    }
    case 'file':
    case 'input_file': {
      const file = part.type === 'file' ? json.objectOf(part.file) : part
      const name = json.textOf(file.filename) ?? json.textOf(file.file_id) ?? json.textOf(file.file_url)
      return [{ type: 'file', description: (name ?? describeUrl(json.textOf(file.file_data) ?? 'file')).slice(0, 200) }]
    }
    default:
      return []
  }
}

/** `json_object`, or `json_schema` with `schema` directly or in `json_schema`. */
export function readFormat({ json }: Engine, given: unknown): ReplyFormat {
  const type = json.own(given, 'type')
  if (type === 'json_object') return { type: 'json' }
  if (type !== 'json_schema') return { type: 'none' }
  return {
    type: 'schema',
    schema: json.own(json.own(given, 'json_schema'), 'schema') ?? json.own(given, 'schema') ?? { type: 'object' },
  }
}
