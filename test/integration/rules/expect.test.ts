/** `X-Svc-Expect`: conditions that a request states about itself. */
import t from 'tap'
import type { IncomingMessage } from 'node:http'
import { WebSocket } from 'ws'
import { Metadata } from '@grpc/grpc-js'
import { putRule } from '../../support/rules.ts'
import { serve } from '../../support/server.ts'
import { call, echoClient, failureOf } from '../protocols/grpc-client.ts'

type Json = ReturnType<typeof JSON.parse>

const server = await serve(t, { plugins: ['console', 'echo', 'grpc', 'llm', 'llm-openai', 'websocket'] })

function ask(path: string, expected: unknown, options: RequestInit = {}): Promise<Response> {
  const text = typeof expected === 'string' ? expected : JSON.stringify(expected)
  return fetch(server.url + path, { ...options, headers: { ...options.headers, 'X-Svc-Expect': text } })
}

t.test('the route responds if the expectation is met [LLMN-22]', async t => {
  const expected = { method: 'POST', path: '/echo', header: { 'x-tenant': 'a' }, json: { '/n': 1 } }
  for (const text of [expected, Buffer.from(JSON.stringify(expected)).toString('base64url')]) {
    const response = await ask('/echo', text, { method: 'POST', headers: { 'X-Tenant': 'a' }, body: '{"n":1}' })
    t.same([response.status, response.headers.get('x-svc-expectation')], [200, 'met'])
    t.match(await response.json(), { method: 'POST' })
  }
})

t.test('otherwise the response is 417 with the differences, and nothing else happens [LLMN-22]', async t => {
  const expected = { method: 'POST', header: { 'x-tenant': 'a', authorization: 'Bearer other' } }
  const response = await ask('/echo', expected, {
    method: 'POST',
    headers: { Authorization: 'Bearer secret-key-1234', 'X-Svc-Fail': '503', 'X-Request-Id': 'expect-1' },
  })
  t.same([response.status, response.headers.get('x-svc-expectation')], [417, 'failed'])
  t.equal(response.headers.get('x-svc-fault'), null, 'it is evaluated before faults')
  t.same(await response.json(), {
    error: 'expectation_failed',
    request_id: 'expect-1',
    matched: 1,
    of: 3,
    differences: [
      { at: 'header.x-tenant', expected: 'a', got: null },
      { at: 'header.authorization', expected: 'Bearer other', got: '****1234' },
    ],
  })
  const { requests } = (await (await fetch(`${server.url}/_svc/requests`)).json()) as { requests: Json[] }
  t.match(
    requests.find(({ request_id }) => request_id === 'expect-1'),
    { status: 417, fault: null },
  )
})

t.test('it is evaluated before the credentials of model routes, in their terms [LLMN-22]', async t => {
  const chat = (expected: object): Promise<Response> =>
    ask('/ai/v1/chat/completions', expected, {
      method: 'POST',
      headers: { 'X-Svc-Require-Auth': 'true' },
      body: '{"model":"svc-gpt","messages":[{"role":"user","content":"hello"}]}',
    })
  const failed = await chat({ llm: { model: 'gpt-5' } })
  t.match(await failed.json(), { differences: [{ at: 'llm.model', expected: 'gpt-5', got: 'svc-gpt' }] })
  t.equal((await chat({ llm: { user: 'hello' } })).status, 401)
})

t.test('unknown paths have expectations; the control plane and the console have none [LLMN-22]', async t => {
  t.equal((await ask('/nowhere', { path: '/somewhere' })).status, 417)
  for (const path of ['/_svc/config', '/ui/']) {
    const response = await ask(path, { path: '/somewhere' })
    t.same([response.status, response.headers.get('x-svc-expectation')], [200, null], path)
  }
})

t.test('aborts, delays and rules come after it [LLMN-22]', async t => {
  await putRule(server, 'refuse', { match: { path: '/echo' }, then: { fail: 503 } }, 'expect')
  const begunAt = performance.now()
  for (const [name, value] of [
    ['X-Svc-Abort', 'reset'],
    ['X-Svc-Delay', '20000'],
    ['X-Svc-Session', 'expect'],
  ] as const) {
    const response = await ask('/echo', { method: 'PUT' }, { headers: { [name]: value } })
    t.equal(response.status, 417)
    t.equal(response.headers.get('x-svc-rule'), null)
  }
  t.ok(performance.now() - begunAt < 20_000)
  const met = await ask('/echo', { method: 'GET' }, { headers: { 'X-Svc-Session': 'expect' } })
  t.same([met.status, met.headers.get('x-svc-rule'), met.headers.get('x-svc-expectation')], [503, 'refuse', 'met'])
})

t.test('conditions on the body and on the query are those of rules; all credentials are masked [LLMN-22]', async t => {
  const body = await ask('/echo', { json: { '/n': 2 }, body: { contains: 'z' } }, { method: 'POST', body: '{"n":1}' })
  t.match(await body.json(), {
    matched: 0,
    of: 2,
    differences: [{ at: 'json./n', expected: 2, got: 1 }, { at: 'body' }],
  })
  const query = await ask(
    '/echo?a=1&key=secret-key-5678',
    { query: { a: '2', key: 'x' }, cookie: { sid: 'y' } },
    {
      headers: { Cookie: 'sid=secret-session-9012' },
    },
  )
  const text = await query.text()
  t.match(JSON.parse(text), {
    differences: [
      { at: 'query.a', expected: '2', got: '1' },
      { at: 'query.key', got: '****5678' },
      { at: 'cookie.sid', got: '****9012' },
    ],
  })
  t.notMatch(text, /secret/)
  const tooLarge = await ask('/echo', { body: { contains: 'z' } }, { method: 'POST', body: 'a'.repeat(12_000_000) })
  t.equal(tooLarge.status, 413)
})

t.test('scripts of other origins may read whether it was met [LLMN-22]', async t => {
  for (const method of ['GET', 'PUT']) {
    const response = await ask('/echo', { method }, { headers: { Origin: 'https://other.example' } })
    t.match(response.headers.get('access-control-expose-headers'), /X-Svc-Expectation/i)
  }
})

t.test('gRPC calls have expectations, of which the status tells [LLMN-22]', async t => {
  const client = echoClient(`127.0.0.1:${server.ports.grpc}`)
  t.teardown(() => client.close())
  const expecting = (text: string): { metadata: Metadata } => {
    const metadata = new Metadata()
    metadata.set('x-svc-expect', text)
    return { metadata }
  }
  const service = 'svc.echo.v1.EchoService'
  t.match(await call(client, 'Echo', { message: 'hi' }, expecting(JSON.stringify({ grpc: { service } }))), {
    message: 'hi',
  })
  const failed = await failureOf(call(client, 'Echo', { message: 'hi' }, expecting('{"grpc":{"method":"Fail"}}')))
  t.equal(failed.code, 9)
  t.match(JSON.parse(failed.details), {
    error: 'expectation_failed',
    differences: [{ at: 'grpc.method', expected: 'Fail', got: 'Echo' }],
  })
  const wrong = await failureOf(call(client, 'Echo', { message: 'hi' }, expecting('{')))
  t.equal(wrong.code, 3)
  t.match(JSON.parse(wrong.details), { error: 'invalid_expectation' })
})

t.test('a handshake of a WebSocket has expectations [LLMN-22]', async t => {
  const handshake = (tenant: string): Promise<[status: number | undefined, expectation: unknown]> =>
    new Promise(resolve => {
      const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws`, {
        headers: { 'X-Tenant': tenant, 'X-Svc-Expect': '{"header":{"x-tenant":"a"}}' },
      })
      const end = ({ statusCode, headers }: IncomingMessage): void => {
        resolve([statusCode, headers['x-svc-expectation']])
        socket.terminate()
      }
      socket.on('unexpected-response', (_request, response) => end(response))
      socket.on('upgrade', end)
      socket.on('error', () => {})
    })
  t.same(await handshake('b'), [417, 'failed'])
  t.same(await handshake('a'), [101, 'met'])
})

t.test('a value that cannot be read is a 400 [LLMN-22]', async t => {
  const wrong: [text: string, at: string][] = [
    ['{', ''],
    ['[]', ''],
    ['{"status":200}', 'status'],
    ['{"rule":"x"}', 'rule'],
    ['{"since":"5m"}', 'since'],
    [`{"header":{"a":"${'x'.repeat(17_000)}"}}`, ''],
    ['[['.repeat(200), ''],
    ['{"methods":"GET"}', 'methods'],
    ['{"header":{"a":{"matches":"("}}}', 'header.a.matches'],
  ]
  for (const [text, at] of wrong) {
    const response = await ask('/echo', text)
    t.equal(response.status, 400, text)
    t.match(await response.json(), { error: 'invalid_expectation', at, details: /./ }, text)
  }
})
