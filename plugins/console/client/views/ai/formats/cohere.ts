/** Cohere chat, version 2. */
import type { ModelRequest, Piece, Turn, WireFormat } from '../types.ts'
import { compact, headersOption, literal, turnsOf } from './json.ts'

interface Call {
  id?: string
  function?: { name?: string; arguments?: string }
}
interface Content {
  text?: string
  thinking?: string
}
interface Usage {
  tokens?: { input_tokens?: number; output_tokens?: number }
}
interface Answer {
  message?: { content?: Content[]; tool_calls?: Call[] } | string
  finish_reason?: string
  usage?: Usage
}
interface StreamEvent {
  type?: string
  index?: number
  delta?: { message?: { content?: Content; tool_calls?: Call }; finish_reason?: string; usage?: Usage; error?: string }
}

function messagesOfTurn(turn: Turn): object[] {
  if (turn.role === 'user') return [{ role: 'user', content: turn.text }]
  if (turn.role === 'tool')
    return turn.results.map(({ call, content }) => ({
      role: 'tool',
      tool_call_id: call.id,
      content: [{ type: 'document', document: { data: content } }],
    }))
  const { text, calls } = turn.run.reply
  if (calls.length === 0) return [{ role: 'assistant', content: text }]
  return [
    {
      role: 'assistant',
      tool_calls: calls.map(({ id, name, args }) => ({ id, type: 'function', function: { name, arguments: args } })),
    },
  ]
}

function bodyOf(modelRequest: ModelRequest): object {
  const { model, system, stream, temperature, maxTokens, tools, format } = modelRequest
  return compact({
    model,
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system }]),
      ...turnsOf(modelRequest).flatMap(messagesOfTurn),
    ],
    temperature: temperature ?? undefined,
    max_tokens: maxTokens ?? undefined,
    tools: tools.length === 0 ? undefined : tools.map(tool => ({ type: 'function', function: tool })),
    response_format:
      format === 'text'
        ? undefined
        : format === 'json'
          ? { type: 'json_object' }
          : { type: 'json_object', json_schema: format },
    stream,
  })
}

function usageOf(usage: Usage | undefined): Piece['usage'] {
  return usage?.tokens && { input: usage.tokens.input_tokens, output: usage.tokens.output_tokens }
}

function fragment(call: Call, at: number): { at: number } {
  return compact({ at, id: call.id, name: call.function?.name, args: call.function?.arguments })
}

export const cohere: WireFormat = {
  request: modelRequest => ({ path: '/v2/chat', body: bodyOf(modelRequest) }),
  credential: key => ({ name: 'Authorization', value: `Bearer ${key}` }),
  read(json) {
    const { message, finish_reason: finish, usage } = json as Answer
    if (typeof message === 'string') return { error: message }
    return {
      text: message?.content?.map(({ text }) => text ?? '').join(''),
      thinking: message?.content?.map(({ thinking }) => thinking ?? '').join(''),
      calls: message?.tool_calls?.map(fragment),
      finish,
      usage: usageOf(usage),
    }
  },
  readFrame(json) {
    const { type, index = 0, delta } = json as StreamEvent
    const { content, tool_calls: call } = delta?.message ?? {}
    return {
      text: type === 'content-delta' ? content?.text : undefined,
      thinking: type === 'content-delta' ? content?.thinking : undefined,
      calls: call !== undefined && !Array.isArray(call) ? [fragment(call, index)] : undefined,
      finish: delta?.finish_reason,
      usage: usageOf(delta?.usage),
      ...(delta?.error === undefined ? {} : { error: delta.error }),
    }
  },
  code({ baseUrl, key, headers, body, stream }) {
    const { stream: _stream, ...rest } = body as { stream: boolean }
    return `import { CohereClientV2 } from 'cohere-ai'

const cohere = new CohereClientV2({
  environment: ${JSON.stringify(baseUrl)},
  token: ${JSON.stringify(key)},${headersOption('headers', headers)}
})
${
  stream
    ? `const stream = await cohere.chatStream(${literal(camelCased(rest), 0)})
for await (const { delta } of stream) process.stdout.write(delta?.message?.content?.text ?? '')`
    : `const { message } = await cohere.chat(${literal(camelCased(rest), 0)})
console.log(message)`
}
`
  },
}

/** Names of request members in the SDK. */
function camelCased(body: object): object {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      value as unknown,
    ]),
  )
}
