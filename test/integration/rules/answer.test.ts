/** `X-Svc-Answer`: the response that a request asks for. */
import { connect } from 'node:http2'
import { once } from 'node:events'
import { request } from 'node:http'
import t from 'tap'
import { WebSocket } from 'ws'
import { exchange } from '../../support/raw-client.ts'
import { putRule, send, type Reply } from '../../support/rules.ts'
import { serve, type TestServer } from '../../support/server.ts'

const server = await serve(t, {
  plugins: ['console', 'docs', 'echo', 'llm', 'llm-openai', 'websocket'],
  env: { SVC_GRPC_ON_HTTP: 'true' },
})
const port = Number(new URL(server.url).port)

type Init = Parameters<typeof send>[2]

function ask(
  answer: unknown,
  target = '/echo',
  { headers, ...init }: Init = {},
  at: TestServer = server,
): Promise<Reply> {
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer)
  return send(at, target, { ...init, headers: { ...(headers as Record<string, string>), 'X-Svc-Answer': text } })
}

t.test('a status, JSON, or base64url of it is the response of any route [ANSWER-1]', async t => {
  const answer = { status: 418, headers: { 'X-A': ['1', '2'] }, body: { ok: '{{request.method}} {{request.body.n}}' } }
  for (const target of ['POST /echo', 'POST /unknown/path', 'POST /status/204']) {
    for (const value of [answer, Buffer.from(JSON.stringify(answer)).toString('base64url')]) {
      const reply = await ask(value, target, { body: { n: 7 } })
      t.equal(reply.status, 418, target)
      t.same(reply.json, { ok: 'POST 7' })
      t.equal(reply.headers.get('x-a'), '1, 2')
      t.equal(reply.headers.get('x-svc-answer'), 'applied')
      t.equal(reply.headers.get('x-svc-rule'), null)
    }
  }
  const empty = await ask('503')
  t.same([empty.status, empty.text], [503, ''])
})

t.test('the response is coded as the answer says, unless X-Svc-Encoding does [ANSWER-11]', async t => {
  const coded = await ask({ body: 'hello', encoding: 'gzip' })
  t.match([...coded.headers].join(), /content-encoding,gzip/)
  t.equal(coded.text, 'hello')
  const own = await ask({ body: 'hello', encoding: 'gzip' }, '/echo', { headers: { 'X-Svc-Encoding': 'br' } })
  t.equal(own.headers.get('content-encoding'), 'br')
  for (const encoding of ['lzma', 7, null]) {
    const wrong = await ask({ encoding })
    t.match([wrong.status, wrong.json], [400, { error: 'invalid_answer', at: 'encoding' }])
  }
})

t.test('order, case, repetition, reason, trailers and interim responses are as asked [ANSWER-2]', async t => {
  const answer = {
    status: 299,
    reason: 'Fine By Me',
    headers: [
      ['X-B', '1'],
      ['x-a', '2'],
      ['X-B', '3'],
    ],
    body: 'hello',
    trailers: { 'X-Sum': '5' },
    interim: [{ status: 103, headers: { Link: '</a>; rel=preload' } }],
  }
  const { text } = await exchange(
    port,
    `GET /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Svc-Answer: ${JSON.stringify(answer)}\r\n\r\n`,
  )
  t.match(text, /^HTTP\/1\.1 103 Early Hints\r\nlink: <\/a>; rel=preload\r\n\r\nHTTP\/1\.1 299 Fine By Me\r\n/)
  t.match(text, /\r\nX-B: 1\r\nx-a: 2\r\nX-B: 3\r\n/)
  t.match(text, /\r\n5\r\nhello\r\n0\r\nx-sum: 5\r\n\r\n$/i)
  const session = connect(server.url)
  t.teardown(() => session.close())
  const stream = session.request({ ':path': '/echo', 'x-svc-answer': JSON.stringify(answer) })
  const [head] = await once(stream, 'response')
  stream.resume()
  t.match(head, { ':status': 299, 'x-b': '1, 3', 'x-svc-answer': 'applied' })
})

t.test('HEAD and statuses without content have no body; delay is before the head [ANSWER-3]', async t => {
  t.match(await ask({ body: 'x' }, 'HEAD /echo'), { status: 200, text: '' })
  for (const status of [204, 205, 304]) t.match(await ask({ status, body: 'x' }), { status, text: '' })
  const startedAt = performance.now()
  t.equal((await ask({ delay: 60 })).status, 200)
  t.ok(performance.now() - startedAt >= 59)
  t.match(Object.fromEntries((await ask({ body: '<p>', content_type: 'text/html' })).headers), {
    'content-security-policy': /^sandbox /,
    'x-content-type-options': 'nosniff',
  })
})

t.test('it comes after expectations and faults, and before rules, which do not count [ANSWER-4]', async t => {
  await putRule(server, 'other', { match: { path: '/echo' }, then: { respond: { status: 202 } } })
  t.equal((await ask('201')).status, 201)
  t.equal((await ask('201', '/echo', { headers: { 'X-Svc-Fail': '502' } })).status, 502)
  t.equal((await ask('201', '/echo', { headers: { 'X-Svc-Fail': '502:0' } })).status, 201)
  t.equal((await ask('201', '/echo', { headers: { 'X-Svc-Expect': '{"method":"PUT"}' } })).status, 417)
  const met = await ask('201', '/echo', { headers: { 'X-Svc-Expect': '{"method":"GET"}' } })
  t.same([met.status, met.headers.get('x-svc-expectation')], [201, 'met'])
  await t.rejects(ask('201', '/echo', { headers: { 'X-Svc-Abort': 'reset' } }))
  t.match((await send(server, '/_svc/rules/other')).json, { hits: 0, matches: 0 })
  t.equal((await send(server, '/echo')).status, 202)
  await send(server, 'DELETE /_svc/rules/other')
})

t.test('on model routes it comes before the credential, with X-Svc-Fail after it [ANSWER-5]', async t => {
  const chat = (headers: Record<string, string>): Promise<Reply> =>
    ask({ status: 209, body: 'own' }, 'POST /ai/v1/chat/completions', {
      headers,
      body: { model: 'svc-gpt', messages: [{ role: 'user', content: 'hi' }] },
    })
  t.match(await chat({ 'X-Svc-Require-Auth': 'true' }), { status: 209, text: 'own' })
  t.equal((await chat({ 'X-Svc-Require-Auth': 'true', 'X-Svc-Fail': 'rate_limit:0' })).status, 401)
  t.equal((await chat({ 'X-Svc-Fail': 'rate_limit' })).status, 429)
  const spared = await chat({ 'X-Svc-Fail': 'rate_limit:0' })
  t.same([spared.status, spared.text, spared.headers.get('x-svc-answer')], [209, 'own', 'applied'])
})

t.test('not below /_svc and /ui, nor on pages of the instance [ANSWER-6]', async t => {
  for (const target of ['/_svc/status', '/ui', '/', '/openapi.json', 'OPTIONS /_svc/status']) {
    const reply = await ask('503', target, { headers: { accept: 'text/html' } })
    t.not(reply.status, 503, target)
    t.equal(reply.headers.get('x-svc-answer'), null)
  }
  const preflight = await ask('503', 'OPTIONS /echo', {
    headers: { 'access-control-request-method': 'GET', origin: 'https://a.example' },
  })
  t.equal(preflight.headers.get('x-svc-answer'), null)
})

t.test('browsers may read the header, and a handshake can be refused [ANSWER-7]', async t => {
  const reply = await ask('201', '/echo', { headers: { origin: 'https://a.example' } })
  t.match(reply.headers.get('access-control-expose-headers'), /X-Svc-Answer/)
  const open = (answer: string): Promise<unknown> =>
    new Promise(resolve => {
      const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws`, { headers: { 'X-Svc-Answer': answer } })
      socket.on('unexpected-response', (_request, response) => {
        resolve(response.statusCode)
        socket.terminate()
      })
      socket.on('error', () => {})
    })
  t.equal(await open('429'), 429)
  t.equal(await open('200'), 400)
})

t.test('a wrong value is 400 with its place [ANSWER-8]', async t => {
  const rows: [answer: unknown, at: string, details: RegExp][] = [
    ['', '', /expected a status/],
    ['600', 'status', /200 to 599/],
    ['nope!', '', /expected a status/],
    [[], '', /expected a status/],
    [{ stauts: 1 }, 'stauts', /unknown key|status/],
    [{ headers: [['Content-Length', '3']] }, 'headers[0]', /belongs to/],
    [{ headers: [['X-A', 'a\r\nb']] }, 'headers[0]', /printable/],
    [{ headers: { 'X-Svc-Answer': 'x' } }, 'headers.X-Svc-Answer', /belongs to/],
    [{ trailers: { Host: 'x' } }, 'trailers.Host', /belongs to/],
    [{ trailers: [] }, 'trailers', /object/],
    [{ interim: [{ status: 101 }] }, 'interim[0].status', /102 to 104/],
    [{ interim: Array.from({ length: 6 }, () => ({ status: 102 })) }, 'interim', /at most 5/],
    [{ body: 'a', size: 1 }, 'size', /at most one of/],
    [{ size: 10_485_761 }, 'size', /from 0 to 10485760/],
    [{ body_file: 'a.txt' }, 'body_file', /^body_file is for rules in svc.yaml/],
    [{ body_files: 'a.txt' }, 'body_files', /unknown key/],
    [{ delay: 30_001 }, 'delay', /from 0 to 30000/],
    [{ body: '{{nope.a}}' }, 'body', /nope/],
    [{ body: 'a'.repeat(12_280) }, '', /12288/],
  ]
  for (const [answer, at, details] of rows) {
    const reply = await ask(answer)
    t.equal(reply.status, 400, JSON.stringify(answer).slice(0, 80))
    t.match(reply.json, { error: 'invalid_answer', at, details })
    t.equal(reply.headers.get('x-svc-answer'), null)
  }
  const latin = request({ port, path: '/echo', headers: { 'X-Svc-Answer': '{"body":"ü"}' } })
  const [response] = await once(latin.end(), 'response')
  response.resume()
  t.equal(response.statusCode, 400, 'only ASCII')
})

t.test('what templates insert is bounded [ANSWER-9]', async t => {
  const small = await serve(t, { plugins: ['echo'], env: { SVC_BUDGET_OUTPUT_BYTES: '65536' } })
  const answer = { body: '{{request.body}}'.repeat(600) }
  const reply = await ask(
    answer,
    'POST /echo',
    { body: 'x'.repeat(1000), headers: { 'content-type': 'text/plain' } },
    small,
  )
  t.equal(reply.status, 500)
  t.match(reply.json, { error: 'template_too_large' })
})
