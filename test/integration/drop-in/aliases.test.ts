/** `drop_in.aliases`: the headers of Envoy AI Gateway's test upstream on all routes. */
import { connect } from 'node:http2'
import { once } from 'node:events'
import { gunzipSync } from 'node:zlib'
import t from 'tap'
import { WebSocket } from 'ws'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

const PLUGINS = ['console', 'drop-in', 'echo', 'llm', 'llm-openai', 'websocket']
const server = await serve(t, {
  plugins: PLUGINS,
  env: { SVC_GRPC_ON_HTTP: 'true' },
  settings: { drop_in: { aliases: ['testupstream'] } },
})
const { url } = server
const b64 = (text: string): string => Buffer.from(text).toString('base64')

type Options = Parameters<typeof send>[2]
const ask = (path: string, headers: Record<string, string>, options: Options = {}, at = url) =>
  send(at, path, { ...options, headers: { ...headers, ...options?.headers } })
const post = (path: string, headers: Record<string, string>, body = '{"model":"m"}') =>
  ask(path, { 'Content-Length': String(body.length), ...headers }, { method: 'POST', body })

t.test('what the headers expect must hold on every route, in the order of the original [DIN-50]', async t => {
  const met = await post('/echo?a=1', {
    'x-expected-host': new URL(url).host,
    'x-expected-headers': b64('content-length:13,x-none:'),
    'x-non-expected-request-headers': b64('x-other,x-empty'),
    'x-empty': '',
    'x-expected-path': b64('/echo'),
    'x-expected-raw-query': 'a=1',
    'x-expected-request-body': b64('{"model":"m"}'),
  })
  t.match(met, { status: 200, headers: { 'x-svc-expectation': 'met' } })
  t.equal(met.headers['x-svc-answer'], undefined, 'the route has answered')
  const wrong: [headers: Record<string, string>, line: RegExp][] = [
    [{ 'x-expected-host': 'a.example' }, /^unexpected host: got "127\.0\.0\.1:\d+", expected "a\.example"\n$/],
    [{ 'x-expected-headers': b64('x-lane:blue') }, /^unexpected header x-lane: got "", expected "blue"\n$/],
    [{ 'x-non-expected-request-headers': b64('content-length') }, /^unexpected header content-length is present\n$/],
    [{ 'x-expected-testupstream-id': 'blue' }, /^unexpected testupstream id: got ".+", expected "blue"\n$/],
    [{ 'x-expected-path': b64('/other') }, /^unexpected path: got "\/echo", expected "\/other"\n$/],
    [{ 'x-expected-raw-query': 'b=2' }, /^unexpected raw query: got /],
    [
      { 'x-expected-request-body': b64('other') },
      /^unexpected request body: got "\{\\"model\\":\\"m\\"\}", expected "other"\n$/,
    ],
    [
      { 'x-expected-path': b64('/other'), 'x-expected-host': 'a.example', 'x-expected-request-body': b64('x') },
      /^unexpected host/,
    ],
    [
      { 'x-expected-path': b64('/other'), 'x-non-expected-request-headers': b64('content-length') },
      /^unexpected header/,
    ],
  ]
  for (const [headers, line] of wrong) {
    const reply = await post('/echo', headers)
    t.match(reply, { status: 400, text: line, headers: { 'x-testupstream-error': 'true' } }, JSON.stringify(headers))
    t.equal(reply.headers['content-type'], 'text/plain; charset=utf-8')
    t.ok(reply.headers['testupstream-id'])
  }
})

t.test('a request with a body needs Content-Length, unless an endpoint picker has chosen [DIN-50]', async t => {
  const chunked = (headers: Record<string, string>) =>
    ask(
      '/echo',
      { 'Transfer-Encoding': 'chunked', 'x-expected-path': b64('/echo'), ...headers },
      { method: 'POST', body: 'hi' },
    )
  t.match(await chunked({}), { status: 400, text: 'the request has no Content-Length\n' })
  t.equal((await chunked({ 'x-gateway-destination-endpoint': '10.0.0.1:80' })).status, 200)
  const other = await send(url, '/echo', { method: 'POST', body: 'hi', headers: { 'Transfer-Encoding': 'chunked' } })
  t.equal(other.status, 200, 'without headers of the upstream')
})

t.test('the answer of the headers, on known and unknown paths [DIN-51]', async t => {
  for (const path of ['/echo', '/no/such/path', '/ai/openai/v1/chat/completions', '/drop-in/testupstream/any']) {
    const reply = await post(path, {
      'x-response-body': b64('{"a":"{{request.path}}"}'),
      'x-response-status': '418',
      'x-response-headers': b64('X-Own:1,Content-Length:3,Set-Cookie:a=b,X-Svc-Rule:none'),
    })
    t.match(reply, { status: 418, text: '{"a":"{{request.path}}"}' }, path)
    t.match(reply.headers, {
      'x-own': '1',
      'x-svc-answer': 'applied',
      'x-model': 'm',
      'content-type': 'application/json',
    })
    t.equal(reply.headers['content-length'], '24')
    t.equal(reply.headers['x-svc-rule'], undefined)
  }
  const usual = await post('/v1/chat/completions', { 'x-response-status': '200' })
  t.match(JSON.parse(usual.text), { usage: { total_tokens: 300 } })
  t.match(await ask('/echo', { 'x-response-status': '503' }), { status: 503, text: '' })
  t.match(
    await ask('/echo', { 'x-response-type': 'sse' }),
    { status: 200, headers: { 'content-type': /json/ } },
    'asks for nothing',
  )
  const own = await ask('/echo', { 'x-response-status': '503', 'X-Svc-Answer': '418' })
  t.equal(own.status, 418, 'the header of svc wins')
  const expected = await ask('/echo', { 'x-response-status': '503', 'X-Svc-Expect': '{"method":"PUT"}' })
  t.equal(expected.status, 417)
})

t.test('events, compressed events and frames [DIN-51]', async t => {
  const events = { 'x-response-type': 'sse', 'x-response-body': b64('one\ntwo') }
  t.match(await ask('/echo', events), {
    text: 'data: one\n\ndata: two\n\n',
    headers: { 'content-type': 'text/event-stream' },
  })
  const zipped = await ask('/echo', { ...events, 'x-response-type': 'sse-gzip' })
  t.equal(zipped.headers['content-encoding'], 'gzip')
  t.equal(gunzipSync(zipped.body).toString(), 'data: one\n\ndata: two\n\n')
  const asIs = await ask('/echo', {
    'x-response-type': 'sse',
    'x-response-body': b64('event: a\ndata: 1\n\ndata: 2\n\n'),
  })
  t.equal(asIs.text, 'event: a\ndata: 1\n\ndata: 2\n\n')
  const gzip = await ask('/echo', { 'x-response-type': 'gzip', 'x-response-body': b64('{}') })
  t.equal(gunzipSync(gzip.body).toString(), '{}')
  const frames = await ask('/echo', {
    'x-response-type': 'aws-event-stream',
    'x-response-body': b64('{"messageStart":{}}'),
  })
  t.match(frames.body.toString('latin1'), /:event-type[^]*messageStart[^]*this-is-end/)
})

t.test('values that cannot be read are a 400 in one line [DIN-52]', async t => {
  const wrong: Record<string, string>[] = [
    { 'x-expected-headers': b64('no colon') },
    { 'x-expected-headers': b64('bad name:1') },
    { 'x-expected-headers': b64(Array.from({ length: 60 }, (_, index) => `x-${index}:1`).join(',')) },
    { 'x-expected-headers': 'not base64!' },
    { 'x-non-expected-request-headers': b64('{}') },
    { 'x-expected-path': 'abc' },
    { 'x-expected-request-body': '====' },
    { 'x-response-body': '%%%' },
    { 'x-response-status': '99' },
    { 'x-response-status': '600' },
    { 'x-response-status': '2e2' },
    { 'x-response-headers': b64(':1') },
    { 'x-response-type': 'sse', 'x-response-body': b64('a\n'.repeat(2000)) },
  ]
  for (const headers of wrong) {
    const reply = await ask('/echo', headers)
    t.match(reply, { status: 400, headers: { 'x-testupstream-error': 'true' } }, JSON.stringify(headers).slice(0, 200))
    t.match(reply.text, /^[^\n]{5,300}\n$/)
  }
  t.equal(
    (await ask('/echo', { 'x-response-headers': b64('a b:1,x-crlf:1\r\ny: 2,x-ok:1'), 'x-response-status': '201' }))
      .headers['x-ok'],
    '1',
  )
})

t.test('the control plane, pages and gRPC are not concerned; handshakes and HTTP/2 are [DIN-53]', async t => {
  const headers = { 'x-response-status': '418', 'x-expected-host': 'a.example' }
  for (const path of ['/_svc/status', '/ui/']) t.equal((await ask(path, headers)).status, 200, path)
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, { headers: { 'x-response-status': '503' } })
  const [, refused] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }]
  t.equal(refused.statusCode, 503)
  const session = connect(url)
  t.teardown(() => session.close())
  const status = async (fields: Record<string, string>): Promise<unknown> => {
    const stream = session.request({ ':path': '/echo', ...fields }).end()
    const [head] = (await once(stream, 'response')) as [Record<string, unknown>]
    stream.resume()
    return head[':status']
  }
  t.equal(await status({ 'x-expected-host': new URL(url).host, 'x-response-status': '204' }), 204)
  t.equal(await status({ 'x-expected-host': 'a.example' }), 400)
})

t.test('without the option the headers mean nothing; an unknown name is a load error [DIN-53]', async t => {
  const other = await serve(t, { plugins: PLUGINS, settings: { drop_in: { aliases: ['testupstrem'] } } })
  const reply = await ask('/echo', { 'x-response-status': '418' }, {}, other.url)
  t.equal(reply.status, 200)
  t.match(JSON.stringify(other.problems()), /drop_in\.aliases\[0\][^]*testupstream/)
})
