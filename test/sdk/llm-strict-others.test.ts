/** Refusals that only some clients meet, as the vendors' own clients read them: Cohere, Ollama, Live, InvokeModel, Vertex AI. */
import t, { type Test } from 'tap'
import Anthropic, { APIError, BadRequestError } from '@anthropic-ai/sdk'
import {
  BedrockRuntimeClient,
  InvokeModelCommand,
  InvokeModelWithResponseStreamCommand,
  ValidationException,
} from '@aws-sdk/client-bedrock-runtime'
import { GoogleGenAI, Modality, Type, type LiveConnectConfig } from '@google/genai'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { Cohere, CohereClientV2 } from 'cohere-ai'
import { Ollama } from 'ollama'
import { serveLlm } from '../support/llm-formats.ts'

const server = await serveLlm(t, { env: { SVC_AI_VALIDATION: 'enforce', SVC_BODY_LIMIT: '67108864' } })

/** What a client throws; fails if it throws nothing. */
async function thrownBy(t: Test, call: () => Promise<unknown>): Promise<Error | undefined> {
  try {
    await call()
  } catch (error) {
    return error as Error
  }
  t.fail('nothing is thrown')
  return undefined
}

t.test('Cohere: results without calls, and calls without results', async t => {
  const client = new CohereClientV2({ environment: `${server.url}/ai/cohere`, token: 'co-key' })
  const also = (rule: string) => ({ headers: { 'X-Svc-Validation': `enforce; also=${rule}` }, maxRetries: 0 })
  const user = { role: 'user' as const, content: 'hello' }
  const call = { id: 'c1', type: 'function' as const, function: { name: 'look_up', arguments: '{}' } }
  const asked = { role: 'assistant' as const, toolPlan: 'look', toolCalls: [call] }
  const result = { role: 'tool' as const, toolCallId: 'c1', content: 'sunny' }
  for (const [rule, messages] of [
    ['cohere.tool-orphan', [user, result]],
    ['cohere.tool-unanswered', [user, asked, user]],
  ] as const) {
    const thrown = await thrownBy(t, () => client.chat({ model: 'command-r', messages: [...messages] }, also(rule)))
    t.ok(thrown instanceof Cohere.BadRequestError, rule)
    t.match(thrown, { statusCode: 400, body: { message: /^invalid request: / } })
  }
})

t.test('Ollama: types that Go does not unmarshal', async t => {
  const client = new Ollama({ host: `${server.url}/ai/ollama` })
  const call = { function: { name: 'look_up', arguments: '{}' as never } }
  for (const [message, error] of [
    [{ role: 'user', content: [{ type: 'text', text: 'hello' }] as never }, /^json: cannot unmarshal array into Go/],
    [{ role: 'assistant', content: '', tool_calls: [call] }, /^json: cannot unmarshal string into Go/],
    [{ role: 'user', content: 'hi', images: ['data:image/png;base64,AAAA'] }, /^illegal base64 data at input byte 4/],
  ] as const)
    t.match(await thrownBy(t, () => client.chat({ model: 'llama3.2', messages: [message as never] })), {
      name: 'ResponseError',
      status_code: 400,
      error,
    })
})

const hello = { max_tokens: 99, messages: [{ role: 'user' as const, content: 'hello' }] }

t.test('InvokeModel: members that Bedrock takes from the path, and rules of Claude in its words', async t => {
  const client = new BedrockRuntimeClient({
    region: 'us-east-1',
    endpoint: `${server.url}/ai/bedrock`,
    maxAttempts: 1,
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    requestHandler: new NodeHttpHandler(),
  })
  t.teardown(() => client.destroy())
  const modelId = 'anthropic.claude-opus-4-7-v1:0'
  for (const [more, message] of [
    [{ stream: true }, /^Malformed input request: #: extraneous key \[stream\] is not permitted/],
    [{ temperature: 0 }, '`temperature` is deprecated for this model.'],
  ] as const) {
    const body = JSON.stringify({ anthropic_version: 'bedrock-2023-05-31', ...hello, ...more })
    for (const send of [
      () => client.send(new InvokeModelCommand({ modelId, body })),
      () => client.send(new InvokeModelWithResponseStreamCommand({ modelId, body })),
    ]) {
      const thrown = await thrownBy(t, send)
      t.ok(thrown instanceof ValidationException)
      t.match(thrown, { name: 'ValidationException', message })
    }
  }
})

function anthropicWith(headers: Record<string, string | null> = {}): Anthropic {
  return new Anthropic({
    baseURL: `${server.url}/ai/anthropic`,
    apiKey: 'sk-demo',
    maxRetries: 0,
    defaultHeaders: { 'X-Svc-Tokens-Per-Second': '0', ...headers },
  })
}
const invalid = (message: string | RegExp): object => ({
  status: 400,
  error: { type: 'error', error: { type: 'invalid_request_error', message } },
})

t.test('Anthropic: no version, a conversation that is too large, and a model in the body of Vertex AI', async t => {
  const versionless = anthropicWith({ 'anthropic-version': null })
  const noVersion = await thrownBy(t, () => versionless.messages.create({ model: 'claude-sonnet-4-5', ...hello }))
  t.ok(noVersion instanceof BadRequestError)
  t.match(noVersion, invalid('anthropic-version: header is required'))

  const client = anthropicWith()
  const large = 'x'.repeat(33 * 1024 * 1024)
  const tooLarge = await thrownBy(t, () =>
    client.messages.create({ model: 'claude-sonnet-4-5', max_tokens: 9, messages: [{ role: 'user', content: large }] }),
  )
  t.ok(tooLarge instanceof APIError)
  t.match(tooLarge, {
    status: 413,
    error: { error: { type: 'request_too_large', message: 'Request exceeds the maximum size' } },
  })

  const path = '/v1/projects/p/locations/l/publishers/anthropic/models/claude-sonnet-4-5:rawPredict'
  const body = { anthropic_version: 'vertex-2023-10-16', ...hello }
  const reply = (await client.post(path, { body })) as Anthropic.Message
  t.equal(reply.stop_reason, 'end_turn')
  const named = await thrownBy(t, () => client.post(path, { body: { ...body, model: 'claude-sonnet-4-5' } }))
  t.ok(named instanceof BadRequestError)
  t.match(named, invalid('model: Extra inputs are not permitted'))
})

t.test('Anthropic: thinking is bound to the conversation', async t => {
  const client = anthropicWith()
  const common = { model: 'claude-opus-5-5', max_tokens: 4096, thinking: { type: 'adaptive' as const } }
  const first = await client.messages.create({ ...common, system: 'Be brief.', messages: hello.messages })
  t.equal(first.content[0]?.type, 'thinking')
  const messages: Anthropic.MessageParam[] = [
    ...hello.messages,
    { role: 'assistant', content: first.content },
    { role: 'user', content: 'and now?' },
  ]
  t.equal((await client.messages.create({ ...common, system: 'Be brief.', messages })).stop_reason, 'end_turn')
  const thrown = await thrownBy(t, () => client.messages.create({ ...common, system: 'Be long.', messages }))
  t.ok(thrown instanceof BadRequestError)
  t.match(thrown, invalid(/Invalid `signature` in `thinking` block\. The block is bound to a different conversation\./))
})

t.test('Gemini Live: the client is closed with the message', async t => {
  const client = new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: `${server.url}/ai/gemini` } })
  const declare = (response: object): LiveConnectConfig => ({
    responseModalities: [Modality.TEXT],
    tools: [{ functionDeclarations: [{ name: 'a', response }] }],
  })
  const closed = (config: LiveConnectConfig): Promise<{ code: number; reason: string }> =>
    new Promise((resolve, reject) => {
      void client.live
        .connect({
          model: 'svc-echo',
          config,
          callbacks: { onmessage: () => {}, onclose: resolve as (event: unknown) => void },
        })
        .catch(reject)
    })
  const member = { type: Type.OBJECT, properties: { a: { type: Type.STRING, const: 'x' } } }
  const refused: [LiveConnectConfig, RegExp][] = [
    [declare(member), /^Invalid JSON payload received\. Unknown name "const"/],
    // Lists of types do not leave the client.
    [{ responseModalities: [Modality.TEXT, Modality.AUDIO] }, /^Request contains an invalid argument\.$/],
  ]
  for (const [config, reason] of refused) {
    const { code, reason: text } = await closed(config)
    t.equal(code, 1007)
    t.match(text, reason)
  }
})
