/** `X-Svc-Expect`: conditions that a request states about itself. */
import t from 'tap'
import { WebSocket } from 'ws'
import { serve } from '../../support/server.ts'

const server = await serve(t, { plugins: ['echo', 'llm', 'llm-openai', 'websocket'] })

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
  const { requests } = (await (await fetch(`${server.url}/_svc/requests?limit=1`)).json()) as { requests: object[] }
  t.match(requests[0], { status: 417, fault: null })
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

t.test('unknown paths have expectations; the control plane has none [LLMN-22]', async t => {
  t.equal((await ask('/nowhere', { path: '/somewhere' })).status, 417)
  t.equal((await ask('/_svc/config', { path: '/somewhere' })).status, 200)
})

t.test('a handshake of a WebSocket has expectations [LLMN-22]', async t => {
  const status = await new Promise(resolve => {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws`, {
      headers: { 'X-Svc-Expect': '{"header":{"x-tenant":"a"}}' },
    })
    socket.on('unexpected-response', (_request, response) => {
      resolve(response.statusCode)
      socket.terminate()
    })
    socket.on('open', () => resolve(101))
    socket.on('error', () => {})
  })
  t.equal(status, 417)
})

t.test('a value that cannot be read is a 400 [LLMN-22]', async t => {
  const wrong: [text: string, at: string][] = [
    ['{', ''],
    ['[]', ''],
    ['{"status":200}', 'status'],
    ['{"rule":"x"}', 'rule'],
    ['{"methods":"GET"}', 'methods'],
    ['{"header":{"a":{"matches":"("}}}', 'header.a.matches'],
  ]
  for (const [text, at] of wrong) {
    const response = await ask('/echo', text)
    t.equal(response.status, 400, text)
    t.match(await response.json(), { error: 'invalid_expectation', at, details: /./ }, text)
  }
})
