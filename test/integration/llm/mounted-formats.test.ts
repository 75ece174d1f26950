/** Vendors' routes in the format of another one: models, errors and records of the provider under whose prefix they are. */
import t from 'tap'
import { serve } from '../../support/server.ts'

const { url } = await serve(t, {
  yaml: `llm: { providers: [{ name: pool, format: gemini, models: [svc-pool], strict_models: true }] }\n`,
})

const post = (path: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url + path, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: 'Bearer any',
      'X-Svc-Profile': 'instant',
      ...headers,
    },
    body: JSON.stringify(body),
  })
const json = async (response: Promise<Response>): Promise<any> => (await response).json()

const VERTEX = 'projects/demo/locations/us-central1/endpoints/openapi'
const CHATS = [
  ['/ai/anthropic/v1/chat/completions', 'anthropic', 'claude-sonnet-4-5', 'svc-claude'],
  ['/ai/gemini/v1beta/openai/chat/completions', 'gemini', 'gemini-2.5-flash', 'svc-gemini'],
  [`/ai/gemini/v1/${VERTEX}/chat/completions`, 'gemini', 'google/gemini-2.5-flash', 'svc-gemini'],
  [`/ai/gemini/v1beta1/${VERTEX}/chat/completions`, 'gemini', 'google/gemini-2.5-flash', 'svc-gemini'],
  ['/ai/cohere/compatibility/v1/chat/completions', 'cohere', 'svc-command', 'svc-command'],
  ['/ai/bedrock/openai/v1/chat/completions', 'bedrock', 'openai.gpt-oss-20b-1:0', 'svc-claude'],
  ['/ai/azure/models/chat/completions?api-version=2024-05-01-preview', 'azure', 'gpt-4o', 'svc-gpt'],
  ['/ai/ollama/v1/chat/completions', 'ollama', 'llama3.2', null],
] as const
const messages = [{ role: 'user', content: 'hello' }]

for (const [path, provider, model, defaultModel] of CHATS)
  t.test(`POST ${path}`, async t => {
    const response = await post(path, { model, messages, temperature: 0.5 })
    const body = (await response.json()) as any
    t.equal(response.status, 200)
    t.equal(response.headers.get('x-svc-provider'), provider)
    t.match(body, { object: 'chat.completion', choices: [{ message: { role: 'assistant', content: String } }] })
    const id = response.headers.get('x-svc-request-id')
    const record = (await (await fetch(`${url}/ai/requests/${id}`)).json()) as any
    t.match(record, { provider, endpoint: path.split('?')[0], model: model.replace('google/', ''), status: 200 })
    t.equal(body.usage.total_tokens, record.usage.total_tokens)

    const events = await (await post(path, { model, messages, stream: true })).text()
    const streamed = [...events.matchAll(/^data: (\{.*)$/gm)]
      .map(([, data]) => JSON.parse(data!).choices[0]?.delta.content ?? '')
      .join('')
    t.equal(streamed, body.choices[0].message.content)
    t.match(events, /data: \[DONE\]\n\n$/)

    const unnamed = await post(path, { messages })
    if (defaultModel === null) t.equal(unnamed.status, 400)
    else t.equal(((await unnamed.json()) as any).model, defaultModel)
    t.equal((await fetch(url + path)).status, 405)
  })

t.test('errors have the texts and statuses of the provider', async t => {
  const at = (index: number) => CHATS[index]![0]
  const notFound = { 'X-Svc-Fail': 'not_found' }
  const fail = (index: number): Promise<Response> => post(at(index), { messages }, notFound)
  t.match(await json(fail(0)), { error: { message: /./, type: 'not_found_error', code: 'not_found_error' } })
  t.match(await json(fail(1)), [{ error: { code: 404, status: 'NOT_FOUND', message: /./ } }])
  t.match(await json(fail(2)), [{ error: { code: 404, status: 'NOT_FOUND', message: /./ } }])
  t.match(await json(fail(4)), { id: /./, message: /./ })
  const bedrock = await fail(5)
  t.equal(bedrock.headers.get('x-amzn-errortype'), 'ResourceNotFoundException')
  t.match(await bedrock.json(), { error: { code: 'model_not_found', message: /./ } })
  t.match(await json(fail(6)), { error: { code: 'DeploymentNotFound' } })
  t.match(await json(fail(7)), { error: { code: 'model_not_found', message: /./ } })

  const overloaded = { 'X-Svc-Fail': 'overloaded' }
  t.equal((await post(at(0), { messages }, overloaded)).status, 529)
  t.equal((await post(at(1), { messages }, overloaded)).status, 503)
  const strict = { 'X-Svc-Require-Auth': 'true', Authorization: '' }
  t.equal((await post(at(1), { messages }, strict)).status, 403, "Gemini's status of a missing credential")
  t.equal((await post(at(0), { messages }, strict)).status, 401)
  t.equal(
    (await post(at(0), { messages }, { 'X-Svc-Require-Auth': 'true' })).status,
    200,
    'chat completions need no anthropic-version',
  )
  t.match(await json(post('/ai/azure/models/chat/completions', { messages })), {
    error: { code: 'MissingApiVersionParameter' },
  })
})

t.test('limits refuse in the form of the format', async t => {
  const limited = { 'X-Svc-Limit-Rpm': '1', 'X-Svc-Session': 'limited' }
  const second = async (index: number): Promise<any> => {
    await post(CHATS[index]![0], { messages }, limited)
    const response = await post(CHATS[index]![0], { messages }, limited)
    t.equal(response.status, 429)
    return response.json()
  }
  t.match(await second(0), { error: { type: 'rate_limit_error', message: /organization's rate limit of 1 / } })
  t.match(await second(1), [{ error: { status: 'RESOURCE_EXHAUSTED', details: [{}] } }])
  t.match(await second(4), { id: String, message: /Trial key/ })
  t.match(await second(5), { error: { code: 'rate_limit_exceeded', message: /Too many requests/ } })
})

t.test('a stream that fails says so as clients of the format read it', async t => {
  for (const index of [0, 1, 4, 5, 7]) {
    const [path, , model] = CHATS[index]!
    const events = await (
      await post(path, { model, messages, stream: true }, { 'X-Svc-Fail': 'stream_error@2' })
    ).text()
    const last = JSON.parse(/data: (.*)\n\n$/.exec(events)![1]!)
    t.type(last.error.message, 'string', path)
  }
})

t.test('embeddings and models where the vendor has them', async t => {
  for (const [path, model] of [
    ['/ai/gemini/v1beta/openai/embeddings', 'models/gemini-embedding-001'],
    ['/ai/cohere/compatibility/v1/embeddings', 'svc-embed'],
    ['/ai/azure/models/embeddings?api-version=1', 'svc-embed'],
  ] as const)
    t.equal((await json(post(path, { model, input: 'hello', dimensions: 8 }))).data[0].embedding.length, 8, path)
  for (const [path, id] of [
    ['/ai/gemini/v1beta/openai/models', 'gemini-2.5-flash'],
    ['/ai/bedrock/openai/v1/models', 'amazon.nova-pro-v1:0'],
    ['/ai/ollama/v1/models', 'llama3.2:latest'],
  ] as const) {
    const list = (await (await fetch(url + path)).json()) as any
    t.ok(
      list.data.some((model: any) => model.id === id),
      path,
    )
    t.match(await (await fetch(`${url}${path}/${encodeURIComponent(id)}`)).json(), { id, object: 'model' })
  }
  const byName = await fetch(`${url}/ai/gemini/v1beta/openai/models/models%2Fgemini-2.5-flash`)
  t.match(await byName.json(), { id: 'gemini-2.5-flash' })
})

t.test('messages of the Anthropic format', async t => {
  for (const [path, model, provider] of [
    ['/ai/ollama/v1/messages', 'llama3.2', 'ollama'],
    ['/ai/azure/anthropic/v1/messages', 'claude-sonnet-4-5', 'azure'],
  ] as const) {
    const ask = { model, max_tokens: 64, messages }
    const response = await post(path, ask, { 'X-Svc-Require-Auth': 'true', Authorization: '', 'x-api-key': 'any' })
    t.match(response.headers.get('x-svc-credential'), /^x-api-key/)
    t.equal(response.headers.get('x-svc-provider'), provider)
    t.match(await response.json(), { type: 'message', model, content: [{ type: 'text' }] })
    const unknown = await post(path, ask, { 'X-Svc-Fail': 'not_found' })
    t.equal(unknown.status, 404)
    t.match(await unknown.json(), { type: 'error', error: { type: 'not_found_error' } })
    const events = await (await post(path, { ...ask, stream: true }, { 'X-Svc-Fail': 'stream_error@2' })).text()
    t.match(events, /event: error\ndata: \{"type":"error"/)
  }
  t.match(await json(post('/ai/azure/anthropic/v1/messages/count_tokens', { model: 'claude-sonnet-4-5', messages })), {
    input_tokens: Number,
  })
  const strict = { 'X-Svc-Require-Auth': 'true', Authorization: '' }
  t.match(await json(post('/ai/azure/anthropic/v1/messages', {}, strict)), { error: { code: '401' } })
  t.match(await json(post('/ai/ollama/v1/messages', { max_tokens: 1, messages })), {
    type: 'error',
    error: { message: 'model is required' },
  })
})

t.test('the routes of the provider keep their own errors', async t => {
  t.match(await json(post('/ai/anthropic/v1/messages', { model: 'no-such-model' })), { type: 'error' })
  t.match(await json(fetch(`${url}/ai/anthropic/v1/other`)), { type: 'error' })
  t.match(await json(fetch(`${url}/ai/gemini/v1beta/other`)), { error: { status: 'NOT_FOUND' } })
  t.match(await json(fetch(`${url}/ai/ollama/api/other`)), { error: String })
  t.match(await json(fetch(`${url}/ai/ollama/v1/other`)), { error: { message: String } })
})

t.test('a named provider serves them with its own models', async t => {
  const path = '/ai/pool/v1beta/openai/chat/completions'
  const response = await post(path, { messages })
  t.equal(response.headers.get('x-svc-provider'), 'pool')
  t.match(await response.json(), { model: 'svc-pool' })
  t.match(await json(post(path, { model: 'gemini-2.5-flash', messages })), [
    { error: { code: 404, message: 'models/gemini-2.5-flash is not found for API version v1beta.' } },
  ])
})

t.test('model servers tell their health and their tokenizer', async t => {
  for (const base of ['/ai/openai', '/ai/azure']) {
    const health = await fetch(`${url}${base}/health`, { headers: { 'X-Svc-Require-Auth': 'true' } })
    t.same([health.status, await health.text()], [200, ''])
    t.equal((await fetch(`${url}${base}/health`, { headers: { 'X-Svc-Fail': '503' } })).status, 503)
    const ready = await fetch(`${url}${base}/health/ready`, { headers: { 'X-Svc-Require-Auth': 'true' } })
    t.same([ready.status, await ready.text()], [200, ''], 'the readiness of llm-d-inference-sim')
    t.match(await json(fetch(`${url}${base}/tokenizer_info`)), { tokenizer_class: 'rule', model_max_length: 131_072 })
    const strict = await fetch(`${url}${base}/tokenizer_info`, { headers: { 'X-Svc-Require-Auth': 'true' } })
    t.equal(strict.status, 401)
  }
})

t.test('the index and the catalog list them', async t => {
  const { providers } = (await (await fetch(`${url}/ai`)).json()) as any
  const paths = providers.flatMap((provider: any) => provider.routes.map((route: any) => route.path))
  for (const path of ['/ai/anthropic/v1/chat/completions', '/ai/pool/v1beta/openai/embeddings', '/ai/openai/health'])
    t.ok(paths.includes(path), path)
  t.ok(!paths.includes('/ai/gemini/v1/openai/chat/completions'))
  t.equal((await post('/ai/gemini/v1/openai/chat/completions', { messages })).status, 404)
})
