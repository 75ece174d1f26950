/** OpenAI chat completions, and Azure OpenAI, which differs only in the URL. */
import type { ModelRequest, CodeSample, Piece, Turn, WireFormat } from '../types.ts'
import { compact, headersOption, literal, turnsOf } from './json.ts'

interface Message {
  content?: string | null
  reasoning_content?: string | null
  tool_calls?: { index?: number; id?: string; function?: { name?: string; arguments?: string } }[]
}

interface Completion {
  choices?: { message?: Message; delta?: Message; finish_reason?: string | null }[]
  usage?: { prompt_tokens?: number; completion_tokens?: number } | null
  error?: { message?: string }
}

function messagesOf(modelRequest: ModelRequest): object[] {
  return [
    ...(modelRequest.system === '' ? [] : [{ role: 'system', content: modelRequest.system }]),
    ...turnsOf(modelRequest).flatMap(messagesOfTurn),
  ]
}

function messagesOfTurn(turn: Turn): object[] {
  if (turn.role === 'user') return [{ role: 'user', content: turn.text }]
  if (turn.role === 'tool')
    return turn.results.map(({ call, content }) => ({ role: 'tool', tool_call_id: call.id, content }))
  const { text, calls } = turn.run.reply
  if (calls.length === 0) return [{ role: 'assistant', content: text }]
  return [
    {
      role: 'assistant',
      content: text || null,
      tool_calls: calls.map(({ id, name, args }) => ({ id, type: 'function', function: { name, arguments: args } })),
    },
  ]
}

function formatOf({ format }: ModelRequest): object | undefined {
  if (format === 'text') return undefined
  return format === 'json'
    ? { type: 'json_object' }
    : { type: 'json_schema', json_schema: { name: 'answer', schema: format } }
}

export function chatBody(modelRequest: ModelRequest): object {
  const { model, stream, temperature, maxTokens, tools } = modelRequest
  return compact({
    model,
    messages: messagesOf(modelRequest),
    temperature: temperature ?? undefined,
    max_tokens: maxTokens ?? undefined,
    tools: tools.length === 0 ? undefined : tools.map(tool => ({ type: 'function', function: tool })),
    response_format: formatOf(modelRequest),
    stream: stream || undefined,
    stream_options: stream ? { include_usage: true } : undefined,
  })
}

function read(json: unknown): Piece {
  const { choices, usage, error } = json as Completion
  const { message, delta, finish_reason: finish } = choices?.[0] ?? {}
  const said = message ?? delta
  return {
    text: said?.content,
    thinking: said?.reasoning_content,
    calls: said?.tool_calls?.map(
      ({ index, id, function: called }, at) =>
        compact({ at: index ?? at, id, name: called?.name, args: called?.arguments }) as object,
    ),
    finish,
    usage: usage ? { input: usage.prompt_tokens, output: usage.completion_tokens } : undefined,
    ...(error === undefined ? {} : { error: error.message ?? JSON.stringify(error) }),
  }
}

function codeBody({ body, stream }: CodeSample, client: string): string {
  const result = stream ? 'stream' : 'completion'
  const print = stream
    ? `for await (const { choices } of ${result}) process.stdout.write(choices[0]?.delta?.content ?? '')`
    : `console.log(${result}.choices[0].message)`
  return `${client}
const ${result} = await client.chat.completions.create(${literal(body, 0)})
${print}
`
}

export const openai: WireFormat = {
  request: modelRequest => ({ path: '/v1/chat/completions', body: chatBody(modelRequest) }),
  credential: key => ({ name: 'Authorization', value: `Bearer ${key}` }),
  read,
  readFrame: read,
  code: sample =>
    codeBody(
      sample,
      `import OpenAI from 'openai'

const client = new OpenAI({
  baseURL: ${JSON.stringify(`${sample.baseUrl}/v1`)},
  apiKey: ${JSON.stringify(sample.key)},${headersOption('defaultHeaders', sample.headers)}
})`,
    ),
}

const AZURE_VERSION = '2024-10-21'

export const azure: WireFormat = {
  request: modelRequest => ({
    path: `/openai/deployments/${encodeURIComponent(modelRequest.model)}/chat/completions?api-version=${AZURE_VERSION}`,
    body: chatBody(modelRequest),
  }),
  credential: key => ({ name: 'api-key', value: key }),
  read,
  readFrame: read,
  code: sample =>
    codeBody(
      sample,
      `import { AzureOpenAI } from 'openai'

const client = new AzureOpenAI({
  endpoint: ${JSON.stringify(sample.baseUrl)},
  apiVersion: '${AZURE_VERSION}',
  apiKey: ${JSON.stringify(sample.key)},${headersOption('defaultHeaders', sample.headers)}
})`,
    ),
}
