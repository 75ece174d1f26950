/** Anthropic messages. */
import type { ModelRequest, Piece, Turn, WireFormat } from '../types.ts'
import { argsOf, compact, headersOption, literal, turnsOf } from './json.ts'

/** Value of the header `anthropic-version`. */
const VERSION = '2023-06-01'
/** The API requires a token limit. */
const DEFAULT_MAX_TOKENS = 1024

interface Block {
  type?: string
  text?: string
  thinking?: string
  id?: string
  name?: string
  input?: object
}
interface Usage {
  input_tokens?: number
  output_tokens?: number
}
interface Message {
  content?: Block[]
  stop_reason?: string | null
  usage?: Usage
  error?: { message?: string }
}
interface StreamEvent {
  type?: string
  index?: number
  message?: Message
  content_block?: Block
  delta?: { type?: string; text?: string; thinking?: string; partial_json?: string; stop_reason?: string | null }
  usage?: Usage
  error?: { message?: string }
}

function messageOf(turn: Turn): object {
  if (turn.role === 'user') return { role: 'user', content: turn.text }
  if (turn.role === 'tool')
    return {
      role: 'user',
      content: turn.results.map(({ call, content }) => ({ type: 'tool_result', tool_use_id: call.id, content })),
    }
  const { text, calls } = turn.run.reply
  if (calls.length === 0) return { role: 'assistant', content: text }
  return {
    role: 'assistant',
    content: [
      ...(text === '' ? [] : [{ type: 'text', text }]),
      ...calls.map(call => ({ type: 'tool_use', id: call.id, name: call.name, input: argsOf(call) })),
    ],
  }
}

function bodyOf(modelRequest: ModelRequest): object {
  const { model, system, stream, temperature, maxTokens, tools, format } = modelRequest
  return compact({
    model,
    max_tokens: maxTokens ?? DEFAULT_MAX_TOKENS,
    system: system || undefined,
    messages: turnsOf(modelRequest).map(messageOf),
    temperature: temperature ?? undefined,
    tools:
      tools.length === 0
        ? undefined
        : tools.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters })),
    output_config:
      format === 'text'
        ? undefined
        : { format: { type: 'json_schema', schema: format === 'json' ? { type: 'object' } : format } },
    stream: stream || undefined,
  })
}

function usageOf(usage: Usage | undefined): Piece['usage'] {
  return usage && { input: usage.input_tokens, output: usage.output_tokens }
}

function readEvent({ type, index, message, content_block: block, delta, usage, error }: StreamEvent): Piece {
  switch (type) {
    case 'message_start':
      return { usage: usageOf(message?.usage) }
    case 'content_block_start':
      return block?.type === 'tool_use'
        ? { calls: [compact({ at: index, id: block.id, name: block.name }) as object] }
        : {}
    case 'content_block_delta':
      return {
        text: delta?.text,
        thinking: delta?.thinking,
        calls:
          delta?.partial_json === undefined ? undefined : [compact({ at: index, args: delta.partial_json }) as object],
      }
    case 'message_delta':
      return { finish: delta?.stop_reason, usage: usageOf(usage) }
    case 'error':
      return { error: error?.message ?? 'error' }
    default:
      return {}
  }
}

export const anthropic: WireFormat = {
  request: modelRequest => ({
    path: '/v1/messages',
    body: bodyOf(modelRequest),
    headers: { 'anthropic-version': VERSION },
  }),
  credential: key => ({ name: 'x-api-key', value: key }),
  read(json) {
    const { content = [], stop_reason: finish, usage, error } = json as Message
    return {
      text: content.map(({ text }) => text ?? '').join(''),
      thinking: content.map(({ thinking }) => thinking ?? '').join(''),
      calls: content
        .filter(({ type }) => type === 'tool_use')
        .map(({ id = '', name = '', input }) => ({ id, name, args: JSON.stringify(input ?? {}) })),
      finish,
      usage: usageOf(usage),
      ...(error === undefined ? {} : { error: error.message ?? JSON.stringify(error) }),
    }
  },
  readFrame: json => readEvent(json as StreamEvent),
  code: ({ baseUrl, key, headers, body, stream }) => `import Anthropic from '@anthropic-ai/sdk'

const client = new Anthropic({
  baseURL: ${JSON.stringify(baseUrl)},
  apiKey: ${JSON.stringify(key)},${headersOption('defaultHeaders', { 'anthropic-version': VERSION, ...headers })}
})
${
  stream
    ? `const stream = await client.messages.create(${literal(body, 0)})
for await (const { delta } of stream) process.stdout.write(delta?.text ?? '')`
    : `const message = await client.messages.create(${literal(body, 0)})
console.log(message.content)`
}
`,
}
