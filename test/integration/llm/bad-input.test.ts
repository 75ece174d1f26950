/** Invalid requests get a native 400 (or the status in the row), never a 500, a crash or a hang. */
import t from 'tap'
import { formats, serveLlm } from '../../support/llm-formats.ts'

const server = await serveLlm(t, { env: { SVC_BODY_LIMIT: '200000' } })

async function post(
  path: string,
  body: string | object,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string; headers: Headers }> {
  const answer = await fetch(`${server.url}/ai${path}`, {
    method: 'POST',
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: answer.status, text: await answer.text(), headers: answer.headers }
}

/** Routes with a JSON body, and a part of their native error. */
const jsonRoutes: [path: string, native: RegExp][] = [
  ['/v1/chat/completions', /"invalid_request_error"/],
  ['/v1/completions', /"invalid_request_error"/],
  ['/v1/responses', /"invalid_request_error"/],
  ['/v1/embeddings', /"invalid_request_error"/],
  ['/v1/moderations', /"param"/],
  ['/v1/images/generations', /"param"/],
  ['/v1/audio/speech', /"param"/],
  ['/azure/openai/deployments/x/chat/completions?api-version=1', /"invalid_request_error"/],
  ['/anthropic/v1/messages', /"type":"error"/],
  ['/anthropic/v1/messages/count_tokens', /"type":"error"/],
  ['/gemini/v1beta/models/x:generateContent', /INVALID_ARGUMENT/],
  ['/gemini/v1beta/models/x:streamGenerateContent', /INVALID_ARGUMENT/],
  ['/gemini/v1beta/models/x:countTokens', /INVALID_ARGUMENT/],
  ['/gemini/v1beta/models/x:embedContent', /INVALID_ARGUMENT/],
  ['/gemini/v1beta/models/x:batchEmbedContents', /INVALID_ARGUMENT/],
  ['/bedrock/model/x/converse', /"message"/],
  ['/bedrock/model/x/converse-stream', /"message"/],
  ['/bedrock/model/x/invoke', /"message"/],
  ['/bedrock/model/x/invoke-with-response-stream', /"message"/],
  ['/bedrock/model/x/count-tokens', /"message"/],
  ['/ollama/api/chat', /"error":"/],
  ['/ollama/api/generate', /"error":"/],
  ['/ollama/api/embed', /"error":"/],
  ['/ollama/api/embeddings', /"error":"/],
  ['/ollama/api/show', /"error":"/],
  ['/cohere/v2/chat', /"message":"invalid request:/],
  ['/cohere/v1/chat', /"message":"invalid request:/],
  ['/gemini/v1/projects/p/locations/l/publishers/google/models/x:predict', /INVALID_ARGUMENT/],
  ['/anthropic/v1/projects/p/locations/l/publishers/anthropic/models/x:rawPredict', /"type":"error"/],
  ['/ollama/v1/chat/completions', /"invalid_request_error"/],
  ['/cohere/v2/embed', /"message":"invalid request:/],
  ['/cohere/v2/rerank', /"message":"invalid request:/],
  ['/cohere/v1/embed', /invalid request:/],
  ['/cohere/v1/rerank', /invalid request:/],
  ['/cohere/v1/tokenize', /invalid request:/],
]

t.test('a body that is empty or not a JSON object gets a native 400 on every route [LLM-18]', async t => {
  const deep = `{"messages":${'['.repeat(5000)}${']'.repeat(5000)}}`
  for (const [path, native] of jsonRoutes) {
    for (const body of [
      '',
      '{',
      'null',
      '[]',
      '7',
      '"x"',
      '\xff\xfe',
      '{}',
      deep,
      '{"__proto__":{"messages":[]},"constructor":1}',
    ]) {
      // The only route without required fields.
      if (path === '/v1/completions' && body.length > 1 && body.startsWith('{') && body !== deep) continue
      const { status, text, headers } = await post(path, body)
      t.equal(status, 400, `${path} ${body.slice(0, 20)}: ${text.slice(0, 100)}`)
      t.match(text, native, path)
      t.ok(headers.get('x-svc-request-id'))
    }
  }
  t.match((await post('/v1/chat/completions', '{')).text, 'We could not parse the JSON body of your request.')
})

t.test('OpenAI errors have the parameter and the code [LLM-18]', async t => {
  const chat = '/v1/chat/completions'
  const rows: [path: string, body: object, param: string, code: string | null][] = [
    [chat, {}, 'messages', 'missing_required_parameter'],
    [chat, { messages: 'x' }, 'messages', 'invalid_value'],
    [chat, { messages: [] }, 'messages', 'empty_array'],
    [chat, { messages: [{}] }, 'messages[0].role', 'missing_required_parameter'],
    [chat, { messages: [{ role: 'user', content: 'x' }, { role: 'robot' }] }, 'messages[1].role', 'invalid_value'],
    ['/v1/responses', {}, 'input', 'missing_required_parameter'],
    ['/v1/embeddings', {}, 'input', 'missing_required_parameter'],
    ['/v1/embeddings', { input: [] }, 'input', 'invalid_value'],
    ['/v1/embeddings', { input: '' }, 'input', 'invalid_value'],
    ['/v1/embeddings', { input: [{}] }, 'input', 'invalid_value'],
    ['/v1/embeddings', { input: 'x', dimensions: 5000 }, 'dimensions', 'invalid_value'],
    ['/v1/embeddings', { input: Array(2049).fill('x') }, 'input', 'invalid_value'],
    ['/v1/images/generations', {}, 'prompt', 'missing_required_parameter'],
    ['/v1/audio/speech', { input: 'x' }, 'voice', 'missing_required_parameter'],
  ]
  for (const [path, body, param, code] of rows) {
    const { status, text } = await post(path, body)
    t.equal(status, 400, text)
    t.match(JSON.parse(text), { error: { type: 'invalid_request_error', param, code } })
  }
  for (const [body, type] of [
    ['', 'multipart/form-data; boundary=x'],
    ['broken', 'multipart/form-data; boundary=x'],
    ['x', 'text/plain'],
    ['--x\r\nContent-Disposition: form-data; name="model"\r\n\r\nm\r\n--x--\r\n', 'multipart/form-data; boundary=x'],
    ['{}', 'multipart/form-data'],
  ]) {
    const { status, text } = await post('/v1/audio/transcriptions', body as string, { 'content-type': type as string })
    t.equal(status, 400, text)
    t.match(JSON.parse(text), { error: { param: 'file' } })
  }
})

t.test('the other formats have their own error messages [LLM-18]', async t => {
  const user = [{ role: 'user', content: 'x' }]
  const rows: [path: string, body: object, contains: string][] = [
    ['/anthropic/v1/messages', { messages: user }, 'max_tokens: Field required'],
    ['/anthropic/v1/messages', { max_tokens: -1, messages: user }, 'max_tokens: Field required'],
    ['/anthropic/v1/messages', { max_tokens: 1 }, 'messages: Field required'],
    [
      '/anthropic/v1/messages',
      { max_tokens: 1, messages: [...user, { role: 'user' }] },
      'messages.1.content: Field required',
    ],
    ['/anthropic/v1/messages', { max_tokens: 1, messages: [{ role: 'robot', content: 'x' }] }, 'messages.0.role: '],
    ['/bedrock/model/x/converse', { messages: [{ role: 'system', content: [] }] }, 'messages[0].role'],
    ['/cohere/v2/embed', { texts: ['x'], embedding_types: ['bits'] }, 'invalid request: unknown embedding type'],
    ['/cohere/v2/rerank', { query: 'x' }, 'invalid request: documents'],
    ['/ollama/api/chat', { messages: user }, 'model is required'],
  ]
  for (const [path, body, contains] of rows) {
    const { status, text } = await post(path, body)
    t.equal(status, 400, text)
    t.match(text, contains)
  }
  t.equal((await post('/bedrock/model/x/invoke', { what: 1 })).headers.get('x-amzn-errortype'), 'ValidationException')
})

t.test('lenient parsing of types, limits, parts and arguments [LLM-18]', async t => {
  const user = [{ role: 'user', content: 'hello' }]
  for (const headers of [
    {},
    { 'content-type': 'text/plain' },
    { 'content-type': 'x' },
    { 'content-type': 'application/x-www-form-urlencoded' },
  ] as Record<string, string>[])
    t.equal((await post('/v1/chat/completions', { messages: user }, headers)).status, 200)
  const odd = JSON.parse(
    (
      await post('/v1/chat/completions', {
        messages: user,
        n: 99,
        max_tokens: 'many',
        stop: 7,
        top_logprobs: 99,
        logprobs: true,
        tools: [{ function: {} }, 7],
      })
    ).text,
  ) as { choices: { finish_reason: string; logprobs: { content: { top_logprobs: unknown[] }[] } }[] }
  t.equal(odd.choices.length, 8)
  t.equal(odd.choices[0]?.finish_reason, 'stop')
  t.equal(odd.choices[0]?.logprobs.content[0]?.top_logprobs.length, 20)
  t.match(JSON.parse((await post('/v1/chat/completions', { messages: user, max_tokens: 0 })).text), {
    choices: [{ message: { content: '' }, finish_reason: 'length' }],
  })
  const kept = [
    ...user,
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{broken' } }],
    },
  ]
  t.match(JSON.parse((await post('/v1/chat/completions', { model: 'svc-echo', messages: kept })).text), {
    choices: [{ message: { content: 'user: hello\nassistant: [tool_call f] {broken' } }],
  })
  const strange = '\ud800 \u0000 \u202e \u{1f600}'
  t.match(
    JSON.parse(
      (
        await post(
          '/v1/chat/completions',
          JSON.stringify({ model: 'svc-echo', messages: [{ role: 'user', content: strange }] }),
        )
      ).text,
    ),
    { choices: [{ message: { content: /^user: / } }] },
  )
  t.equal(
    (await post('/v1/chat/completions', { model: `a\nb\u00e4${'x'.repeat(500)}`, messages: user })).headers.get(
      'x-svc-model',
    )?.length,
    256,
  )
})

t.test("a body above the limit is rejected in the provider's format [LLM-19]", async t => {
  const big = 'x'.repeat(200_001)
  const native: Record<string, RegExp> = {
    openai: /"invalid_request_error"/,
    azure: /"invalid_request_error"/,
    anthropic: /"request_too_large"/,
    gemini: /"FAILED_PRECONDITION"/,
    bedrock: /^\{"message"/,
    ollama: /^\{"error":"/,
    cohere: /"message"/,
  }
  for (const format of formats) {
    const { status, text, headers } = await post(format.path(false).slice('/ai'.length), big)
    t.equal(status, 413, format.id)
    t.match(text, native[format.id] ?? /^never$/, format.id)
    t.equal(headers.get('x-svc-provider'), format.id)
  }
  const { requests } = (await (await fetch(`${server.url}/ai/requests?limit=7`)).json()) as { requests: object[] }
  t.match(requests[0], { provider: 'cohere', status: 413, finish_reason: 'error' })
})

t.test('a text up to the body limit gets a reply [LLM-18]', async t => {
  const { status, text } = await post('/v1/chat/completions', {
    model: 'svc-echo',
    messages: [{ role: 'user', content: 'wörd '.repeat(30_000) }],
  })
  t.equal(status, 200)
  t.ok(text.length > 150_000)
  t.equal((await post('/v1/embeddings', { input: ' '.repeat(190_000) })).status, 200)
})

t.test('unknown paths and methods below a provider are rejected in its format [LLM-19]', async t => {
  const rows: [path: string, status: number, body: object][] = [
    [
      '/openai/v1/nothing',
      404,
      { error: { type: 'invalid_request_error', param: null, code: null, message: /GET \/ai\/openai\/v1\/nothing/ } },
    ],
    [
      '/v1/chat/completions/',
      404,
      { error: { type: 'invalid_request_error', message: /\/ai\/v1\/chat\/completions\// } },
    ],
    [
      '/v1/chat/completions',
      405,
      { error: { type: 'invalid_request_error', code: 'method_not_supported', message: /GET/ } },
    ],
    ['/azure/openai/nothing?api-version=1', 404, { error: { code: '404', message: /nothing\)?$/ } }],
    ['/anthropic/v1/nothing', 404, { type: 'error', error: { type: 'not_found_error' } }],
    ['/anthropic/v1/messages', 405, { type: 'error', error: { type: 'invalid_request_error' } }],
    ['/gemini/v1beta/nothing', 404, { error: { code: 404, status: 'NOT_FOUND' } }],
    ['/bedrock/nothing', 404, { message: /nothing/ }],
    ['/ollama/api/nothing', 404, { error: /nothing/ }],
    ['/cohere/v3/nothing', 404, { message: /nothing/ }],
    ['/v1/rerank', 405, { id: String, message: /GET/ }],
  ]
  for (const [path, status, body] of rows) {
    const answer = await fetch(`${server.url}/ai${path}`)
    t.equal(answer.status, status, path)
    t.match(await answer.json(), body, path)
    t.ok(answer.headers.get('x-svc-provider'), path)
    if (status === 405) t.equal(answer.headers.get('allow'), 'POST', path)
  }
  const unknown = await post('/bedrock/model/x/unknown', '{}')
  t.equal(unknown.status, 404)
  t.equal(unknown.headers.get('x-amzn-errortype'), 'UnknownOperationException')
  const { requests } = (await (await fetch(`${server.url}/ai/requests?limit=1`)).json()) as { requests: object[] }
  t.match(requests[0], {
    provider: 'bedrock',
    endpoint: '/ai/bedrock/model/x/unknown',
    status: 404,
    finish_reason: 'error',
  })
  const long = await fetch(`${server.url}/ai/openai/${'x'.repeat(4000)}`, {
    headers: { authorization: 'Bearer a-secret-1234' },
  })
  t.equal(long.headers.get('x-svc-credential'), 'bearer ****1234')
  t.ok((await long.text()).length < 500, 'a long path is truncated')
})

t.test('paths outside of providers get the error of the core [LLM-19]', async t => {
  for (const path of ['/ai/nobody/v1/models', '/ai/v2/models']) {
    const unknown = await fetch(server.url + path)
    t.equal(unknown.status, 404)
    t.match(await unknown.json(), { error: 'not found', path, hint: /openapi\.json/ })
  }
})
