/** Errors within streams: the official SDK of each format reports them, and none takes the beginning of a text for the whole. */
import t from 'tap'
import Anthropic, { APIError as AnthropicError } from '@anthropic-ai/sdk'
import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createAzure } from '@ai-sdk/azure'
import { createCohere } from '@ai-sdk/cohere'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import {
  BedrockRuntimeClient,
  ConverseStreamCommand,
  InvokeModelWithResponseStreamCommand,
} from '@aws-sdk/client-bedrock-runtime'
import { ApiError, GoogleGenAI } from '@google/genai'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { streamText, type LanguageModel } from 'ai'
import { CohereClient, CohereClientV2 } from 'cohere-ai'
import { Ollama } from 'ollama'
import OpenAI, { APIError, AzureOpenAI } from 'openai'
import { ResponsesWS } from 'openai/resources/responses/ws'
import { readSse } from '../support/event-stream.ts'
import { serveLlm } from '../support/llm-formats.ts'

const server = await serveLlm(t)
const ai = `${server.url}/ai`
const failing = { 'X-Svc-Tokens-Per-Second': '0', 'X-Svc-Fail': 'stream_error@2' }
const messages = [{ role: 'user' as const, content: 'hello' }]
const SIMULATED = /\(simulated\)/
const openai = new OpenAI({ baseURL: `${ai}/openai/v1`, apiKey: 'k', maxRetries: 0, defaultHeaders: failing })

interface Read {
  events: number
  error: unknown
}

async function read(events: Promise<AsyncIterable<unknown>> | AsyncIterable<unknown>): Promise<Read> {
  let count = 0
  try {
    for await (const _ of await events) count += 1
  } catch (error) {
    return { events: count, error }
  }
  return { events: count, error: null }
}

t.test('openai raises an APIError for each of its streams [LLM-24]', async t => {
  const file = new File(['x'.repeat(100)], 'a.wav')
  const azure = new AzureOpenAI({
    endpoint: `${ai}/azure`,
    apiVersion: '2024-10-21',
    apiKey: 'k',
    maxRetries: 0,
    defaultHeaders: failing,
  })
  const streams: Record<string, Promise<AsyncIterable<unknown>> | AsyncIterable<unknown>> = {
    chat: openai.chat.completions.create({ model: 'svc-gpt', messages, stream: true }),
    completions: openai.completions.create({ model: 'svc-gpt', prompt: 'hello', stream: true }),
    responses: openai.responses.create({ model: 'svc-gpt', input: 'hello', stream: true }),
    'responses.stream': openai.responses.stream({ model: 'svc-gpt', input: 'hello' }),
    azure: azure.chat.completions.create({ model: 'svc-gpt', messages, stream: true }),
    transcription: openai.audio.transcriptions.create({ model: 'whisper-1', file, stream: true }),
  }
  for (const [name, stream] of Object.entries(streams)) {
    const { events, error } = await read(stream)
    t.ok(error instanceof APIError, `${name}: ${String(error)}`)
    t.match((error as APIError).message, SIMULATED, name)
    t.ok(events > 0, `${name}: after ${events} events`)
  }
})

t.test('the error event of responses has the next number, and both shapes [LLM-24]', async t => {
  const ask = async (fail: string): Promise<Record<string, unknown>[]> => {
    const response = await fetch(`${ai}/openai/v1/responses`, {
      method: 'POST',
      headers: { ...failing, 'X-Svc-Fail': fail },
      body: JSON.stringify({ input: 'hello', stream: true }),
    })
    return readSse(await response.text()).map(({ data }) => JSON.parse(data) as Record<string, unknown>)
  }
  for (const fail of ['stream_error@0', 'stream_error@2', 'stream_error@45']) {
    const events = await ask(fail)
    t.same(
      events.map(event => event.sequence_number),
      events.map((_, index) => index),
      fail,
    )
    const problem = { code: 'server_error', message: SIMULATED, param: null }
    t.match(events.at(-1), { type: 'error', ...problem, error: { type: 'server_error', ...problem } })
  }
  const socket = new ResponsesWS(openai, { headers: failing })
  const [error, event] = await new Promise<[unknown, { sequence_number?: number } | null]>(resolve => {
    let last: { sequence_number?: number } | null = null
    socket.on('event', sent => {
      last = sent as { sequence_number?: number }
      if (sent.type === 'response.completed') resolve([null, last])
    })
    socket.on('error', given => resolve([given, last]))
    socket.send({ type: 'response.create', model: 'svc-gpt', input: 'hello' })
  })
  t.match(String(error), SIMULATED)
  t.ok(event?.sequence_number, 'it follows other events')
  socket.close()
})

t.test('the SDKs of the other vendors raise their errors [LLM-24]', async t => {
  const anthropic = new Anthropic({ baseURL: `${ai}/anthropic`, apiKey: 'k', maxRetries: 0, defaultHeaders: failing })
  const message = await read(
    anthropic.messages.create({ model: 'claude-opus-5-5', max_tokens: 99, messages, stream: true }),
  )
  t.ok(message.error instanceof AnthropicError, String(message.error))
  await t.rejects(
    anthropic.messages.stream({ model: 'claude-opus-5-5', max_tokens: 99, messages }).finalMessage(),
    SIMULATED,
  )

  const google = new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: `${ai}/gemini`, headers: failing } })
  const content = await read(google.models.generateContentStream({ model: 'gemini-2.5-flash', contents: 'hello' }))
  t.ok(content.error instanceof ApiError, String(content.error))
  t.match(content.error, { status: 500, message: SIMULATED })

  const bedrock = new BedrockRuntimeClient({
    endpoint: `${ai}/bedrock`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' },
    requestHandler: new NodeHttpHandler(),
    maxAttempts: 1,
  })
  bedrock.middlewareStack.add(
    next => args => {
      Object.assign((args.request as { headers: object }).headers, failing)
      return next(args)
    },
    { step: 'build' },
  )
  const modelId = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'
  const converse = await bedrock.send(
    new ConverseStreamCommand({ modelId, messages: [{ role: 'user', content: [{ text: 'hello' }] }] }),
  )
  t.match((await read(converse.stream!)).error, { name: 'InternalServerException', message: SIMULATED })
  const invoked = await bedrock.send(
    new InvokeModelWithResponseStreamCommand({
      modelId,
      body: JSON.stringify({ anthropic_version: 'bedrock-2023-05-31', max_tokens: 99, messages }),
    }),
  )
  t.match((await read(invoked.body!)).error, { name: 'InternalServerException', message: SIMULATED })
  bedrock.destroy()

  const ollama = new Ollama({ host: `${ai}/ollama`, headers: failing })
  t.match((await read(ollama.chat({ model: 'llama3.2', messages, stream: true }))).error, { message: SIMULATED })
  t.match((await read(ollama.generate({ model: 'llama3.2', prompt: 'hello', stream: true }))).error, {
    message: SIMULATED,
  })
})

t.test("Cohere's streams end with an event that has the error [LLM-24]", async t => {
  const options = { environment: `${ai}/cohere`, token: 'k' }
  const sending = { headers: failing, maxRetries: 0 }
  const events: { type: string }[] = []
  for await (const event of await new CohereClientV2(options).chatStream({ model: 'svc-command', messages }, sending))
    events.push(event)
  t.match(events.at(-1), { type: 'message-end', delta: { finishReason: 'ERROR', error: SIMULATED } })
  const older: object[] = []
  for await (const event of await new CohereClient(options).chatStream({ message: 'hello' }, sending)) older.push(event)
  t.match(older.at(-1), { eventType: 'stream-end', finishReason: 'ERROR' })
})

t.test('the Vercel AI SDK reports the error of each provider [LLM-24]', async t => {
  const options = { apiKey: 'k', headers: failing }
  const azure = createAzure({ ...options, baseURL: `${ai}/azure/openai/v1` })
  const models: Record<string, LanguageModel> = {
    chat: createOpenAI({ ...options, baseURL: `${ai}/openai/v1` }).chat('svc-gpt'),
    responses: createOpenAI({ ...options, baseURL: `${ai}/openai/v1` }).responses('svc-gpt'),
    'azure chat': azure.chat('svc-gpt'),
    'azure responses': azure.responses('svc-gpt'),
    anthropic: createAnthropic({ ...options, baseURL: `${ai}/anthropic/v1` })('claude-sonnet-4-5'),
    bedrock: createAmazonBedrock({ ...options, baseURL: `${ai}/bedrock`, region: 'us-east-1' })('amazon.nova-pro-v1:0'),
  }
  for (const [name, model] of Object.entries(models)) {
    const errors: unknown[] = []
    const { fullStream } = streamText({
      model,
      prompt: 'hello',
      maxRetries: 0,
      onError: ({ error }) => void errors.push(error),
    })
    const finish: unknown[] = []
    for await (const part of fullStream) if (part.type === 'finish') finish.push(part.finishReason)
    t.ok(errors.length > 0 || finish[0] === 'error', `${name}: ${String(errors[0])}, ${String(finish[0])}`)
  }
  const google = createGoogleGenerativeAI({ ...options, baseURL: `${ai}/gemini/v1beta` })('gemini-2.5-flash')
  const cohere = createCohere({ ...options, baseURL: `${ai}/cohere/v2` })('command-a-03-2025')
  for (const [name, model] of Object.entries({ google, cohere })) {
    const seen: unknown[] = []
    const { fullStream } = streamText({
      model,
      prompt: 'hello',
      maxRetries: 0,
      onError: ({ error }) => void seen.push(error),
    })
    for await (const part of fullStream) if (part.type === 'finish') seen.push(part.finishReason)
    t.notMatch(seen, ['stop'], `${name}: ${seen.map(String).join()}`)
  }
})
