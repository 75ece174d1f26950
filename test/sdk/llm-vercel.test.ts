/** The providers of the Vercel AI SDK, which validate every reply of the same formats. */
import t from 'tap'
import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createAzure } from '@ai-sdk/azure'
import { createCohere } from '@ai-sdk/cohere'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import {
  embed,
  generateObject,
  generateText,
  jsonSchema,
  stepCountIs,
  streamText,
  tool,
  type EmbeddingModel,
  type LanguageModel,
} from 'ai'
import { serveLlm } from '../support/llm-formats.ts'

// Its requests are not refused.
const server = await serveLlm(t, { env: { SVC_AI_VALIDATION: 'enforce' } })
const headers = { 'X-Svc-Tokens-Per-Second': '0' }
const ai = `${server.url}/ai`
const openai = createOpenAI({ baseURL: `${ai}/openai/v1`, apiKey: 'k', headers })
const azure = createAzure({ baseURL: `${ai}/azure/openai/v1`, apiKey: 'k', headers })
const anthropic = createAnthropic({ baseURL: `${ai}/anthropic/v1`, apiKey: 'k', headers })
const google = createGoogleGenerativeAI({ baseURL: `${ai}/gemini/v1beta`, apiKey: 'k', headers })
const bedrock = createAmazonBedrock({
  baseURL: `${ai}/bedrock`,
  region: 'us-east-1',
  accessKeyId: 'AKID',
  secretAccessKey: 's',
  headers,
})
const cohere = createCohere({ baseURL: `${ai}/cohere/v2`, apiKey: 'k', headers })

const models: [name: string, model: LanguageModel][] = [
  ['openai chat', openai.chat('svc-gpt')],
  ['openai responses', openai.responses('svc-gpt')],
  ['azure chat', azure.chat('svc-gpt')],
  ['azure responses', azure.responses('svc-gpt')],
  ['anthropic', anthropic('claude-sonnet-4-5')],
  ['google', google('gemini-2.5-flash')],
  ['bedrock', bedrock('anthropic.claude-sonnet-4-5-20250929-v1:0')],
  ['cohere', cohere('command-a-03-2025')],
]
const schema = jsonSchema<{ age: number }>({
  type: 'object',
  properties: { age: { type: 'integer' } },
  required: ['age'],
  additionalProperties: false,
})

for (const [name, model] of models) {
  t.test(`${name}: text, tools, a stream and an object [LLM-65]`, async t => {
    const whole = await generateText({ model, prompt: 'hello', maxRetries: 0 })
    t.match(whole.text, /^Hello! I'm svc.*today\?$/)
    t.equal(whole.finishReason, 'stop')
    t.equal(whole.usage.outputTokens, 45)

    const called: unknown[] = []
    const weather = tool({
      description: 'Current weather',
      inputSchema: jsonSchema<{ city: string }>({
        type: 'object',
        properties: { city: { type: 'string' } },
        required: ['city'],
      }),
      execute: async input => {
        called.push(input)
        return 'sunny'
      },
    })
    const answered = await generateText({
      model,
      prompt: 'what weather in Rome',
      tools: { weather },
      stopWhen: stepCountIs(3),
      maxRetries: 0,
    })
    t.same(called, [{ city: 'Rome' }])
    t.match(answered.text, /^Based on the tool results: weather returned .*sunny/)

    let text = ''
    const stream = streamText({
      model,
      prompt: 'hello',
      maxRetries: 0,
      onError: ({ error }) => void t.fail(String(error)),
    })
    for await (const piece of stream.textStream) text += piece
    t.equal(text, whole.text)
    t.equal((await stream.usage).outputTokens, 45)

    let toolText = ''
    const toolStream = streamText({
      model,
      prompt: 'what weather in Rome',
      tools: { weather },
      stopWhen: stepCountIs(3),
      maxRetries: 0,
      onError: ({ error }) => void t.fail(String(error)),
    })
    for await (const piece of toolStream.textStream) toolText += piece
    t.match(toolText, /weather returned/)

    const { object } = await generateObject({ model, prompt: 'hello', schema, maxRetries: 0 })
    t.same(object, { age: 30 })
  })
}

const embedders: [name: string, model: EmbeddingModel, size: number][] = [
  ['openai', openai.embedding('svc-embed'), 1536],
  ['azure', azure.embedding('text-embedding-3-small'), 1536],
  ['google', google.embedding('gemini-embedding-001'), 3072],
  ['bedrock', bedrock.embedding('amazon.titan-embed-text-v2:0'), 1024],
  ['cohere', cohere.embedding('embed-v4.0'), 1024],
]

t.test('embeddings of all providers that support them [LLM-65]', async t => {
  for (const [name, model, size] of embedders) {
    const { embedding, usage } = await embed({ model, value: 'hello world', maxRetries: 0 })
    t.equal(embedding.length, size, name)
    t.ok(usage.tokens === undefined || Number.isNaN(usage.tokens) || usage.tokens === 4, `${name} ${usage.tokens}`)
  }
})

t.test('responses continue their predecessor [LLMN-150]', async t => {
  const model = openai.responses('svc-echo')
  const first = await generateText({ model, prompt: 'My name is Ada', maxRetries: 0 })
  const { responseId } = first.providerMetadata!.openai as { responseId: string }
  const providerOptions = { openai: { previousResponseId: responseId } }
  const expected = 'user: My name is Ada\nassistant: user: My name is Ada\nuser: Who am I?'
  t.equal((await generateText({ model, prompt: 'Who am I?', providerOptions, maxRetries: 0 })).text, expected)
  const stream = streamText({ model, prompt: 'Who am I?', providerOptions, maxRetries: 0 })
  let text = ''
  for await (const piece of stream.textStream) text += piece
  t.equal(text, expected)
})

t.test('stream shapes of the first part make no difference [LLMN-10]', async t => {
  const read = async (shape: string): Promise<unknown> => {
    const shaped = { baseURL: `${ai}/openai/v1`, apiKey: 'k', headers: { ...headers, 'X-Svc-Stream-Shape': shape } }
    const claude = { ...shaped, baseURL: `${ai}/anthropic/v1` }
    const texts: unknown[] = []
    for (const model of [
      createOpenAI(shaped).chat('svc-echo'),
      createOpenAI(shaped).responses('svc-echo'),
      createAnthropic(claude)('claude-echo'),
    ]) {
      const stream = streamText({ model, prompt: 'grüße 🐢', maxRetries: 0 })
      let text = ''
      for await (const piece of stream.textStream) text += piece
      texts.push(text, await stream.finishReason, (await stream.usage).outputTokens)
    }
    return texts
  }
  const plain = await read('')
  for (const shape of [
    'split=utf8',
    'split=line',
    'split=byte',
    'join=7',
    'crlf, bom',
    'cr, nospace',
    'multiline',
    'comments=ping@2, retry=5, eventid',
  ])
    t.same(await read(shape), plain, shape)
})
