/**
 * Replies and stream events against the vendors' own types: what the mock really answers is written down as
 * TypeScript and compiled. A required field that is missing, in our reply or since a vendor's last release, fails here.
 */
import t from 'tap'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readAwsEvents, readSse } from '../support/event-stream.ts'
import { serveLlm } from '../support/llm-formats.ts'

const server = await serveLlm(t)
const root = join(import.meta.dirname, '../..')

interface Sample {
  type: string
  value: unknown
}

async function post(path: string, body: object | FormData): Promise<Response> {
  const answer = await fetch(`${server.url}/ai${path}`, {
    method: 'POST',
    headers: { 'X-Svc-Tokens-Per-Second': '0' },
    body: body instanceof FormData ? body : JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return answer
}

const json = async (path: string, body?: object | FormData): Promise<unknown> =>
  (body === undefined ? await fetch(`${server.url}/ai${path}`) : await post(path, body)).json()
const sse = async (path: string, body: object | FormData): Promise<unknown[]> =>
  readSse(await (await post(path, body)).text())
    .filter(({ data }) => data !== '[DONE]')
    .map(({ data }) => JSON.parse(data))
const aws = async (path: string, body: object): Promise<object[]> =>
  readAwsEvents(Buffer.from(await (await post(path, body)).arrayBuffer())).map(({ event, data }) => ({
    [event]: JSON.parse(data),
  }))
const lines = async (path: string, body: object): Promise<unknown[]> =>
  (await (await post(path, body)).text())
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))

const hello = [{ role: 'user', content: 'hello' }]
const ask = [{ role: 'user', content: 'weather in Rome' }]
const parameters = { type: 'object', properties: { city: { type: 'string' } } }
const fn = { name: 'get_weather', description: 'Current weather', parameters }

const all = (type: string, values: unknown[]): Sample[] => values.map(value => ({ type, value }))
const one = (type: string, value: unknown): Sample[] => [{ type, value }]

function audio(fields: Record<string, string> = {}): FormData {
  const form = new FormData()
  form.set('file', new Blob(['x']), 'a.wav')
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return form
}

async function openai(): Promise<Sample[]> {
  const chat = '/v1/chat/completions'
  const tools = [{ type: 'function', function: fn }]
  const responses = [
    { input: 'hello', reasoning: { summary: 'auto' } },
    { input: 'weather in Rome', tools: [{ type: 'function', ...fn, strict: false }] },
    { input: 'hello', max_output_tokens: 2 },
  ]
  return [
    ...one('OpenAI.ChatCompletion', await json(chat, { messages: hello, logprobs: true, top_logprobs: 2, n: 2 })),
    ...one('OpenAI.ChatCompletion', await json(chat, { messages: ask, tools })),
    ...all(
      'OpenAI.ChatCompletionChunk',
      await sse(chat, { messages: hello, stream: true, logprobs: true, stream_options: { include_usage: true } }),
    ),
    ...all('OpenAI.ChatCompletionChunk', await sse(chat, { messages: ask, tools, stream: true })),
    ...one('OpenAI.Completion', await json('/v1/completions', { prompt: 'hello' })),
    ...all('Running', await sse('/v1/completions', { prompt: 'hello', stream: true })),
    ...(
      await Promise.all(
        responses.map(async body => [
          ...one("Omit<OpenAI.Responses.Response, 'output_text'>", await json('/v1/responses', body)),
          ...all('Event<OpenAI.Responses.ResponseStreamEvent>', await sse('/v1/responses', { ...body, stream: true })),
        ]),
      )
    ).flat(),
    ...one('OpenAI.CreateEmbeddingResponse', await json('/v1/embeddings', { input: 'x', dimensions: 3 })),
    ...one('OpenAI.Model', await json('/v1/models/gpt-4o')),
    ...one('OpenAI.ModerationCreateResponse', await json('/v1/moderations', { input: 'I hate it' })),
    ...one('OpenAI.ImagesResponse', await json('/v1/images/generations', { prompt: 'x' })),
    ...one('OpenAI.Audio.Transcription', await json('/v1/audio/transcriptions', audio())),
    ...one(
      'OpenAI.Audio.TranscriptionVerbose',
      await json(
        '/v1/audio/transcriptions',
        audio({ response_format: 'verbose_json', 'timestamp_granularities[]': 'word' }),
      ),
    ),
    ...all('OpenAI.Audio.TranscriptionStreamEvent', await sse('/v1/audio/transcriptions', audio({ stream: 'true' }))),
  ]
}

/** The types require `citations`, but validating clients reject it: the only field that this test adds. */
function withCitations(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withCitations)
  if (typeof value !== 'object' || value === null) return value
  const copy = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withCitations(item)]))
  return copy.type === 'text' ? { ...copy, citations: null } : copy
}

async function anthropic(): Promise<Sample[]> {
  const path = '/anthropic/v1/messages'
  const bodies = [
    { max_tokens: 99, messages: hello, thinking: { type: 'adaptive' } },
    { max_tokens: 99, messages: ask, tools: [{ name: 'get_weather', input_schema: parameters }] },
  ]
  const samples = await Promise.all(
    bodies.map(async body => [
      ...one('Anthropic.Message', await json(path, body)),
      ...all(
        'Anthropic.RawMessageStreamEvent',
        (await sse(path, { ...body, stream: true })).filter(event => (event as { type: string }).type !== 'ping'),
      ),
    ]),
  )
  return [
    ...samples.flat().map(({ type, value }) => ({ type, value: withCitations(value) })),
    ...one('Anthropic.MessageTokensCount', await json(`${path}/count_tokens`, { messages: hello })),
    ...one('Anthropic.ModelInfo', await json('/anthropic/v1/models/svc-claude')),
    ...one(
      'Anthropic.ErrorResponse',
      await (await fetch(`${server.url}/ai${path}?fail=rate_limit`, { method: 'POST' })).json(),
    ),
  ]
}

async function gemini(): Promise<Sample[]> {
  const model = '/gemini/v1beta/models/svc-gemini'
  const body = {
    contents: [{ parts: [{ text: 'hello' }] }],
    generationConfig: { thinkingConfig: { includeThoughts: true } },
  }
  const call = { contents: [{ parts: [{ text: 'weather' }] }], tools: [{ functionDeclarations: [fn] }] }
  return [
    ...one('Reply', await json(`${model}:generateContent`, body)),
    ...one('Reply', await json(`${model}:generateContent`, call)),
    ...one('Reply', await json(`${model}:generateContent?fail=prompt_filter`, body)),
    ...all('Reply', await sse(`${model}:streamGenerateContent?alt=sse`, body)),
    ...one(
      'Gemini.ContentEmbedding[]',
      (
        (await json(`${model}:batchEmbedContents`, {
          requests: [{ content: body.contents[0], outputDimensionality: 2 }],
        })) as { embeddings: unknown }
      ).embeddings,
    ),
  ]
}

async function bedrock(): Promise<Sample[]> {
  const model = '/bedrock/model/x'
  const body = {
    messages: [{ role: 'user', content: [{ text: 'hello' }] }],
    additionalModelRequestFields: { thinking: { type: 'enabled' } },
  }
  const call = {
    messages: [{ role: 'user', content: [{ text: 'weather' }] }],
    toolConfig: { tools: [{ toolSpec: { name: 'get_weather', inputSchema: { json: parameters } } }] },
  }
  return [
    ...one('Bedrock.ConverseResponse', await json(`${model}/converse`, body)),
    ...one('Bedrock.ConverseResponse', await json(`${model}/converse`, call)),
    ...all('Bedrock.ConverseStreamOutput', await aws(`${model}/converse-stream`, body)),
    ...all('Bedrock.ConverseStreamOutput', await aws(`${model}/converse-stream`, call)),
    ...one('Bedrock.CountTokensResponse', await json(`${model}/count-tokens`, { input: { converse: body } })),
  ]
}

async function ollama(): Promise<Sample[]> {
  const call = { model: 'llama3.2', messages: ask, tools: [{ type: 'function', function: fn }] }
  return [
    ...one(
      'Whole<Ollama.ChatResponse>',
      await json('/ollama/api/chat', { model: 'llama3.2', messages: hello, stream: false, think: true }),
    ),
    ...one('Whole<Ollama.ChatResponse>', await json('/ollama/api/chat', { ...call, stream: false })),
    ...all('Line<Ollama.ChatResponse>', await lines('/ollama/api/chat', call)),
    ...one(
      'Whole<Ollama.GenerateResponse>',
      await json('/ollama/api/generate', { model: 'llama3.2', prompt: 'hello', stream: false }),
    ),
    ...all(
      'Line<Ollama.GenerateResponse>',
      await lines('/ollama/api/generate', { model: 'llama3.2', prompt: 'hello' }),
    ),
    ...one('Ollama.EmbedResponse', await json('/ollama/api/embed', { model: 'x', input: 'a', dimensions: 2 })),
    ...one('Ollama.EmbeddingsResponse', { embedding: [1] }),
  ]
}

/** The package renames all fields before it applies its types. */
function camel(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camel)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key.replace(/_([a-z])/g, (_whole, letter: string) => letter.toUpperCase()),
      camel(item),
    ]),
  )
}

async function cohere(): Promise<Sample[]> {
  const chat = '/cohere/v2/chat'
  const tools = [{ type: 'function', function: fn }]
  const samples = [
    ...one('Cohere.V2ChatResponse', await json(chat, { model: 'x', messages: hello, thinking: { type: 'enabled' } })),
    ...one('Cohere.V2ChatResponse', await json(chat, { model: 'x', messages: ask, tools })),
    ...all('Cohere.V2ChatStreamResponse', await sse(chat, { model: 'x', messages: hello, stream: true })),
    ...all('Cohere.V2ChatStreamResponse', await sse(chat, { model: 'x', messages: ask, tools, stream: true })),
    ...one(
      "Omit<Cohere.EmbedByTypeResponse, 'responseType'>",
      await json('/cohere/v2/embed', { texts: ['x'], embedding_types: ['float', 'int8'], output_dimension: 2 }),
    ),
    ...one('Cohere.V2RerankResponse', await json('/cohere/v2/rerank', { query: 'x', documents: ['x'] })),
    ...one('Cohere.TokenizeResponse', await json('/cohere/v1/tokenize', { text: 'x' })),
    ...one('Cohere.ListModelsResponse', await json('/cohere/v1/models')),
  ]
  return samples.map(({ type, value }) => ({ type, value: camel(value) }))
}

const head = `import type OpenAI from 'openai'
import type Anthropic from '@anthropic-ai/sdk'
import type * as Gemini from '@google/genai'
import type * as Bedrock from '@aws-sdk/client-bedrock-runtime'
import type * as Ollama from 'ollama'
import type { Cohere } from 'cohere-ai'
/** Literals are read-only and may have more fields; the vendors' servers also send null for optional fields. */
type Deep<T> = T extends string ? \`\${T}\` : T extends readonly (infer U)[] ? readonly Deep<U>[] : T extends object ? { readonly [K in keyof T]: Deep<T[K]> | (undefined extends T[K] ? null : never) } : T
/** Getters of the class are not fields. */
type Reply = Omit<Gemini.GenerateContentResponse, 'text' | 'data' | 'functionCalls' | 'executableCode' | 'codeExecutionResult' | 'initialPromptTokenCount'>
/** The package adds \`output_text\` to responses. */
type Event<T> = T extends { response: OpenAI.Responses.Response } ? Omit<T, 'response'> & { response: Omit<OpenAI.Responses.Response, 'output_text'> } : T
/** Declared as a date, sent as text; the last line has the metrics. */
type Whole<T> = Omit<T, 'created_at'> & { created_at: string }
type Line<T> = { [K in keyof Whole<T> as K extends 'model' | 'created_at' | 'done' | 'message' | 'response' ? K : never]: Whole<T>[K] }
/** The chunks of a stream have no finish reason, although their type requires one. */
type Running = Omit<OpenAI.Completion, 'choices'> & { choices: (Omit<OpenAI.CompletionChoice, 'finish_reason'> & { finish_reason: OpenAI.CompletionChoice['finish_reason'] | null })[] }
`

/** The type errors of the samples. */
function compile(samples: readonly Sample[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-types-'))
  try {
    symlinkSync(join(root, 'test', 'sdk', 'node_modules'), join(folder, 'node_modules'))
    const body = samples.map(
      ({ type, value }, i) =>
        `const v${i} = ${JSON.stringify(value)} as const\nexport const c${i}: Deep<${type}> = v${i}\n`,
    )
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    writeFileSync(join(folder, 'samples.ts'), head + body.join(''))
    const run = spawnSync(
      process.execPath,
      [
        join(root, 'node_modules/typescript/bin/tsc'),
        '--noEmit',
        '--strict',
        '--skipLibCheck',
        '--target',
        'es2023',
        '--lib',
        'es2023,dom',
        '--module',
        'nodenext',
        '--types',
        'node',
        'samples.ts',
      ],
      { cwd: folder, encoding: 'utf8' },
    )
    return run.status === 0 ? '' : `${run.stdout}${run.stderr}` || `status ${run.status}`
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

t.test('every reply and every kind of stream event has the type that its package declares [LLM-66]', async t => {
  const samples = (await Promise.all([openai(), anthropic(), gemini(), bedrock(), ollama(), cohere()])).flat()
  const different = [...new Map(samples.map(sample => [sample.type + shapeOf(sample.value), sample])).values()]
  t.ok(different.length > 60, `${different.length} shapes`)
  t.equal(compile(different), '')
  const [chat] = different
  const { id: _gone, ...rest } = (chat as Sample).value as Record<string, unknown>
  t.match(compile([{ type: 'OpenAI.ChatCompletion', value: rest }]), /'id' is missing/, 'a missing field is detected')
})

/** Keys and types of a value: deltas that differ only in their text are one sample. */
function shapeOf(value: unknown): string {
  if (Array.isArray(value)) return `[${[...new Set(value.map(shapeOf))].join()}]`
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value
  return `{${Object.entries(value)
    .map(([key, item]) => `${key}:${key === 'type' ? String(item) : shapeOf(item)}`)
    .join()}}`
}
