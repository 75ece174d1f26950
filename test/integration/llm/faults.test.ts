/** Requested faults: every kind in every format, by header and query, before the first byte. */
import t from 'tap'
import { fires, FaultParser, type FaultSpec } from '../../../plugins/llm/headers/faults.ts'
import { askFormat, formats, serveLlm } from '../../support/llm-formats.ts'

const server = await serveLlm(t)

/** Statuses of formats that differ from the default of the kind. */
const kinds: { kind: string; status: number; other?: Record<string, number> }[] = [
  { kind: 'rate_limit', status: 429 },
  { kind: 'server_error', status: 500 },
  { kind: 'unavailable', status: 503 },
  { kind: 'overloaded', status: 503, other: { anthropic: 529 } },
  { kind: 'timeout', status: 504, other: { bedrock: 408 } },
  { kind: 'context_length', status: 400 },
  { kind: 'prompt_filter', status: 400, other: { gemini: 200 } },
  { kind: 'auth', status: 401, other: { gemini: 400, bedrock: 403 } },
  { kind: 'forbidden', status: 403 },
  { kind: 'not_found', status: 404 },
  { kind: 'bad_request', status: 400 },
  { kind: 'too_large', status: 413 },
  { kind: '418', status: 418 },
  { kind: '529', status: 529 },
  { kind: '401', status: 401 },
  { kind: '599', status: 599 },
]

/** The native error name by format and kind. */
const names: Record<string, (body: never, headers: Headers) => string | null> = {
  openai: (body: { error: { code: string | null; type: string } }) => body.error.code ?? body.error.type,
  azure: (body: { error: { code: string | null; type: string } }) => body.error.code ?? body.error.type,
  anthropic: (body: { error: { type: string } }) => body.error.type,
  gemini: (body: { error: { status: string } }) => body.error.status,
  bedrock: (_body, headers) => headers.get('x-amzn-errortype'),
}
const expectedNames: Record<string, Record<string, string>> = {
  rate_limit: {
    openai: 'rate_limit_exceeded',
    azure: '429',
    anthropic: 'rate_limit_error',
    gemini: 'RESOURCE_EXHAUSTED',
    bedrock: 'ThrottlingException',
  },
  server_error: {
    openai: 'server_error',
    azure: 'server_error',
    anthropic: 'api_error',
    gemini: 'INTERNAL',
    bedrock: 'InternalServerException',
  },
  unavailable: {
    openai: 'service_unavailable',
    anthropic: 'api_error',
    gemini: 'UNAVAILABLE',
    bedrock: 'ServiceUnavailableException',
  },
  overloaded: {
    openai: 'server_is_overloaded',
    anthropic: 'overloaded_error',
    gemini: 'UNAVAILABLE',
    bedrock: 'ServiceUnavailableException',
  },
  timeout: {
    openai: 'timeout',
    anthropic: 'timeout_error',
    gemini: 'DEADLINE_EXCEEDED',
    bedrock: 'ModelTimeoutException',
  },
  context_length: {
    openai: 'context_length_exceeded',
    anthropic: 'invalid_request_error',
    gemini: 'INVALID_ARGUMENT',
    bedrock: 'ValidationException',
  },
  auth: {
    openai: 'invalid_api_key',
    azure: '401',
    anthropic: 'authentication_error',
    gemini: 'INVALID_ARGUMENT',
    bedrock: 'UnrecognizedClientException',
  },
  forbidden: {
    openai: 'unsupported_country_region_territory',
    anthropic: 'permission_error',
    gemini: 'PERMISSION_DENIED',
    bedrock: 'AccessDeniedException',
  },
  not_found: {
    openai: 'model_not_found',
    azure: 'DeploymentNotFound',
    anthropic: 'not_found_error',
    gemini: 'NOT_FOUND',
    bedrock: 'ResourceNotFoundException',
  },
  bad_request: {
    openai: 'invalid_request_error',
    anthropic: 'invalid_request_error',
    gemini: 'INVALID_ARGUMENT',
    bedrock: 'ValidationException',
  },
  too_large: {
    openai: 'invalid_request_error',
    anthropic: 'request_too_large',
    gemini: 'FAILED_PRECONDITION',
    bedrock: 'ValidationException',
  },
  418: {
    openai: 'invalid_request_error',
    anthropic: 'invalid_request_error',
    gemini: 'FAILED_PRECONDITION',
    bedrock: 'ValidationException',
  },
  529: {
    openai: 'server_is_overloaded',
    anthropic: 'overloaded_error',
    gemini: 'UNAVAILABLE',
    bedrock: 'ServiceUnavailableException',
  },
  401: { openai: 'invalid_api_key', gemini: 'UNAUTHENTICATED', bedrock: 'UnrecognizedClientException' },
  599: { openai: 'server_error', anthropic: 'api_error', gemini: 'INTERNAL', bedrock: 'InternalServerException' },
}
const contained: Record<string, Record<string, RegExp>> = {
  rate_limit: {
    openai: /rate limit/i,
    azure: /rate limit/i,
    anthropic: /rate limit/i,
    gemini: /rate limit/i,
    bedrock: /rate limit/i,
    ollama: /rate limit/i,
    cohere: /rate limit/i,
  },
  context_length: {
    openai: /maximum context length/,
    azure: /maximum context length/,
    anthropic: /prompt is too long/,
    bedrock: /too long/,
    cohere: /too many tokens/,
  },
  auth: {
    openai: /Incorrect API key provided: \*\*\*\*1234/,
    anthropic: /invalid x-api-key/,
    gemini: /API key not valid/,
  },
}

t.test(
  'every kind has its native form in every format, with and without streaming, by header and query [LLM-20]',
  async t => {
    for (const format of formats) {
      for (const { kind, status, other } of kinds) {
        const expected = other?.[format.id] ?? status
        for (const stream of [false, true]) {
          const byHeader = await askFormat(server.url, format, {
            stream,
            headers: { 'X-Svc-Fail': kind, [format.credential[0]]: format.credential[1] },
          })
          const byQuery = await askFormat(server.url, format, { stream, query: `fail=${kind}` })
          const name = `${format.id} ${kind} ${stream}`
          t.same([byHeader.status, byQuery.status], [expected, expected], name)
          t.equal(byHeader.headers.get('x-svc-fault'), 'ai', name)
          if (expected === 200) continue
          t.match(byHeader.headers.get('content-type'), /^application\/json/, name)
          const message = format.message(byHeader.json<never>())
          t.match(message, contained[kind]?.[format.id] ?? /./, name)
          t.match(message, /\(simulated\)$/, name)
          t.notMatch(byHeader.bytes.toString(), 'demo-key', name)
          const native = expectedNames[kind]?.[format.id]
          if (native !== undefined) t.equal(names[format.id]?.(byHeader.json<never>(), byHeader.headers), native, name)
          t.equal(
            byHeader.headers.get('retry-after'),
            ['rate_limit', 'overloaded', '529'].includes(kind) ? '2' : null,
            name,
          )
        }
      }
    }
  },
)

t.test('rate limit headers show capacity on success, and zero after a rate limit error [LLM-21]', async t => {
  const byId = (id: string) => formats.find(format => format.id === id) as (typeof formats)[0]
  for (const id of ['openai', 'azure']) {
    const fine = (await askFormat(server.url, byId(id))).headers
    t.same(
      [
        'limit-requests',
        'limit-tokens',
        'remaining-requests',
        'remaining-tokens',
        'reset-requests',
        'reset-tokens',
      ].map(name => fine.get(`x-ratelimit-${name}`)),
      ['10000', '2000000', '9999', '1999951', '6ms', '0s'],
    )
    t.equal(fine.get('openai-version'), '2020-10-01')
    t.match(fine.get('openai-processing-ms'), /^\d+$/)
    const limited = (await askFormat(server.url, byId(id), { query: 'fail=rate_limit' })).headers
    t.same(
      ['remaining-requests', 'remaining-tokens', 'reset-requests', 'reset-tokens'].map(name =>
        limited.get(`x-ratelimit-${name}`),
      ),
      ['0', '0', '2s', '2s'],
    )
  }
  const fine = (await askFormat(server.url, byId('anthropic'))).headers
  t.same(
    ['requests', 'tokens', 'input-tokens', 'output-tokens'].map(what =>
      fine.get(`anthropic-ratelimit-${what}-remaining`),
    ),
    ['3999', '399951', '199996', '79955'],
  )
  t.match(fine.get('anthropic-ratelimit-tokens-reset'), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  const limited = (await askFormat(server.url, byId('anthropic'), { query: 'fail=overloaded' })).headers
  t.same(
    ['requests', 'tokens', 'input-tokens', 'output-tokens'].map(what =>
      limited.get(`anthropic-ratelimit-${what}-remaining`),
    ),
    ['0', '0', '0', '0'],
  )
  t.equal((await askFormat(server.url, byId('cohere'))).headers.get('x-ratelimit-limit-requests'), null)
})

t.test('the content filter returns 200 with an empty reply in every format [LLM-20]', async t => {
  for (const format of formats) {
    for (const stream of [false, true]) {
      const answer = await askFormat(server.url, format, { stream, headers: { 'X-Svc-Fail': 'content_filter' } })
      t.equal(answer.status, 200, format.id)
      t.equal(answer.headers.get('x-svc-fault'), 'ai')
      if (stream) t.same(format.pieces(answer.bytes), [], format.id)
      else t.notOk(format.text(answer.json<never>()), format.id)
    }
  }
})

t.test('fault values are parsed strictly, and invalid ones are ignored [LLM-22]', async t => {
  const words = new FaultParser()
  const query = (text: string) => () => new URLSearchParams(text)
  const specOf = (header: string | undefined, search = ''): FaultSpec | null =>
    words.ofRequest(header, query(search), search !== '', null)
  const good: [header: string | undefined, search: string, expected: object][] = [
    ['rate-limit', '', { kind: 'rate_limit', percent: 100 }],
    ['THROTTLE', '', { kind: 'rate_limit' }],
    ['overloaded:30', '', { kind: 'overloaded', percent: 30 }],
    ['429:5%', '', { kind: 'rate_limit', status: 429, percent: 5 }],
    ['unauthorized', '', { kind: 'invalid_credential' }],
    ['filter', '', { kind: 'content_filter' }],
    ['451', '', { kind: 'status_4xx', status: 451 }],
    ['502', '', { kind: 'status_5xx', status: 502 }],
    [undefined, 'fail=timeout', { kind: 'timeout', percent: 100 }],
    [undefined, 'fail=timeout&fail_rate=0.25', { percent: 25 }],
    [undefined, 'fail=timeout:10&fail_rate=40', { percent: 40 }],
    [undefined, 'fail_rate=1', { kind: 'unavailable', percent: 100 }],
    [undefined, 'fail_rate=1%25', { percent: 1 }],
    ['500', 'fail=404', { kind: 'server_error' }],
    ['stall@3', '', { break: { what: 'stall', afterTokens: 3 } }],
    ['disconnect@0:50', '', { break: { what: 'disconnect', afterTokens: 0 }, percent: 50 }],
  ]
  for (const [header, search, expected] of good) t.match(specOf(header, search), expected, `${header} ${search}`)
  for (const header of [
    '',
    'nonsense',
    '399',
    '600',
    '200',
    '429:101',
    '429:x',
    '429:-1',
    'rate_limit:',
    'missing_credential',
    'explode@3',
    'stall@',
    'stall@-1',
    '__proto__',
    'constructor',
    '4290',
  ])
    t.equal(specOf(header), null, header)
  t.equal(specOf('nonsense', 'fail=500'), null, 'the header takes precedence, even if it is ignored')
  t.equal(fires({ label: 'x', percent: 0 }), false)
  t.equal(fires({ label: 'x', percent: 100 }), true)
})

t.test('a missing credential takes precedence over a fault, and a fault over an invalid body [LLM-23]', async t => {
  const ask = (headers: Record<string, string>) =>
    fetch(`${server.url}/ai/v1/chat/completions`, { method: 'POST', headers, body: 'not json' }).then(
      answer => answer.status,
    )
  t.equal(await ask({ 'X-Svc-Fail': '503', 'X-Svc-Require-Auth': 'true' }), 401)
  t.equal(await ask({ 'X-Svc-Fail': '503' }), 503)
  t.equal(await ask({}), 400)
})

t.test('the generic fault of the core applies to the index but not to provider routes [LLM-22]', async t => {
  const index = await fetch(`${server.url}/ai`, { headers: { 'X-Svc-Fail': '503' } })
  t.same([index.status, index.headers.get('x-svc-fault'), index.headers.get('x-svc-provider')], [503, 'fail', null])
  const ignored = await fetch(`${server.url}/ai/v1/models`, { headers: { 'X-Svc-Fail': '200' } })
  t.same([ignored.status, ignored.headers.get('x-svc-fault')], [200, null])
})
