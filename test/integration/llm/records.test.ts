/** The index, records and metrics of the mock LLM. */
import t from 'tap'
import { modelFamily } from '../../../plugins/llm/records/metrics.ts'
import { askFormat, formats, serveLlm, type LlmFormat } from '../../support/llm-formats.ts'

const server = await serveLlm(t)
const openai = formats[0] as LlmFormat

const get = async <T>(
  path: string,
  headers: Record<string, string> = {},
  url = server.url,
): Promise<{ status: number; body: T }> => {
  const answer = await fetch(url + path, { headers })
  return { status: answer.status, body: (await answer.json()) as T }
}

t.test('the index lists the seven providers in order, with what clients need [LLM-30]', async t => {
  const { body } = await get<{
    providers: { id: string; sdk_base_url: string; models: string[]; routes: { path: string }[] }[]
    modes: string[]
    fail_kinds: string[]
  }>('/ai')
  t.same(
    body.providers.map(provider => provider.id),
    ['openai', 'azure', 'anthropic', 'gemini', 'bedrock', 'ollama', 'cohere'],
  )
  t.match(body.providers[0], {
    format: 'openai',
    title: 'OpenAI',
    base_path: '/ai/openai',
    sdk_base_url: `${server.url}/ai/openai/v1`,
    credentials: ['bearer'],
    routes: [{ method: 'POST', path: '/ai/openai/v1/chat/completions' }],
  })
  t.equal(body.providers[2]?.sdk_base_url, `${server.url}/ai/anthropic`)
  t.same(body.modes, ['canned', 'echo', 'scripted', 'random'])
  t.ok(
    body.fail_kinds.includes('rate_limit') &&
      body.fail_kinds.includes('stall@n') &&
      !body.fail_kinds.includes('missing_credential'),
  )
  for (const provider of body.providers) t.same((await get(`/ai/${provider.id}`)).body, provider)
  t.equal((await get('/ai/nobody')).status, 404)
})

t.test('every response has request id, provider and instance; text replies also model and mode [LLM-25]', async t => {
  for (const format of formats) {
    const { headers } = await askFormat(server.url, format, { headers: { 'X-Request-Id': `id-${format.id}` } })
    t.same(
      ['x-svc-request-id', 'x-svc-provider', 'x-svc-instance', 'x-svc-mode'].map(name => headers.get(name)),
      [`id-${format.id}`, format.id, 'test-1', 'canned'],
    )
    t.ok(headers.get('x-svc-model'))
    const failed = await askFormat(server.url, format, { query: 'fail=500', headers: { 'X-Request-Id': 'a-b-c' } })
    t.same(
      ['x-svc-request-id', 'x-svc-provider', 'x-svc-model', 'x-svc-mode'].map(name => failed.headers.get(name)),
      ['a-b-c', format.id, null, null],
    )
    if (format.id === 'anthropic') t.equal(failed.headers.get('request-id'), 'req_abc')
    if (format.id === 'bedrock') t.equal(failed.headers.get('x-amzn-requestid'), 'a-b-c')
  }
  const stream = await askFormat(server.url, openai, { stream: true })
  t.same(
    ['cache-control', 'x-accel-buffering', 'content-type', 'x-svc-mode'].map(name => stream.headers.get(name)),
    ['no-cache', 'no', 'text/event-stream; charset=utf-8', 'canned'],
  )
  t.equal((await fetch(`${server.url}/ai/v1/models`)).headers.get('x-svc-model'), null)
})

t.test('a record describes request and response, with masked credentials [LLM-26]', async t => {
  const secret = 'secret-key-9999'
  const headers = {
    'X-Request-Id': 'rec-1',
    authorization: `Bearer ${secret}`,
    'x-api-key': secret,
    'api-key': secret,
    'x-goog-api-key': secret,
    cookie: `a=${secret}`,
    'x-amz-security-token': secret,
    'proxy-authorization': `Basic ${secret}`,
    'x-custom': 'kept',
  }
  await askFormat(server.url, openai, { text: 'weather', headers, query: `key=${secret}&x=1` })
  const { body } = await get<Record<string, unknown> & { headers: Record<string, string>; body: unknown }>(
    '/ai/requests/rec-1',
  )
  t.match(body, {
    request_id: 'rec-1',
    provider: 'openai',
    method: 'POST',
    endpoint: '/ai/openai/v1/chat/completions',
    query: 'key=****9999&x=1',
    model: 'svc-gpt',
    mode: 'canned',
    stream: false,
    credential: 'bearer ****9999',
    normalized_prompt: 'user: weather',
    status: 200,
    fault: null,
    finish_reason: 'stop',
    reply_preview: /^Hello! I'm svc/,
    usage: { prompt_tokens: 4, completion_tokens: Number, total_tokens: Number },
    captured: { inspector_id: String, status: 200, client_ip: '127.0.0.1' },
  })
  t.notMatch(JSON.stringify(body), secret)
  t.match(body.headers, {
    authorization: 'Bearer ****9999',
    'x-api-key': '****9999',
    cookie: '****9999',
    'proxy-authorization': 'Basic ****9999',
    'x-custom': 'kept',
  })
  t.match(body.body, { model: 'svc-gpt', messages: [{ content: 'weather' }] })
  t.match(await get('/ai/requests/nobody'), {
    status: 404,
    body: { error: 'no such AI request', request_id: 'nobody' },
  })
  t.equal((await get(`/ai/requests/${'x'.repeat(201)}`)).status, 404)
})

t.test('errors, faults and all operations are recorded; a reused id returns the newest record [LLM-26]', async t => {
  const headers = { 'X-Request-Id': 'a/b c' }
  await askFormat(server.url, openai, { headers, query: 'fail=auth' })
  t.match((await get('/ai/requests/a%2Fb%20c')).body, {
    status: 401,
    fault: 'invalid_credential',
    finish_reason: 'error',
    model: null,
    mode: null,
  })
  await askFormat(server.url, openai, { headers, query: 'fail=content_filter' })
  t.match((await get('/ai/requests/a%2Fb%20c')).body, {
    status: 200,
    fault: 'content_filter',
    finish_reason: 'content_filter',
    completion_tokens: 0,
  })
  const post = (path: string, body: object, more: Record<string, string> = {}) =>
    fetch(`${server.url}/ai${path}`, {
      method: 'POST',
      headers: { 'X-Svc-Session': 'ops', ...more },
      body: JSON.stringify(body),
    })
  await post('/v1/embeddings', { input: 'hello' })
  await post('/v1/moderations', { input: 'x' })
  await post('/v1/rerank', { query: 'a', documents: ['a'] })
  await post('/anthropic/v1/messages/count_tokens', { messages: [{ role: 'user', content: 'hello' }] })
  await post('/v1/chat/completions', {
    messages: [{ role: 'user', content: 'weather' }],
    tools: [{ function: { name: 'weather' } }],
  })
  await post('/v1/chat/completions', {})
  await fetch(`${server.url}/ai/v1/models`, { headers: { 'X-Svc-Session': 'ops' } })
  const { body } = await get<{ count: number; requests: Record<string, unknown>[] }>('/ai/requests?session=ops')
  t.same(
    body.requests.map(record => [record.mode, record.status, record.finish_reason]),
    [
      [null, 400, 'error'],
      ['canned', 200, 'tool_calls'],
      ['count_tokens', 200, null],
      ['rerank', 200, null],
      ['moderation', 200, null],
      ['embedding', 200, null],
    ],
    'lists of models are not recorded',
  )
  t.equal(body.count, 6)
  t.match(await get(`/ai/requests/${body.requests[1]?.request_id}`), {
    body: { reply_preview: '[tool_call weather] {}' },
  })
  for (const [limit, count] of [
    ['1', 1],
    ['0', 1],
    ['-5', 1],
    ['2', 2],
    ['9999', 6],
    ['x', 6],
  ] as const)
    t.equal((await get<{ count: number }>(`/ai/requests?session=ops&limit=${limit}`)).body.count, count, limit)
})

t.test('a large body is truncated, a form is recorded as one line [LLM-26]', async t => {
  await askFormat(server.url, openai, { text: 'x'.repeat(70_000), headers: { 'X-Request-Id': 'big' } })
  const { body } = await get<{ body: string; normalized_prompt: string; reply_preview: string }>('/ai/requests/big')
  t.equal(body.body.length, 16 * 1024)
  t.equal(body.normalized_prompt.length, 32 * 1024)
  t.ok(body.reply_preview.length <= 500)
  const form = new FormData()
  form.set('file', new Blob(['abc']), 'talk.wav')
  await fetch(`${server.url}/ai/v1/audio/transcriptions`, {
    method: 'POST',
    body: form,
    headers: { 'X-Request-Id': 'form' },
  })
  t.match((await get('/ai/requests/form')).body, {
    mode: 'transcription',
    body: 'multipart: file=talk.wav (3 bytes), model=whisper-1',
  })
})

t.test('in public mode a session sees only its own records [LLM-27]', async t => {
  const shared = await serveLlm(t, { env: { SVC_PUBLIC_MODE: 'true' } })
  await askFormat(shared.url, openai, { headers: { 'X-Svc-Session': 'session-1', 'X-Request-Id': 'r1' } })
  await askFormat(shared.url, openai, { headers: { 'X-Request-Id': 'r2' } })
  const ids = async (path: string, headers: Record<string, string> = {}): Promise<string[]> =>
    (await get<{ requests: { request_id: string }[] }>(path, headers, shared.url)).body.requests.map(
      record => record.request_id,
    )
  t.same(await ids('/ai/requests'), ['r2'])
  t.same(await ids('/ai/requests', { 'X-Svc-Session': 'session-1' }), ['r1'])
  t.same(await ids('/ai/requests?session=session-1'), ['r1'])
  t.same(
    await ids('/ai/requests?session=ip:127.0.0.1', { 'X-Svc-Session': 'session-1' }),
    ['r1'],
    'sessions cannot be selected by address',
  )
  t.equal((await get('/ai/requests/r1', {}, shared.url)).status, 404)
  t.equal((await get('/ai/requests/r1?session=session-1', {}, shared.url)).status, 200)
  // [SEC-10]
  for (const session of ['session-2', 'session-3']) {
    await askFormat(shared.url, openai, { headers: { 'X-Svc-Session': session, 'X-Request-Id': 'both' } })
  }
  const captured = async (session: string) =>
    (await get<{ captured: { inspector_id: string } | null }>(`/ai/requests/both?session=${session}`, {}, shared.url))
      .body.captured
  const entryOf = async (session: string) =>
    (await get<{ id: string }>(`/_svc/requests/both?session=${session}`, {}, shared.url)).body.id
  for (const session of ['session-2', 'session-3'])
    t.equal((await captured(session))?.inspector_id, await entryOf(session), 'the entry of the same session')
  const capped = await fetch(`${shared.url}/ai/v1/chat/completions`, {
    method: 'POST',
    body: '{"n":8,"messages":[{"role":"user","content":"hello"}]}',
  })
  t.equal(((await capped.json()) as { choices: unknown[] }).choices.length, 2)
  t.equal(
    (await fetch(`${shared.url}/ai/v1/embeddings`, { method: 'POST', body: '{"input":"x","dimensions":2000}' })).status,
    400,
  )
})

t.test('metrics count served requests, tokens and faults by family [LLM-28]', async t => {
  const fresh = await serveLlm(t, { oneProcess: 'metrics are those of one process' })
  await askFormat(fresh.url, openai)
  await askFormat(fresh.url, openai, { stream: true })
  await askFormat(fresh.url, openai, { query: 'fail=auth' })
  await askFormat(fresh.url, openai, { query: 'fail=content_filter' })
  await fetch(`${fresh.url}/ai/v1/models`)
  const text = await (await fetch(`${fresh.url}/_svc/metrics`)).text()
  const value = (name: string, ...labels: string[]): string | undefined =>
    text
      .split('\n')
      .find(line => line.startsWith(`${name}{`) && labels.every(label => line.includes(label)))
      ?.split(' ')
      .at(-1)
  t.equal(value('svc_llm_requests_total', 'provider="openai"', 'model_family="other"', 'streaming="false"'), '2')
  t.equal(value('svc_llm_requests_total', 'streaming="true"'), '1')
  t.equal(value('svc_llm_tokens_total', 'direction="input"'), '12')
  t.equal(value('svc_llm_tokens_total', 'direction="output"'), '90')
  t.equal(value('svc_llm_faults_total', 'kind="invalid_credential"'), '1')
  t.equal(value('svc_llm_faults_total', 'kind="content_filter"'), '1')
  t.equal(value('svc_faults_injected_total', 'kind="ai"'), '2')
  const families: [model: string, family: string][] = [
    ['gpt-4o-mini', 'gpt-4o'],
    ['gpt-4.1', 'gpt-4.1'],
    ['openai/GPT-5.5', 'gpt-5'],
    ['o3-mini', 'o-series'],
    ['foo1', 'other'],
    ['claude-x', 'claude'],
    ['open-mixtral', 'mistral'],
    ['text-embedding-3', 'embedding'],
    ['arn:x/meta.llama3', 'llama'],
    ['svc-gpt', 'other'],
    ['gpt-oss-120b', 'gpt-oss'],
    ['', 'other'],
  ]
  for (const [model, family] of families) t.equal(modelFamily(model), family, model)
})

t.test('a record shows cached tokens, the attempt and the place of a cut [LLMN-1, LLMN-42]', async t => {
  const headers = { 'X-Request-Id': 'rec-cut', 'X-Svc-Session': 'cut', 'X-Svc-Cached-Tokens': '2' }
  const read = async () => (await get<object>('/ai/requests/rec-cut')).body
  await askFormat(server.url, openai, { headers: { ...headers, 'X-Svc-Fail': 'rate_limit' } })
  t.match(await read(), { attempt: 1, cut: null, usage: { cached_tokens: 0 } })
  await askFormat(server.url, openai, { stream: true, headers: { ...headers, 'X-Svc-Fail': 'stream_error@3' } })
  t.match(await read(), {
    attempt: 2,
    cut: { after_tokens: 3, of_tokens: 45, by: 'fault' },
    usage: { prompt_tokens: 4, cached_tokens: 2 },
  })
})
