/** Real token buckets: the headers and refusals of each format. */
import t from 'tap'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { askFormat, formats, serveLlm, type LlmFormat } from '../../support/llm-formats.ts'
import { readUsage } from '../../support/llm-usage.ts'

const by = (id: string): LlmFormat => formats.find(format => format.id === id)!
const server = await serveLlm(t)
const PATH = '/ai/v1/chat/completions'

async function chat(headers: Record<string, string>, body: object = {}, url = server.url): Promise<Response> {
  return fetch(url + PATH, {
    method: 'POST',
    headers: { 'X-Svc-Tokens-Per-Second': '0', ...headers },
    body: JSON.stringify({ model: 'svc-gpt', messages: [{ role: 'user', content: 'hello' }], ...body }),
  })
}

/** A day bucket does not refill while the test runs. */
t.test('the headers count down to the token, and reservations are returned [LLMN-31]', async t => {
  const session = { 'X-Svc-Session': 'count', 'X-Svc-Limit-Rpd': '100', 'X-Svc-Limit-Tpd': '100000' }
  let left = 100_000
  for (let request = 1; request <= 20; request++) {
    const response = await chat(session, { max_tokens: request })
    t.equal(response.headers.get('x-ratelimit-limit-tokens'), '100000')
    t.equal(response.headers.get('x-ratelimit-remaining-requests'), String(100 - request))
    const { usage } = (await response.json()) as { usage: { total_tokens: number } }
    left -= usage.total_tokens
    t.equal(response.headers.get('x-ratelimit-remaining-tokens'), String(left), `request ${request}`)
  }
  const { buckets } = (await (await fetch(`${server.url}/ai/limits?session=count`)).json()) as { buckets: object[] }
  t.match(buckets, [
    {
      provider: 'openai',
      model: 'svc-gpt',
      from: 'header',
      rpd: { limit: 100, remaining: 80 },
      tpd: { remaining: left },
    },
  ])
})

t.test('the reservation of a minute bucket is what the client may use at most [LLMN-31]', async t => {
  const headers = { 'X-Svc-Session': 'reserve', 'X-Svc-Limit-Tpm': '1000' }
  const refused = await chat(headers, { max_tokens: 1000 })
  t.equal(refused.status, 429)
  t.equal(refused.headers.get('retry-after'), null)
  t.match(await refused.json(), {
    error: {
      type: 'tokens',
      code: 'rate_limit_exceeded',
      message:
        /^Request too large for svc-gpt in organization org-svc on tokens per min \(TPM\): Limit 1000, Requested 1004\./,
    },
  })
  const admitted = await chat(headers, { max_tokens: 900, stream: true })
  t.equal(admitted.headers.get('x-ratelimit-remaining-tokens'), String(1000 - 904))
  t.match(admitted.headers.get('x-ratelimit-reset-tokens'), /^54\.\d+s$/)
})

t.test('a refusal in the words of each format [LLMN-32]', async t => {
  const expected: Record<string, object> = {
    openai: {
      error: {
        type: 'requests',
        code: 'rate_limit_exceeded',
        message:
          /^Rate limit reached for svc-gpt in organization org-svc on requests per min \(RPM\): Limit 1, Used 1, Requested 1\. Please try again in (?:1m0s|59\.\d+s)\.$/,
      },
    },
    azure: {
      error: { code: '429', message: /^Requests to the ChatCompletions_Create Operation .* after \d+ seconds\.$/ },
    },
    anthropic: {
      error: {
        type: 'rate_limit_error',
        message: "This request would exceed your organization's rate limit of 1 requests per minute.",
      },
    },
    gemini: {
      error: {
        status: 'RESOURCE_EXHAUSTED',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
            violations: [
              {
                quotaMetric: 'generativelanguage.googleapis.com/generate_content_paid_tier_requests',
                quotaId: 'GenerateRequestsPerMinutePerProjectPerModel',
                quotaDimensions: { location: 'global', model: 'svc-gemini' },
                quotaValue: '1',
              },
            ],
          },
          { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: /^(?:60|59\.\d+)s$/ },
        ],
      },
    },
    bedrock: { message: 'Too many requests, please wait before trying again.' },
    ollama: { error: 'too many requests' },
    cohere: { message: 'You are using a Trial key, which is limited to 1 API calls / minute.' },
  }
  for (const format of formats) {
    const headers = { 'X-Svc-Session': `words-${format.id}`, 'X-Svc-Limit-Rpm': '1' }
    t.equal((await askFormat(server.url, format, { headers })).status, 200, format.id)
    const refused = await askFormat(server.url, format, { headers })
    t.equal(refused.status, 429, format.id)
    t.equal(refused.headers.get('x-svc-limited'), 'rpm')
    t.equal(refused.headers.get('x-svc-fault'), null)
    t.match(refused.headers.get('retry-after'), /^(?:59|60)$/)
    t.match(refused.json(), expected[format.id]!, format.id)
    t.notMatch(refused.bytes.toString(), /simulated/)
  }
  const { rows } = await readUsage(server.url, '?group=session')
  t.match(
    rows.find(({ session }) => session === 'words-openai'),
    { requests: 2, ok: 1, errors: 1, limited: 1, faults: 0 },
  )
})

t.test('headers of formats other than OpenAI show only the configured limits [LLMN-31]', async t => {
  const limits = { 'X-Svc-Limit-Rpm': '50', 'X-Svc-Limit-Itpm': '20000', 'X-Svc-Limit-Otpm': '8000' }
  const { headers } = await askFormat(server.url, by('anthropic'), { headers: limits })
  t.same(
    [
      'requests-limit',
      'requests-remaining',
      'tokens-limit',
      'input-tokens-limit',
      'input-tokens-remaining',
      'output-tokens-remaining',
      'unified-status',
    ].map(name => headers.get(`anthropic-ratelimit-${name}`)),
    ['50', '49', null, '20000', '19996', '7955', 'allowed'],
  )
  t.match(headers.get('anthropic-ratelimit-input-tokens-reset'), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  const cohere = await askFormat(server.url, by('cohere'), { headers: limits })
  t.equal(cohere.headers.get('x-trial-endpoint-call-remaining'), '49')
  const azure = await askFormat(server.url, by('azure'), { headers: limits })
  t.match(azure.headers.get('x-ratelimit-reset-requests'), /^\d+$/)
  t.equal(azure.headers.get('x-ratelimit-limit-tokens'), null)
})

t.test('entries of svc.yaml by model, key and provider; the first one applies [LLMN-33]', async t => {
  const own = await serveLlm(t, {
    yaml: `
llm:
  limits:
    - { model: "svc-gpt*", key: "*1234", rpd: 1 }
    - { provider: anthropic, rpd: 2, per: all }
  providers:
    - { name: acme, format: openai, limits: { rpd: 1 } }
`,
  })
  const ask = async (headers: Record<string, string>): Promise<number> => (await chat(headers, {}, own.url)).status
  t.same([await ask({ Authorization: 'Bearer k-1234' }), await ask({ Authorization: 'Bearer k-1234' })], [200, 429])
  t.equal(await ask({ Authorization: 'Bearer j-1234' }), 200, 'another key has a bucket of its own')
  t.equal(await ask({ Authorization: 'Bearer other' }), 200)
  const anthropic = (key: string): Promise<{ status: number }> =>
    askFormat(own.url, by('anthropic'), { headers: { 'x-api-key': key } })
  t.same([(await anthropic('a')).status, (await anthropic('b')).status, (await anthropic('c')).status], [200, 200, 429])
  const acme = (): Promise<Response> =>
    fetch(`${own.url}/ai/acme${PATH.slice('/ai'.length)}`, {
      method: 'POST',
      body: '{"messages":[{"role":"user","content":"a"}]}',
    })
  t.same([(await acme()).status, (await acme()).status], [200, 429])
  const reset = await fetch(`${own.url}/_svc/reset?scope=instance`, {
    method: 'POST',
    body: '{"kinds":["llm_limits"]}',
  })
  t.match(await reset.json(), { removed: { llm_limits: 4 } })
  t.equal((await acme()).status, 200)
})

t.test('the official SDKs read the refusal and when to retry [LLMN-32]', async t => {
  const headers = { 'X-Svc-Limit-Rpm': '1', 'X-Svc-Session': 'sdk' }
  const openai = new OpenAI({ baseURL: `${server.url}/ai/v1`, apiKey: 'k', maxRetries: 0, defaultHeaders: headers })
  const ask = (): Promise<unknown> =>
    openai.chat.completions.create({ model: 'svc-gpt', messages: [{ role: 'user', content: 'hello' }] })
  await ask()
  const error = await ask().catch((failure: unknown) => failure)
  t.ok(error instanceof OpenAI.RateLimitError)
  t.match((error as InstanceType<typeof OpenAI.RateLimitError>).headers?.get('retry-after-ms'), /^\d{5}$/)
  const anthropic = new Anthropic({
    baseURL: `${server.url}/ai/anthropic`,
    apiKey: 'k',
    maxRetries: 0,
    defaultHeaders: headers,
  })
  const message = (): Promise<unknown> =>
    anthropic.messages.create({ model: 'claude', max_tokens: 9, messages: [{ role: 'user', content: 'hello' }] })
  await message()
  t.ok((await message().catch((failure: unknown) => failure)) instanceof Anthropic.RateLimitError)
})

t.test('wrong limits are ignored and named; in public mode only own buckets are shown [LLMN-33]', async t => {
  const wrong = await chat({ 'X-Svc-Limit-Rpm': 'many' })
  t.equal(wrong.status, 200)
  t.match(wrong.headers.get('x-svc-ignored'), /X-Svc-Limit-rpm; /)
  const own = await serveLlm(t, { env: { SVC_PUBLIC_MODE: 'true' } })
  await chat({ 'X-Svc-Limit-Rpm': '9', 'X-Svc-Session': 'one' }, {}, own.url)
  const list = async (session: string, query = ''): Promise<Response> =>
    fetch(`${own.url}/ai/limits${query}`, { headers: { 'X-Svc-Session': session } })
  t.match(await (await list('one')).json(), { buckets: [{ session: 'one', rpm: { limit: 9 } }] })
  t.same(await (await list('two')).json(), { buckets: [] })
  t.equal((await list('two', '?session=one')).status, 403)
})
