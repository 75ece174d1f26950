/** Credentials: where each format reads them, how they are masked, and when they are required. */
import t from 'tap'
import { askFormat, formats, serveLlm, type LlmFormat } from '../../support/llm-formats.ts'

const server = await serveLlm(t)
const keyed = await serveLlm(t, { env: { SVC_AI_API_KEY: 'right-key-42' } })

const formatOf = (id: string): LlmFormat => formats.find(format => format.id === id) as LlmFormat
const sigV4 = (keyId: string): Record<string, string> => ({
  authorization: `AWS4-HMAC-SHA256 Credential=${keyId}/20261121/us-east-1/bedrock/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=${'a'.repeat(64)}`,
  'x-amz-date': '20261121T000000Z',
})

t.test('the first credential wins, and only four characters are shown [LLM-16]', async t => {
  const rows: [format: string, headers: Record<string, string>, query: string | undefined, shown: string][] = [
    ['openai', {}, undefined, 'none'],
    ['openai', { authorization: 'Bearer sk-abcdefgh' }, undefined, 'bearer ****efgh'],
    ['openai', { authorization: 'bearer sk-abcdefgh' }, undefined, 'bearer ****efgh'],
    ['openai', { authorization: 'Bearer abcd' }, undefined, 'bearer ****'],
    ['openai', { authorization: 'Basic abcdefgh' }, undefined, 'none'],
    ['openai', { 'x-api-key': 'abcdefgh' }, undefined, 'none'],
    ['openai', { authorization: 'Bearer abc\xe4def' }, undefined, 'bearer ****?def'],
    ['azure', { 'api-key': 'aaaa1111', authorization: 'Bearer bbbb2222' }, undefined, 'api-key ****1111'],
    ['azure', { authorization: 'Bearer bbbb2222' }, undefined, 'bearer ****2222'],
    ['anthropic', { 'x-api-key': 'aaaa1111', authorization: 'Bearer bbbb2222' }, undefined, 'x-api-key ****1111'],
    ['anthropic', { authorization: 'Bearer bbbb2222' }, undefined, 'bearer ****2222'],
    ['gemini', { 'x-goog-api-key': 'aaaa1111' }, 'key=cccc3333', 'x-goog-api-key ****1111'],
    ['gemini', { authorization: 'Bearer bbbb2222' }, 'key=cccc3333', 'query-key ****3333'],
    ['gemini', { authorization: 'Bearer bbbb2222' }, undefined, 'bearer ****2222'],
    ['bedrock', sigV4('AKIDEXAMPLE'), undefined, 'sigv4 ****MPLE'],
    ['bedrock', { authorization: 'Bearer bbbb2222' }, undefined, 'bearer ****2222'],
    ['bedrock', { authorization: 'AWS4-HMAC-SHA256 nonsense' }, undefined, 'sigv4 ****rmed'],
    ['ollama', { authorization: 'Bearer bbbb2222' }, undefined, 'bearer ****2222'],
    ['cohere', { authorization: 'Bearer bbbb2222' }, undefined, 'bearer ****2222'],
  ]
  for (const [id, headers, query, shown] of rows) {
    const answer = await askFormat(server.url, formatOf(id), { headers, ...(query === undefined ? {} : { query }) })
    t.equal(answer.headers.get('x-svc-credential'), shown, `${id} ${JSON.stringify(headers)}`)
    t.equal(answer.status, 200)
  }
})

t.test('a missing required credential gets the native error [LLM-17]', async t => {
  const expected: Record<string, [status: number, message: RegExp]> = {
    openai: [401, /You didn't provide an API key/],
    azure: [401, /./],
    anthropic: [401, /x-api-key header is required/],
    gemini: [403, /./],
    bedrock: [403, /./],
    ollama: [401, /./],
    cohere: [401, /./],
  }
  for (const format of formats) {
    const answer = await askFormat(server.url, format, { headers: { 'X-Svc-Require-Auth': 'yes' } })
    t.equal(answer.status, expected[format.id]?.[0], format.id)
    t.match(format.message(answer.json<never>()), expected[format.id]?.[1] ?? /^never$/)
    t.notMatch(format.message(answer.json<never>()), /simulated/)
    const version: Record<string, string> = format.id === 'anthropic' ? { 'anthropic-version': '2023-06-01' } : {}
    t.equal(
      (
        await askFormat(server.url, format, {
          headers: { 'X-Svc-Require-Auth': 'true', [format.credential[0]]: format.credential[1], ...version },
        })
      ).status,
      200,
      format.id,
    )
    t.equal((await askFormat(server.url, format, { headers: { 'X-Svc-Require-Auth': 'no' } })).status, 200, format.id)
  }
})

t.test("with a configured key every other value is rejected in the provider's format [LLM-17]", async t => {
  const wrong: Record<string, number> = {
    openai: 401,
    azure: 401,
    anthropic: 401,
    gemini: 400,
    bedrock: 403,
    ollama: 401,
    cohere: 401,
  }
  for (const format of formats) {
    const [name, value] = format.credential
    const version: Record<string, string> = format.id === 'anthropic' ? { 'anthropic-version': '2023-06-01' } : {}
    const refused = await askFormat(keyed.url, format, { headers: { [name]: value } })
    t.equal(refused.status, wrong[format.id], format.id)
    t.notMatch(refused.bytes.toString(), 'demo-key')
    t.equal(
      (
        await askFormat(keyed.url, format, {
          headers: { [name]: value.replace('demo-key-1234', 'right-key-42'), ...version },
        })
      ).status,
      200,
      format.id,
    )
    t.equal((await askFormat(keyed.url, format)).status === 200, false, format.id)
  }
  t.equal(
    (await askFormat(keyed.url, formatOf('bedrock'), { headers: sigV4('right-key-42') })).status,
    200,
    'the access key id counts',
  )
})

t.test(
  'if credentials are enforced, Anthropic requires its version and Bedrock a complete signature [LLM-17]',
  async t => {
    const enforced = { 'X-Svc-Require-Auth': 'true' }
    const noVersion = await askFormat(server.url, formatOf('anthropic'), { headers: { ...enforced, 'x-api-key': 'k' } })
    t.equal(noVersion.status, 400)
    t.match(noVersion.json(), {
      error: { type: 'invalid_request_error', message: 'anthropic-version: header is required' },
    })
    const good = sigV4('AKID')
    const bad: Record<string, string>[] = [
      { ...good, authorization: good.authorization?.replace('host;', '') ?? '' },
      { ...good, authorization: good.authorization?.replace('a'.repeat(64), 'a'.repeat(63)) ?? '' },
      { ...good, authorization: good.authorization?.replace('20261121', '2026') ?? '' },
      { authorization: good.authorization ?? '' },
      { authorization: 'Basic abc' },
    ]
    for (const headers of bad) {
      const answer = await askFormat(server.url, formatOf('bedrock'), { headers: { ...enforced, ...headers } })
      t.same(
        [answer.status, answer.headers.get('x-amzn-errortype')],
        [403, 'IncompleteSignatureException'],
        headers.authorization ?? '',
      )
    }
  },
)
