/** The official `cohere-ai` package against the mock. */
import t from 'tap'
import { CohereClient, CohereClientV2, CohereError } from 'cohere-ai'
import { serveLlm } from '../support/llm-formats.ts'

const server = await serveLlm(t)
const options = { environment: `${server.url}/ai/cohere`, token: 'co-key-4321' }
const client = new CohereClientV2(options)
const messages = [{ role: 'user' as const, content: 'hello' }]
const fast = { headers: { 'X-Svc-Tokens-Per-Second': '0' }, maxRetries: 0 }
const greeting = /^Hello! I'm svc.*today\?$/
const tools = [
  {
    type: 'function' as const,
    function: {
      name: 'get_weather',
      description: 'Current weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
    },
  },
]

t.test('chat with and without streaming, with tools and schemas [LLM-64]', async t => {
  const whole = await client.chat({ model: 'svc-command', messages }, fast)
  t.match(whole, {
    finishReason: 'COMPLETE',
    message: { content: [{ type: 'text', text: greeting }] },
    usage: { tokens: { inputTokens: 4, outputTokens: 45 } },
  })
  const types: string[] = []
  let text = ''
  for await (const event of await client.chatStream({ model: 'svc-command', messages }, fast)) {
    if (types.at(-1) !== event.type) types.push(event.type)
    if (event.type === 'content-delta') text += event.delta?.message?.content?.text ?? ''
    if (event.type === 'message-end')
      t.match(event.delta, { finishReason: 'COMPLETE', usage: { tokens: { outputTokens: 45 } } })
  }
  t.same(types, ['message-start', 'content-start', 'content-delta', 'content-end', 'message-end'])
  t.match(text, greeting)
  const question = [{ role: 'user' as const, content: 'weather in Rome' }]
  const asked = await client.chat({ model: 'svc-command', messages: question, tools }, fast)
  const [call] = asked.message.toolCalls ?? []
  t.match(asked, { finishReason: 'TOOL_CALL', message: { toolPlan: 'I will use the get_weather tool to answer.' } })
  t.match(call, { type: 'function', function: { name: 'get_weather', arguments: '{"city":"Rome"}' } })
  let streamedArguments = ''
  const toolTypes: string[] = []
  for await (const event of await client.chatStream({ model: 'svc-command', messages: question, tools }, fast)) {
    if (toolTypes.at(-1) !== event.type) toolTypes.push(event.type)
    if (event.type === 'tool-call-delta')
      streamedArguments += event.delta?.message?.toolCalls?.function?.arguments ?? ''
  }
  t.same(toolTypes, [
    'message-start',
    'tool-plan-delta',
    'tool-call-start',
    'tool-call-delta',
    'tool-call-end',
    'message-end',
  ])
  t.equal(streamedArguments, '{"city":"Rome"}')
  const answered = await client.chat(
    {
      model: 'svc-command',
      tools,
      messages: [
        ...question,
        { role: 'assistant', toolCalls: asked.message.toolCalls },
        { role: 'tool', toolCallId: call?.id ?? '', content: 'rainy' },
      ],
    },
    fast,
  )
  t.match(answered.message.content, [{ text: /get_weather returned rainy/ }])
  const shaped = await client.chat(
    {
      model: 'svc-command',
      messages,
      responseFormat: { type: 'json_object', jsonSchema: { type: 'object', properties: { age: { type: 'integer' } } } },
    },
    fast,
  )
  t.match(shaped.message.content, [{ text: '{"age":30}' }])
})

t.test('embeddings in all number formats [LLM-64]', async t => {
  const { embeddings } = await client.embed({
    model: 'svc-embed',
    texts: ['hello'],
    inputType: 'search_document',
    embeddingTypes: ['float', 'int8', 'uint8', 'binary', 'ubinary'],
    outputDimension: 256,
  })
  const floats = embeddings.float?.[0] ?? []
  t.equal(floats.length, 256)
  t.same(
    embeddings.int8?.[0],
    floats.map(value => Math.round(value * 127)),
  )
  t.same(
    embeddings.uint8?.[0],
    floats.map(value => Math.round(127.5 * (value + 1))),
  )
  t.equal(embeddings.ubinary?.[0]?.length, 32)
  t.same(
    embeddings.binary?.[0],
    embeddings.ubinary?.[0]?.map(byte => byte - 128),
  )
  t.match(await new CohereClient(options).embed({ texts: ['hello'], model: 'svc-embed' }), {
    responseType: 'embeddings_floats',
  })
})

t.test('rerank, models, tokens, key check [LLM-64]', async t => {
  const { results } = await client.rerank({
    model: 'svc-rerank',
    query: 'capital of France',
    documents: ['bananas', 'Paris is the capital of France'],
    topN: 1,
  })
  t.match(results, [{ index: 1, relevanceScore: Number }])
  const old = new CohereClient(options)
  const all = (await old.models.list()).models
  t.equal(all.length, 10)
  const page = await old.models.list({ pageSize: 7 })
  const rest = await old.models.list({ pageSize: 7, pageToken: page.nextPageToken })
  t.same([...page.models, ...rest.models], all, 'two pages contain all models')
  t.equal(rest.nextPageToken, undefined)
  t.same(
    (await old.models.list({ endpoint: 'rerank' })).models.map(model => model.name),
    ['svc-rerank', 'rerank-v3.5'],
  )
  for (const query of ['page_size=0', 'page_size=x', 'page_size=1001', 'page_token=x'])
    t.equal((await fetch(`${server.url}/ai/cohere/v1/models?${query}`)).status, 400, query)
  t.match(await old.tokenize({ model: 'svc-command', text: 'hello world' }), {
    tokenStrings: ['hell', 'o', ' worl', 'd'],
  })
  t.equal((await old.checkApiKey()).valid, true)
  const jina = await fetch(`${server.url}/ai/v1/rerank`, {
    method: 'POST',
    body: JSON.stringify({
      model: 'jina',
      query: 'a b',
      documents: [{ text: 'b' }, { text: 'a b' }],
      return_documents: true,
    }),
  })
  t.equal(jina.headers.get('x-svc-provider'), 'cohere')
  t.match(await jina.json(), { results: [{ index: 1, document: { text: 'a b' } }, { index: 0 }] })
})

t.test('errors have an id and a message [LLM-64]', async t => {
  const error = await client
    .chat({ model: 'svc-command', messages }, { ...fast, headers: { 'X-Svc-Fail': 'context' } })
    .catch((thrown: unknown) => thrown)
  t.ok(error instanceof CohereError)
  t.match(error, { statusCode: 400, body: { id: /-/, message: /too many tokens.*\(simulated\)$/ } })
})

t.test('chat v1: history, tool definitions, results, streams as JSON lines and as events [LLM-64]', async t => {
  const old = new CohereClient(options)
  const whole = await old.chat(
    {
      message: 'hello',
      preamble: 'be kind',
      chatHistory: [
        { role: 'USER', message: 'one' },
        { role: 'CHATBOT', message: 'two' },
      ],
    },
    fast,
  )
  t.match(whole, {
    text: greeting,
    finishReason: 'COMPLETE',
    generationId: /^[0-9a-f-]{36}$/,
    meta: { billedUnits: { outputTokens: 45 } },
  })
  t.match(whole.chatHistory, [
    { role: 'USER', message: 'one' },
    { role: 'CHATBOT', message: 'two' },
    { role: 'USER', message: 'hello' },
    { role: 'CHATBOT', message: greeting },
  ])
  t.equal(
    (
      await old.chat(
        { model: 'svc-echo', message: 'hello', preamble: 'be kind', chatHistory: [{ role: 'USER', message: 'one' }] },
        fast,
      )
    ).text,
    'system: be kind\nuser: one\nuser: hello',
  )
  t.match(await old.chat({ message: 'hello', maxTokens: 2 }, fast), { finishReason: 'MAX_TOKENS', text: 'Hello' })
  const types: string[] = []
  let text = ''
  for await (const event of await old.chatStream({ message: 'hello' }, fast)) {
    if (types.at(-1) !== event.eventType) types.push(event.eventType)
    if (event.eventType === 'text-generation') text += event.text
    if (event.eventType === 'stream-end')
      t.match(event, { finishReason: 'COMPLETE', response: { text: greeting, meta: { tokens: { outputTokens: 45 } } } })
  }
  t.same(types, ['stream-start', 'text-generation', 'stream-end'])
  t.match(text, greeting)

  const oldTools = [
    {
      name: 'get_weather',
      description: 'Current weather',
      parameterDefinitions: {
        city: { type: 'str', required: true },
        days: { type: 'int' },
        units: { type: 'List[str]' },
      },
    },
  ]
  const asked = await old.chat({ message: 'weather in Rome', tools: oldTools }, fast)
  t.match(asked, {
    text: 'I will use the get_weather tool to answer.',
    finishReason: 'COMPLETE',
    toolCalls: [{ name: 'get_weather', parameters: { city: 'Rome', days: Number, units: [String] } }],
  })
  let chunks = ''
  for await (const event of await old.chatStream({ message: 'weather in Rome', tools: oldTools }, fast)) {
    if (event.eventType === 'tool-calls-chunk') chunks += event.toolCallDelta?.parameters ?? ''
    if (event.eventType === 'tool-calls-generation')
      t.match(event.toolCalls, [{ name: 'get_weather', parameters: { city: 'Rome' } }])
  }
  t.match(JSON.parse(chunks), { city: 'Rome' })
  const answered = await old.chat(
    {
      message: 'weather in Rome',
      tools: oldTools,
      toolResults: [{ call: asked.toolCalls![0]!, outputs: [{ sky: 'blue' }] }],
    },
    fast,
  )
  t.match(answered.text, /get_weather returned \[\{"sky":"blue"\}\]/)
  t.equal(
    (
      await old.chat(
        {
          message: 'x',
          responseFormat: { type: 'json_object', schema: { type: 'object', properties: { age: { type: 'integer' } } } },
        },
        fast,
      )
    ).text,
    '{"age":30}',
  )

  const ask = (body: object, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${server.url}/ai/cohere/v1/chat`, {
      method: 'POST',
      headers: { ...fast.headers, ...headers },
      body: JSON.stringify(body),
    })
  const lines = await ask({ message: 'hello', stream: true })
  t.equal(lines.headers.get('content-type'), 'application/stream+json')
  t.ok(
    (await lines.text())
      .trim()
      .split('\n')
      .every(line => typeof (JSON.parse(line) as { event_type: string }).event_type === 'string'),
  )
  const sent = await ask({ message: 'hello', stream: true }, { accept: 'text/event-stream' })
  t.match(await sent.text(), /^event: stream-start\ndata: \{/)
  for (const body of [{}, { message: '' }, { message: 'x', chat_history: [{ role: 'robot', message: 'y' }] }]) {
    const refused = await ask(body)
    t.equal(refused.status, 400)
    t.match(await refused.json(), { message: /^invalid request: / })
  }
})
