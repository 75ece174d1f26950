/** The echo server of Gateway API's conformance tests. */
import { connect } from 'node:http2'
import t from 'tap'
import WebSocket from 'ws'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

const plugins = ['httpbin']
const settings = {
  httpbin: {
    hosts: [{ host: 'infra-backend-v1', serve: 'echo-basic' }],
    echo_basic: { namespace: 'infra', service: 'backend-v1' },
  },
}
const options = {
  plugins,
  settings,
  env: { POD_NAME: 'pod-7', SERVICE_NAME: 'other', SVC_GRPC_ON_HTTP: 'true' },
}
const server = await serve(t, options)
const { url } = server
const Host = 'infra-backend-v1'
const on = (path: string, headers = {}, method = 'GET') => send(url, path, { method, headers: { Host, ...headers } })

t.test('the request as JSON with one blank of indent [HB-12]', async t => {
  const one = await serve(t, { ...options, oneProcess: 'the response contains its port' })
  const reply = await send(one.url, '/echo-basic//v2/example?x=1', {
    headers: { Host: 'echo.test', 'user-agent': 'probe/1' },
  })
  t.match(reply.headers, { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' })
  t.equal(
    reply.text,
    `{
 "path": "/echo-basic//v2/example?x=1",
 "host": "echo.test",
 "method": "GET",
 "proto": "HTTP/1.1",
 "headers": {
  "Connection": [
   "close"
  ],
  "User-Agent": [
   "probe/1"
  ]
 },
 "httpPort": "${new URL(one.url).port}",
 "namespace": "infra",
 "ingress": "",
 "service": "backend-v1",
 "pod": "pod-7"
}`,
  )
})

t.test('a host of echo-basic [HB-12]', async t => {
  const { path, method, host } = (await on('/v2//x?a=1', {}, 'PUT')).json()
  t.strictSame({ path, method, host }, { path: '/v2//x?a=1', method: 'PUT', host: Host })
  t.equal((await on('/')).json().path, '/')
  t.equal((await on('/health')).text, 'OK')
  t.equal((await on('//health')).text, 'OK')
  t.equal((await on('/status/503')).status, 503)
  t.equal((await on('/status/99')).status, 400)
  t.equal((await on('/status/abc')).status, 400)
  t.match(await on('/status/503?a=1'), { status: 400, text: '' })
  const echoed = await new Promise<string>((resolve, reject) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, { headers: { Host } })
    socket.on('open', () => socket.send('hi'))
    socket.on('message', message => {
      resolve(String(message))
      socket.close()
    })
    socket.on('error', reject)
  })
  t.equal(echoed, 'hi')
})

t.test('the TLS connection [HB-12]', async t => {
  const echoed = (await send(server.httpsUrl!, '/echo-basic')).json<Record<string, unknown>>()
  t.match(echoed, { tls: { version: 'TLSv1.3', cipherSuite: /^TLS_/ }, proto: 'HTTP/1.1' })
  t.equal(Object.keys(echoed).at(-1), 'tls', 'it is last')
  const old = await serve(t, { ...options, settings: { httpbin: { echo_basic: { sni: true } } } })
  const before = (await send(old.httpsUrl!, '/echo-basic')).json<{ sni: string; tls: { serverName: string } }>()
  t.equal(before.sni, before.tls.serverName)
})

t.test('HTTP/2 [HB-12]', async t => {
  const session = connect(url)
  const body = await new Promise<string>((resolve, reject) => {
    let text = ''
    session.on('error', reject)
    const stream = session.request({ ':path': '/echo-basic/h2', ':authority': 'echo.test' })
    stream.on('data', chunk => (text += String(chunk))).on('end', () => resolve(text))
  })
  session.close()
  t.match(JSON.parse(body), { path: '/echo-basic/h2', host: 'echo.test', proto: 'HTTP/2.0' })
})

t.test('headers and delays on request [HB-13]', async t => {
  const { headers } = await on('/', {
    'X-Echo-Set-Header':
      'A:1, B:2, a:3, Content-Length: 5, X-Request-Id: x, X-Svc-Fault: y, bad name: 1, Transfer-Encoding: z',
  })
  t.match(headers, { a: '1,3', b: '2' })
  t.not(headers['x-request-id'], 'x')
  t.notOk(headers['x-svc-fault'])
  const startedAt = performance.now()
  t.equal((await on('/?delay=200ms')).status, 200)
  t.ok(performance.now() - startedAt >= 195)
  t.match(await on('/?delay=soon'), { status: 500, text: /"message":"time: invalid duration/ })
  t.equal((await on('/', { 'X-Echo-Set-Header': 'X-Empty' })).headers['x-empty'], '')
})

t.test('attempts fail before one succeeds [HB-13]', async t => {
  t.match(await on('/retry?uuid=1'), { status: 307, headers: { location: '/retry/?uuid=1' } })
  t.match(await on('/retry/'), { status: 400, text: 'uuid is required' })
  t.match(await on('/retry/?uuid=a&succeedAfter=x'), { status: 400, text: 'succeedAfter is required' })
  const coded = '/retry/?uuid=b&succeedAfter=2&responseCode=503'
  const statuses = [await on(coded), await on(coded), await on(coded), await on(coded)].map(({ status }) => status)
  t.same(statuses, [503, 503, 200, 200])
  t.match((await on(coded)).json(), { path: coded })
  await t.rejects(on('/retry/x?uuid=c&succeedAfter=1'), { code: 'ECONNRESET' })
  t.equal((await on('/retry/x?uuid=c&succeedAfter=1')).status, 200)
  t.equal((await on('/retry/?uuid=d&succeedAfter=-1')).status, 200)
  t.match(await on('/retry/?uuid=e&succeedAfter=1&responseCode=503&delayRetry=zz'), {
    status: 500,
    text: /time: invalid duration \\"zz\\"/,
  })
  const below = '/echo-basic/retry/?uuid=f&succeedAfter=1&responseCode=502'
  t.equal((await send(url, below)).status, 502)
  t.equal((await send(url, below)).status, 200)
})
