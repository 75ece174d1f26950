/** Text generation in all seven formats, for tests that check the same in each. */
import { readAwsEvents, readSse } from './event-stream.ts'
import { serve, type TestServer, type TestServerOptions } from './server.ts'

/** A server with only the mock LLM and its formats, which starts faster than one with all plugins. */
export function serveLlm(
  t: Parameters<typeof serve>[0],
  { yaml = '', ...options }: TestServerOptions = {},
): Promise<TestServer> {
  const enable = [
    'llm',
    ...['openai', 'azure', 'anthropic', 'gemini', 'bedrock', 'ollama', 'cohere', 'openai-realtime', 'gemini-live'].map(
      name => `llm-${name}`,
    ),
  ]
  return serve(t, {
    ...options,
    yaml: yaml.startsWith('plugins:') ? yaml : `plugins: { enable: [${enable.join(', ')}] }\n${yaml}`,
  })
}

export interface LlmFormat {
  id: string
  /** Path of the text generation endpoint. */
  path(stream: boolean): string
  body(text: string, stream: boolean): object
  /** The header in which clients of the format send a key. */
  credential: [name: string, value: string]
  /** The text of a complete response, and of the events of a stream. */
  text(reply: never): string | undefined
  pieces(bytes: Buffer): string[]
  /** The message of an error response. */
  message(error: never): string
}

const sse =
  (pick: (data: never) => string | undefined) =>
  (bytes: Buffer): string[] =>
    readSse(bytes.toString())
      .filter(({ data }) => data !== '[DONE]')
      .map(({ data }) => pick(JSON.parse(data) as never))
      .filter((piece): piece is string => !!piece)

const chatBody = (text: string, stream: boolean): object => ({
  model: 'svc-gpt',
  messages: [{ role: 'user', content: text }],
  stream,
})
const openAiText = (reply: { choices: { message: { content: string } }[] }): string | undefined =>
  reply.choices[0]?.message.content
const openAiPieces = sse((chunk: { choices: { delta: { content?: string } }[] }) => chunk.choices[0]?.delta.content)
const openAiMessage = (error: { error: { message: string } }): string => error.error.message

export const formats: LlmFormat[] = [
  {
    id: 'openai',
    path: () => '/ai/openai/v1/chat/completions',
    body: chatBody,
    credential: ['authorization', 'Bearer demo-key-1234'],
    text: openAiText,
    pieces: openAiPieces,
    message: openAiMessage,
  },
  {
    id: 'azure',
    path: () => '/ai/azure/openai/deployments/svc-gpt/chat/completions?api-version=1',
    body: chatBody,
    credential: ['api-key', 'demo-key-1234'],
    text: openAiText,
    pieces: openAiPieces,
    message: openAiMessage,
  },
  {
    id: 'anthropic',
    path: () => '/ai/anthropic/v1/messages',
    body: (text, stream) => ({ max_tokens: 1000, ...chatBody(text, stream), model: 'svc-claude' }),
    credential: ['x-api-key', 'demo-key-1234'],
    text: (reply: { content: { text: string }[] }) => reply.content[0]?.text,
    pieces: sse((event: { delta?: { text?: string } }) => event.delta?.text),
    message: openAiMessage,
  },
  {
    id: 'gemini',
    path: stream =>
      `/ai/gemini/v1beta/models/svc-gemini:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: text => ({ contents: [{ parts: [{ text }] }] }),
    credential: ['x-goog-api-key', 'demo-key-1234'],
    text: (reply: { candidates: { content: { parts: { text: string }[] } }[] }) =>
      reply.candidates[0]?.content.parts[0]?.text,
    pieces: sse(
      (chunk: { candidates?: { content: { parts: { text: string }[] } }[] }) =>
        chunk.candidates?.[0]?.content.parts[0]?.text,
    ),
    message: openAiMessage,
  },
  {
    id: 'bedrock',
    path: stream => `/ai/bedrock/model/svc-claude/${stream ? 'converse-stream' : 'converse'}`,
    body: text => ({ messages: [{ role: 'user', content: [{ text }] }] }),
    credential: ['authorization', 'Bearer demo-key-1234'],
    text: (reply: { output: { message: { content: { text: string }[] } } }) => reply.output.message.content[0]?.text,
    pieces: bytes =>
      readAwsEvents(bytes).flatMap(({ data }) => (JSON.parse(data) as { delta?: { text?: string } }).delta?.text ?? []),
    message: (error: { message: string }) => error.message,
  },
  {
    id: 'ollama',
    path: () => '/ai/ollama/api/chat',
    body: (text, stream) => ({ ...chatBody(text, stream), model: 'llama3.2' }),
    credential: ['authorization', 'Bearer demo-key-1234'],
    text: (reply: { message: { content: string } }) => reply.message.content,
    pieces: bytes =>
      bytes
        .toString()
        .trim()
        .split('\n')
        .map(line => (JSON.parse(line) as { message?: { content: string } }).message?.content ?? '')
        .filter(piece => piece !== ''),
    message: (error: { error: string }) => error.error,
  },
  {
    id: 'cohere',
    path: () => '/ai/cohere/v2/chat',
    body: (text, stream) => ({ ...chatBody(text, stream), model: 'svc-command' }),
    credential: ['authorization', 'Bearer demo-key-1234'],
    text: (reply: { message: { content: { text: string }[] } }) => reply.message.content[0]?.text,
    pieces: sse(
      (event: { delta?: { message?: { content?: { text?: string } } } }) => event.delta?.message?.content?.text,
    ),
    message: (error: { message: string }) => error.message,
  },
]

export interface LlmAnswer {
  status: number
  headers: Headers
  bytes: Buffer
  /** The body as JSON. */
  json<T>(): T
}

export interface LlmAsk {
  text?: string
  stream?: boolean
  headers?: Record<string, string>
  /** Appended to the path: `?fail=429`. */
  query?: string
}

/** Requests text in a format, without delays between tokens. */
export async function askFormat(
  url: string,
  format: LlmFormat,
  { text = 'hello', stream = false, headers = {}, query }: LlmAsk = {},
): Promise<LlmAnswer> {
  const path = format.path(stream)
  const target = query === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`
  const response = await fetch(url + target, {
    method: 'POST',
    headers: { 'X-Svc-Tokens-Per-Second': '0', ...headers },
    body: JSON.stringify(format.body(text, stream)),
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  return { status: response.status, headers: response.headers, bytes, json: <T>() => JSON.parse(bytes.toString()) as T }
}
