/** The vendors' own clients at the level `enforce`: their loops are not refused, and their exceptions say what is. */
import t from 'tap'
import Anthropic, { BadRequestError as AnthropicBadRequest } from '@anthropic-ai/sdk'
import {
  BedrockRuntimeClient,
  ConverseCommand,
  ValidationException,
  type Message,
} from '@aws-sdk/client-bedrock-runtime'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { ApiError, GoogleGenAI, Type, type Content, type Part } from '@google/genai'
import OpenAI, { BadRequestError } from 'openai'
import { serveLlm } from '../support/llm-formats.ts'

const server = await serveLlm(t, { env: { SVC_AI_VALIDATION: 'enforce' } })
const options = { apiKey: 'sk-demo', maxRetries: 0 }

/** A client whose requests belong to a session. */
function openaiOf(session: string): OpenAI {
  return new OpenAI({
    ...options,
    baseURL: `${server.url}/s/${session}/ai/openai/v1`,
    defaultHeaders: { 'X-Svc-Tokens-Per-Second': '0' },
  })
}

function geminiOf(session: string): GoogleGenAI {
  return new GoogleGenAI({
    apiKey: options.apiKey,
    httpOptions: {
      baseUrl: `${server.url}/s/${session}/ai/gemini`,
      headers: { 'X-Svc-Tokens-Per-Second': '0' },
    },
  })
}

function anthropicOf(session: string): Anthropic {
  return new Anthropic({
    ...options,
    baseURL: `${server.url}/s/${session}/ai/anthropic`,
    defaultHeaders: { 'X-Svc-Tokens-Per-Second': '0' },
  })
}

const parameters = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}

/** The violations of the requests of a session, of which there are some. */
async function violationsOf(session: string): Promise<string[]> {
  const { requests } = (await (await fetch(`${server.url}/ai/requests?limit=200&session=${session}`)).json()) as {
    requests: { violations: string[] }[]
  }
  if (requests.length < 2) throw new Error(`the session ${session} has ${requests.length} requests`)
  return requests.flatMap(({ violations }) => violations)
}

t.test('openai: a conversation that is broken raises BadRequestError', async t => {
  const openai = openaiOf('broken')
  const error: unknown = await openai.chat.completions
    .create({ model: 'gpt-4.1', messages: [{ role: 'tool', tool_call_id: 'call_1', content: 'sunny' }] })
    .catch((thrown: unknown) => thrown)
  t.ok(error instanceof BadRequestError)
  t.match(error, {
    status: 400,
    type: 'invalid_request_error',
    param: 'messages.[0].role',
    message: /^400 Invalid parameter: messages with role 'tool' must be a response/,
  })
  const unknown: unknown = await openai.chat.completions
    .create({ model: 'gpt-4.1', messages: [{ role: 'user', content: 'hi' }], thinking: {} } as never)
    .catch((thrown: unknown) => thrown)
  t.match(unknown, { code: 'unknown_parameter', param: 'thinking' })
  const encrypted: unknown = await openai.responses
    .create({
      model: 'gpt-5',
      input: [
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'c29tZXRoaW5nIGVsc2U' },
        { role: 'assistant', content: 'hi' },
      ],
    })
    .catch((thrown: unknown) => thrown)
  t.ok(encrypted instanceof BadRequestError)
  t.match(encrypted, { code: 'invalid_encrypted_content' })
})

t.test('openai: runTools, streams and structured output are not refused [STR-44]', async t => {
  const openai = openaiOf('chat')
  const runner = openai.chat.completions.runTools({
    model: 'gpt-5',
    messages: [{ role: 'user', content: 'weather in Paris and in Rome?' }],
    tools: [
      {
        type: 'function',
        function: {
          name: 'get_weather',
          description: 'weather',
          parameters,
          parse: JSON.parse,
          function: () => 'sunny',
        },
      },
    ],
  })
  t.ok(await runner.finalContent())
  const final = await openai.chat.completions
    .stream({ model: 'gpt-5', messages: runner.messages.concat({ role: 'user', content: 'and now?' }) })
    .finalChatCompletion()
  t.ok(final.choices[0]?.message.content)
  await openai.chat.completions.parse({
    model: 'gpt-5',
    messages: [{ role: 'user', content: 'where?' }],
    response_format: { type: 'json_schema', json_schema: { name: 'place', strict: true, schema: parameters } },
  })
  t.strictSame(await violationsOf('chat'), [])
})

t.test('openai: responses with encrypted reasoning and tools are not refused', async t => {
  const openai = openaiOf('responses')
  const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'weather in Paris?' }]
  const tools: OpenAI.Responses.FunctionTool[] = [{ type: 'function', name: 'get_weather', strict: true, parameters }]
  for (let step = 0; step < 4; step++) {
    const response = await openai.responses.create({
      model: 'gpt-5',
      input,
      tools,
      store: false,
      include: ['reasoning.encrypted_content'],
      reasoning: { effort: 'low', summary: 'auto' },
    })
    input.push(...(response.output as OpenAI.Responses.ResponseInputItem[]))
    const calls = response.output.filter(item => item.type === 'function_call')
    if (step === 0) t.equal(calls.length, 1)
    for (const call of calls) input.push({ type: 'function_call_output', call_id: call.call_id, output: 'sunny' })
    if (calls.length === 0) input.push({ role: 'user', content: 'and tomorrow?' })
  }
  t.ok(input.some(item => item.type === 'reasoning'))
  t.strictSame(await violationsOf('responses'), [])
})

const weather = {
  name: 'get_weather',
  description: 'weather',
  input_schema: { ...parameters, type: 'object' as const },
}

t.test('anthropic: a lost result and a changed thought raise BadRequestError', async t => {
  const anthropic = anthropicOf('broken')
  const ask = (messages: Anthropic.MessageParam[]): Promise<unknown> =>
    anthropic.messages
      .create({ model: 'claude-sonnet-4-5', max_tokens: 4096, messages })
      .catch((thrown: unknown) => thrown)
  const use = { type: 'tool_use' as const, id: 'toolu_1', name: 'get_weather', input: {} }
  const lost = await ask([
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: [use] },
    { role: 'user', content: 'hello?' },
  ])
  t.ok(lost instanceof AnthropicBadRequest)
  t.match(lost, {
    status: 400,
    error: { error: { type: 'invalid_request_error', message: /^messages\.1: `tool_use` ids were found without/ } },
  })
  const foreign = await ask([
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm.', signature: 'ErcBCkgIBBABGAIi' }] },
    { role: 'user', content: 'hello?' },
  ])
  t.match(foreign, { error: { error: { message: 'messages.1.content.0: Invalid `signature` in `thinking` block' } } })
})

t.test('anthropic: thinking with tools over several turns, streamed and whole, is not refused', async t => {
  const anthropic = anthropicOf('messages')
  for (const [model, thinking] of [
    ['claude-sonnet-4-5', { type: 'enabled', budget_tokens: 1024 }],
    ['claude-opus-5-5', { type: 'adaptive' }],
    ['claude-opus-5-5', { type: 'adaptive', display: 'omitted' }],
  ] as const) {
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'weather in Paris?' }]
    let calls = 0
    for (let step = 0; step < 4; step++) {
      const request = { model, max_tokens: 4096, messages, thinking, tools: [weather] }
      const { content } =
        step % 2 === 0
          ? await anthropic.messages.stream(request).finalMessage()
          : await anthropic.messages.create(request)
      t.equal(content[0]?.type, 'thinking')
      messages.push({ role: 'assistant', content })
      const results = content.flatMap((block): Anthropic.ToolResultBlockParam[] =>
        block.type === 'tool_use' ? [{ type: 'tool_result', tool_use_id: block.id, content: 'sunny' }] : [],
      )
      calls += results.length
      messages.push({ role: 'user', content: results.length > 0 ? results : 'and tomorrow?' })
    }
    t.ok(calls > 0)
  }
  t.strictSame(await violationsOf('messages'), [])
})

t.test('anthropic: the tool runner is not refused', async t => {
  const anthropic = anthropicOf('runner')
  const final = await anthropic.beta.messages.toolRunner({
    model: 'claude-sonnet-4-5',
    max_tokens: 1024,
    messages: [{ role: 'user', content: 'weather in Paris?' }],
    tools: [{ ...weather, type: 'custom', parse: value => value, run: () => 'sunny' }],
  })
  t.equal(final.stop_reason, 'end_turn')
  t.strictSame(await violationsOf('runner'), [])
})

const declared = {
  name: 'get_weather',
  parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING } }, required: ['city'] },
}

t.test('gemini: a call without its thought signature raises ApiError', async t => {
  const gemini = geminiOf('broken')
  const error: unknown = await gemini.models
    .generateContent({
      model: 'gemini-3-pro-preview',
      contents: [
        { role: 'user', parts: [{ text: 'weather?' }] },
        { role: 'model', parts: [{ functionCall: { name: 'get_weather', args: {} } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'get_weather', response: {} } }] },
      ],
    })
    .catch((thrown: unknown) => thrown)
  t.ok(error instanceof ApiError)
  t.match(error, { status: 400, message: /missing a thought_signature/ })
})

t.test('gemini: chats with functions over several turns are not refused', async t => {
  const gemini = geminiOf('gemini')
  for (const [model, config] of [
    ['gemini-3-pro-preview', {}],
    ['gemini-2.5-flash', { thinkingConfig: { includeThoughts: true } }],
  ] as const) {
    const chat = gemini.chats.create({ model, config: { ...config, tools: [{ functionDeclarations: [declared] }] } })
    for (let turn = 0; turn < 2; turn++) {
      const { functionCalls = [] } = await chat.sendMessage({ message: 'weather in Paris?' })
      t.ok(functionCalls.length > 0)
      const parts = functionCalls.map(({ id, name }) => ({
        functionResponse: { ...(id === undefined ? {} : { id }), name: name!, response: { weather: 'sunny' } },
      }))
      let text = ''
      for await (const chunk of await chat.sendMessageStream({ message: parts })) text += chunk.text ?? ''
      t.ok(text)
    }
    const history: Content[] = chat.getHistory()
    t.ok(history.some(({ parts = [] }) => parts.some(({ thoughtSignature }) => thoughtSignature !== undefined)))
  }
  t.strictSame(await violationsOf('gemini'), [])
})

t.test('gemini: streams of thoughts and calls, sent back as they came, are not refused', async t => {
  const gemini = geminiOf('gemini-stream')
  for (const model of ['gemini-3-pro-preview', 'gemini-2.5-flash']) {
    const chat = gemini.chats.create({
      model,
      config: { thinkingConfig: { includeThoughts: true }, tools: [{ functionDeclarations: [declared] }] },
    })
    let message: string | Part[] = 'weather in Paris?'
    for (let turn = 0; turn < 3; turn++) {
      const calls: string[] = []
      for await (const chunk of await chat.sendMessageStream({ message }))
        calls.push(...(chunk.functionCalls ?? []).map(({ name }) => name!))
      message = calls.map(name => ({ functionResponse: { name, response: { weather: 'sunny' } } }))
      if (calls.length === 0) message = 'weather in Rome?'
    }
    const history: Content[] = chat.getHistory()
    const roles = history.map(
      ({ role, parts = [] }) => `${role}${parts.some(part => part.functionCall) ? ' calls' : ''}`,
    )
    t.ok(
      roles.some((role, index) => role === 'model calls' && roles[index - 1] === 'model'),
      'a thought, then the call',
    )
  }
  t.strictSame(await violationsOf('gemini-stream'), [])
})

function bedrockOf(session: string): BedrockRuntimeClient {
  return new BedrockRuntimeClient({
    endpoint: `${server.url}/s/${session}/ai/bedrock`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' },
    requestHandler: new NodeHttpHandler(),
    maxAttempts: 1,
  })
}

const CLAUDE = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'

t.test('bedrock: a conversation that is broken raises ValidationException', async t => {
  const bedrock = bedrockOf('broken')
  t.teardown(() => bedrock.destroy())
  const hi: Message = { role: 'user', content: [{ text: 'hi' }] }
  const error: unknown = await bedrock
    .send(new ConverseCommand({ modelId: CLAUDE, messages: [hi, hi] }))
    .catch((thrown: unknown) => thrown)
  t.ok(error instanceof ValidationException)
  t.match(error, { name: 'ValidationException', message: /^A conversation must alternate between user and assistant/ })
})

t.test('bedrock: a loop of Converse with thinking and tools is not refused', async t => {
  const bedrock = bedrockOf('converse')
  t.teardown(() => bedrock.destroy())
  const messages: Message[] = [{ role: 'user', content: [{ text: 'weather in Paris?' }] }]
  let calls = 0
  for (let step = 0; step < 3; step++) {
    const { output } = await bedrock.send(
      new ConverseCommand({
        modelId: CLAUDE,
        messages,
        inferenceConfig: { maxTokens: 4096 },
        additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 1024 } },
        toolConfig: {
          tools: [{ toolSpec: { name: 'get_weather', inputSchema: { json: parameters } } }],
        },
      }),
    )
    const message = output!.message!
    messages.push(message)
    const results = message.content!.flatMap(({ toolUse }) =>
      toolUse === undefined ? [] : [{ toolResult: { toolUseId: toolUse.toolUseId, content: [{ text: 'sunny' }] } }],
    )
    calls += results.length
    messages.push({ role: 'user', content: results.length > 0 ? results : [{ text: 'and tomorrow?' }] })
  }
  t.ok(calls > 0)
  t.strictSame(await violationsOf('converse'), [])
})
