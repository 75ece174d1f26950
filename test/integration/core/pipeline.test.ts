/** The pipeline, tested from outside: what all routes share. */
import t from 'tap'
import { connect as connectHttp2, type OutgoingHttpHeaders } from 'node:http2'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Agent as UndiciAgent, fetch as undiciFetch } from 'undici'
import { WebSocket } from 'ws'
import { pluginFolder } from '../../support/plugins.ts'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'

/** Routes that misbehave, or have their own error format. */
const ROUTES = `import { definePlugin, describe, HttpError } from 'svc/plugin'
const plain = { summary: 's', category: 'Test', examples: [] }
export default definePlugin({ title: 'r', paths: ['/r'], exposes: ['X-Mine'], register(app, svc) {
  app.get('/r/never', describe(plain), async () => new Promise(() => {}))
  app.get('/r/late', describe(plain), async () => { await new Promise(resolve => setTimeout(resolve, 1300)); return 'late' })
  app.get('/r/throws', describe(plain), async () => { throw new Error('secret detail') })
  app.get('/r/refuses', describe({ ...plain, negotiated: true }), async () => { throw new HttpError(418, { error: 'teapot' }, { 'X-Mine': '1' }) })
  app.get('/r/snowman', describe(plain), async (request, reply) => reply.header('X-U', '\u2603').send('x'))
  app.all('/r/form', describe({ ...plain, bodyLimit: 100, errorForm: failure => ({ headers: { 'X-Form': failure.kind, 'Content-Type': 'text/plain' }, body: 'my ' + failure.status }) }), async request => { if (request.query.throws) throw new Error('x'); return 'fine' })
  app.get('/r/own', describe({ ...plain, ownFail: true }), async () => 'served')
  app.get('/r/vary', describe(plain), async (request, reply) => reply.header('Vary', 'Accept-Encoding').send('v'))
  app.get('/r/ws', { websocket: true, ...describe({ ...plain, protocol: 'websocket', subprotocol: offered => offered.at(-1) }) }, socket => { socket.on('message', data => socket.send(String(data))) })
  app.get('/r/first', { websocket: true, ...describe({ ...plain, protocol: 'websocket' }) }, () => {})
} })`

async function serveRoutes(t: Parameters<typeof serve>[0], env: Record<string, string> = {}) {
  const { folder } = pluginFolder(t, { r: ROUTES })
  return serve(t, { env: { SVC_PLUGINS_DIR: folder, ...env }, oneProcess: 'it looks at the bytes of a connection' })
}

t.test("the request id is the client's own, verbatim, or a new one that the route sees [PIPE-1]", async t => {
  const server = await serveRoutes(t)
  for (const id of ['abc', 'not a uuid; x=1', 'x'.repeat(2_000)]) {
    t.equal((await fetch(`${server.url}/echo`, { headers: { 'X-Request-Id': id } })).headers.get('x-request-id'), id)
  }
  const response = await fetch(`${server.url}/echo`)
  const id = response.headers.get('x-request-id')!
  t.match(id, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  t.strictSame(((await response.json()) as { headers: Record<string, string[]> }).headers['x-request-id'], [id])
  for (const path of ['/no/such', '/%zz', '/r/throws', '/r/refuses'])
    t.ok((await fetch(server.url + path)).headers.get('x-request-id'), path)
})

t.test('a body of exactly the limit is accepted; with one more byte the client gets a 413 [PIPE-2]', async t => {
  const server = await serveRoutes(t, { SVC_BODY_LIMIT: '1000' })
  t.equal((await fetch(`${server.url}/echo`, { method: 'POST', body: 'x'.repeat(1_000) })).status, 200)
  for (const path of ['/echo', '/no/such', '/_svc/reload', '/health']) {
    for (const method of ['POST', 'DELETE']) {
      const response = await fetch(server.url + path, { method, body: 'x'.repeat(1_001) })
      t.equal(response.status, 413, `${method} ${path}`)
      t.equal(response.headers.get('connection'), 'close')
      t.strictSame(await response.json(), {
        error: 'payload too large',
        limit: 1000,
        hint: 'the body exceeds SVC_BODY_LIMIT',
      })
    }
  }
})

t.test('a large upload gets a 413 and no reset, with a length, chunked or with Expect [PIPE-2]', async t => {
  const server = await serveRoutes(t)
  const big = Buffer.alloc(8 * 1024 * 1024, 'x')
  const upload = (headers: OutgoingHttpHeaders): Promise<{ status: number; isContinued: boolean }> =>
    new Promise((resolve, reject) => {
      let isContinued = false
      const sent = request(`${server.url}/echo`, { method: 'POST', headers }, response =>
        response.on('end', () => resolve({ status: response.statusCode!, isContinued })).resume(),
      )
      sent.on('error', reject).on('continue', () => {
        isContinued = true
        sent.end(big)
      })
      if (headers.Expect === undefined) sent.end(big)
      else sent.flushHeaders()
    })
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      upload(n % 2 ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': big.length }),
    ),
  )
  t.strictSame(
    answers.map(answer => answer.status),
    answers.map(() => 413),
  )
  t.strictSame(await upload({ 'Content-Length': big.length, Expect: '100-continue' }), {
    status: 413,
    isContinued: false,
  })
  t.strictSame(await upload({ 'Transfer-Encoding': 'chunked', Expect: '100-continue' }), {
    status: 413,
    isContinued: true,
  })
})

t.test('a route may have a lower body limit and its own error format [PIPE-2, PIPE-6]', async t => {
  const server = await serveRoutes(t)
  const response = await fetch(`${server.url}/r/form`, { method: 'POST', body: 'x'.repeat(101) })
  t.equal(response.status, 413)
  t.equal(response.headers.get('x-form'), 'payload_too_large')
  t.equal(await response.text(), 'my 413')
  const fault = await fetch(`${server.url}/r/form`, { headers: { 'X-Svc-Fail': '429' } })
  t.strictSame([fault.status, fault.headers.get('x-form'), await fault.text()], [429, 'injected', 'my 429'])
  const thrown = await fetch(`${server.url}/r/form?throws=1`)
  t.strictSame([thrown.status, thrown.headers.get('x-form'), await thrown.text()], [500, 'internal', 'my 500'])
})

t.test('without response headers in time a 503 is sent, and later output is silently dropped [PIPE-3]', async t => {
  const server = await serveRoutes(t, { SVC_REQUEST_TIMEOUT: '1' })
  const answers = await Promise.all(['/r/never', '/r/late'].map(path => fetch(server.url + path)))
  for (const response of answers) {
    t.equal(response.status, 503)
    t.equal(response.headers.get('connection'), 'close')
    t.strictSame(await response.json(), {
      error: 'request timeout',
      timeout_secs: 1,
      hint: 'the route sent no response headers within SVC_REQUEST_TIMEOUT seconds',
    })
  }
  const delayed = await fetch(`${server.url}/echo`, { headers: { 'X-Svc-Delay': '20000' } })
  t.equal(delayed.status, 503, 'an injected delay counts')
  t.equal((await fetch(`${server.url}/echo`)).status, 200)
  t.strictSame(
    server.lines.filter(line => /ERROR|WARN/.test(line)),
    [],
  )
})

t.test('an exception gives a 500 without details, and the stack is logged [PIPE-3]', async t => {
  const server = await serveRoutes(t)
  const response = await fetch(`${server.url}/r/throws`)
  t.equal(response.status, 500)
  t.strictSame(await response.json(), { error: 'internal error', request_id: response.headers.get('x-request-id') })
  const line = server.lines.find(line => line.includes('secret detail'))
  t.match(line, /plugin=r\b/)
  t.match(line, /r\/index\.ts:\d+:\d+/)
  const refused = await fetch(`${server.url}/r/refuses`, { headers: { Accept: 'application/xml' } })
  t.strictSame([refused.status, refused.headers.get('x-mine')], [418, '1'])
  t.match(await refused.text(), /<response><error>teapot<\/error><\/response>/)
})

t.test('a header that cannot be sent is a 500 with the reason phrase of a 500 [PIPE-3]', async t => {
  const server = await serveRoutes(t)
  const { status, statusText } = await fetch(`${server.url}/r/snowman`)
  t.strictSame([status, statusText], [500, 'Internal Server Error'])
})

t.test('404 and 405 list what exists [PIPE-4]', async t => {
  const server = await serveRoutes(t)
  t.strictSame(await (await fetch(`${server.url}/no/such?x=1`)).json(), {
    error: 'not found',
    method: 'GET',
    path: '/no/such',
    hint: 'GET / lists every endpoint; /openapi.json describes them',
  })
  for (const path of ['/ECHO', '/echo//', '//echo', '/health/', '/r'])
    t.ok([404, 200].includes((await fetch(server.url + path)).status), path)
  t.equal((await fetch(`${server.url}/Health`)).status, 404, 'case counts')
  t.equal((await fetch(`${server.url}/health/`)).status, 404, 'a trailing slash counts')
  const wrong = await fetch(`${server.url}/_svc/ready`, { method: 'DELETE' })
  t.equal(wrong.status, 405)
  t.equal(wrong.headers.get('allow'), 'GET, HEAD')
  t.strictSame(await wrong.json(), {
    error: 'method not allowed',
    method: 'DELETE',
    path: '/_svc/ready',
    allow: ['GET', 'HEAD'],
  })
  t.equal(
    (await fetch(`${server.url}/_svc/ready`, { method: 'OPTIONS' })).status,
    405,
    'a plain OPTIONS is an ordinary method',
  )
  const head = await fetch(`${server.url}/no/such`, { method: 'HEAD' })
  t.strictSame([head.status, await head.text()], [404, ''])
})

t.test('fault headers apply to every route except the control plane [PIPE-5]', async t => {
  const server = await serveRoutes(t)
  for (const path of ['/echo', '/no/such', '/', '/health', '/docs']) {
    const response = await fetch(server.url + path, { headers: { 'X-Svc-Fail': '503' } })
    t.strictSame([response.status, response.headers.get('x-svc-fault')], [503, 'fail'], path)
    t.strictSame(await response.json(), {
      error: 'injected fault',
      status: 503,
      reason: 'Service Unavailable',
      percent: 100,
      injected_by: 'X-Svc-Fail',
    })
  }
  for (const path of ['/_svc/ready', '/%5Fsvc/ready']) {
    const response = await fetch(server.url + path, { headers: { 'X-Svc-Fail': '503', 'X-Svc-Delay': '9' } })
    t.strictSame([response.status, response.headers.get('x-svc-fault')], [200, null], path)
  }
  const both = await fetch(`${server.url}/echo`, { headers: { 'X-Svc-Fail': '599:100%', 'X-Svc-Delay': '5' } })
  t.strictSame([both.status, both.headers.get('x-svc-fault'), both.headers.get('retry-after')], [599, 'fail', null])
  const delayed = await fetch(`${server.url}/echo`, { headers: { 'X-Svc-Delay': '5' } })
  t.strictSame([delayed.status, delayed.headers.get('x-svc-fault')], [200, 'delay'])
  const none = await fetch(`${server.url}/echo`, { headers: { 'X-Svc-Fail': '503:0', 'X-Svc-Delay': '0' } })
  t.strictSame([none.status, none.headers.get('x-svc-fault')], [200, null])
  t.equal(await (await fetch(`${server.url}/r/own`, { headers: { 'X-Svc-Fail': '503' } })).text(), 'served')
})

t.test('handshakes honor the fault headers, and their 101 has the headers of every response [PIPE-5]', async t => {
  const server = await serveRoutes(t)
  const open = (
    path: string,
    headers: Record<string, string>,
    protocols: string[] = [],
  ): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; protocol: string }> =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(server.url.replace('http', 'ws') + path, protocols, { headers })
      let headersOf101: NodeJS.Dict<string | string[]> = {}
      socket.on('upgrade', response => {
        headersOf101 = response.headers
      })
      socket.on('open', () => {
        socket.close()
        resolve({ status: 101, headers: headersOf101, protocol: socket.protocol })
      })
      socket.on('unexpected-response', (_request, response) => {
        response.resume()
        resolve({ status: response.statusCode!, headers: response.headers, protocol: '' })
      })
      socket.on('error', reject)
    })
  const plain = await open('/r/ws', { 'X-Request-Id': 'mine' })
  t.match(plain, { status: 101, headers: { 'x-request-id': 'mine', 'access-control-allow-origin': '*' } })
  t.match(await open('/r/ws', { 'X-Svc-Delay': '5' }), { status: 101, headers: { 'x-svc-fault': 'delay' } })
  t.match(await open('/r/ws', { 'X-Svc-Fail': '503' }), {
    status: 503,
    headers: { 'x-svc-fault': 'fail', connection: 'close', 'x-request-id': String },
  })
  t.match(await open('/r/ws', {}, ['a', 'b']), { protocol: 'b' }, "the route's own choice")
  t.match(await open('/r/first', {}, ['a', 'b']), { protocol: 'a' }, 'else the first offered')
  await until(() => server.host.current().openCount === 0, 'all released')
})

t.test('an upgrade on a route without WebSocket is served as plain HTTP, its body included [PIPE-7]', async t => {
  const server = await serveRoutes(t)
  const agent = new Agent({ keepAlive: true })
  t.teardown(() => agent.destroy())
  for (const upgrade of ['h2c', 'websocket', 'TLS/1.0']) {
    const echo = await new Promise<{ headers: Record<string, string[]>; body: { body: string } }>((resolve, reject) => {
      const sent = request(
        `${server.url}/echo`,
        {
          method: 'POST',
          agent,
          headers: {
            Connection: 'Upgrade, HTTP2-Settings',
            Upgrade: upgrade,
            'HTTP2-Settings': 'AAMAAABkAAQAAP__',
            'Content-Length': 5,
          },
        },
        response => {
          let text = ''
          response
            .on('data', chunk => {
              text += chunk
            })
            .on('end', () => resolve(JSON.parse(text) as never))
        },
      )
      sent.on('error', reject).end('hello')
    })
    t.equal(echo.body.body, 'hello', upgrade)
    t.strictSame(echo.headers.upgrade, [upgrade], 'the route sees what was sent')
  }
})

t.test('CORS headers are on every response, preflights end early, Vary is added to [PIPE-8]', async t => {
  const server = await serveRoutes(t)
  t.equal(
    (await fetch(`${server.url}/_svc/ready`)).headers.get('access-control-allow-origin'),
    null,
    'the default does not cover the control plane (core 5)',
  )
  const any = await serveRoutes(t, { SVC_CORS_ORIGINS: '*' })
  for (const [path, { url }] of [
    ['/echo', server],
    ['/no/such', server],
    ['/r/throws', server],
    ['/_svc/ready', any],
  ] as const) {
    const { headers } = await fetch(url + path, { headers: { Origin: 'http://a' } })
    t.equal(headers.get('access-control-allow-origin'), '*', path)
    t.match(headers.get('access-control-expose-headers'), /^X-Request-Id, X-Svc-Fault, /)
    t.equal(headers.get('access-control-expose-headers')!.includes('X-Mine'), path.startsWith('/r/'), path)
    const plain = await fetch(url + path)
    t.equal(plain.headers.get('access-control-allow-origin'), '*', path)
    t.equal(plain.headers.get('access-control-expose-headers'), null, 'only browsers read it')
    t.equal(headers.get('access-control-allow-credentials'), null)
  }
  const preflight = await fetch(`${server.url}/no/such`, {
    method: 'OPTIONS',
    headers: {
      Origin: 'http://a',
      'Access-Control-Request-Method': 'PATCH',
      'Access-Control-Request-Headers': 'x-a, x-b',
      'X-Svc-Fail': '503',
    },
  })
  t.equal(preflight.status, 200)
  t.match(Object.fromEntries(preflight.headers), {
    'access-control-allow-methods': 'PATCH',
    'access-control-allow-headers': 'x-a, x-b',
    'access-control-max-age': '600',
  })

  const listed = await serveRoutes(t, { SVC_CORS_ORIGINS: 'http://a, http://b/' })
  t.match(Object.fromEntries((await fetch(`${listed.url}/r/vary`, { headers: { Origin: 'http://b' } })).headers), {
    'access-control-allow-origin': 'http://b',
    vary: 'Accept-Encoding, Origin',
  })
  const other = Object.fromEntries((await fetch(`${listed.url}/echo`, { headers: { Origin: 'http://c' } })).headers)
  t.strictSame([other['access-control-allow-origin'], other.vary], [undefined, 'Accept, Origin'])

  const off = await serveRoutes(t, { SVC_CORS_ORIGINS: 'off' })
  const reached = await fetch(`${off.url}/echo`, {
    method: 'OPTIONS',
    headers: { Origin: 'http://a', 'Access-Control-Request-Method': 'GET' },
  })
  t.strictSame(
    [reached.headers.get('access-control-allow-origin'), ((await reached.json()) as { method: string }).method],
    [null, 'OPTIONS'],
  )
})

t.test('HTTPS serves the same, over HTTP/1.1 and, if enabled, HTTP/2 [PIPE-9]', async t => {
  const server = await serveRoutes(t, { SVC_GRPC_ON_HTTP: 'true' })
  const ca = readFileSync(join(server.folder, 'certs', 'ca.crt'), 'utf8')
  const dispatcher = new UndiciAgent({ connect: { ca } })
  t.teardown(() => dispatcher.close())
  const viaHttps = (await (await undiciFetch(`${server.httpsUrl}/echo`, { dispatcher })).json()) as {
    scheme: string
    url: string
  }
  t.match(viaHttps, { scheme: 'https', url: `${server.httpsUrl}/echo` })
  for (const [origin, options] of [
    [server.httpsUrl, { ca }],
    [server.url, {}],
  ] as const) {
    const session = connectHttp2(origin, options)
    t.teardown(() => session.destroy())
    const call = (headers: Record<string, string>, body?: string): Promise<{ status: number; text: string }> =>
      new Promise((resolve, reject) => {
        const stream = session.request(headers)
        let text = ''
        let status = 0
        stream
          .on('response', received => {
            status = Number(received[':status'])
          })
          .on('data', chunk => {
            text += chunk
          })
          .on('end', () => resolve({ status, text }))
          .on('error', reject)
        stream.end(body)
      })
    const echo = JSON.parse((await call({ ':path': '/echo?x=1', ':method': 'POST' }, 'hi')).text) as {
      body: { body: string }
      host: string
      headers: object
    }
    t.equal(echo.body.body, 'hi')
    t.notOk(Object.keys(echo.headers).some(name => name.startsWith(':')))
    t.equal((await call({ ':path': '/no/such' })).status, 404)
    t.equal((await call({ ':path': '/echo', ':method': 'POST' }, 'x'.repeat(2_000_000))).status, 413)
    t.equal((await call({ ':path': '/echo', 'x-svc-fail': '503' })).status, 503)
  }
  const plain = await serveRoutes(t)
  await t.rejects(
    new Promise((_, reject) => {
      connectHttp2(plain.url).on('error', reject).request({ ':path': '/echo' }).on('error', reject)
    }),
    'off by default',
  )
})

t.test(
  'a client that disconnects releases the resources of its requests, including pipelined ones [PIPE-10]',
  async t => {
    const server = await serveRoutes(t)
    const generation = server.host.current()
    const socket = connect(server.ports.http!, '127.0.0.1', () =>
      socket.write('GET /r/never HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(3)),
    )
    await until(() => generation.openCount === 3, 'three open requests')
    socket.destroy()
    await until(() => generation.openCount === 0, 'all released')
  },
)

t.test(
  '1,000 parallel requests, 200 open streams and clients that disconnect log nothing above debug [PIPE-11]',
  async t => {
    const { folder } = pluginFolder(t, {
      s: `import { definePlugin, describe } from 'svc/plugin'
export default definePlugin({ title: 's', paths: ['/s'], register(app, svc) {
  app.get('/s', describe({ summary: 's', category: 'Test', protocol: 'sse', endless: true, examples: [] }), (request, reply) => {
    const stream = svc.streams.sse(request, reply, { endless: true })
    stream.send({ data: 'x'.repeat(1000) })
  })
} })`,
    })
    const server = await serve(t, {
      env: { SVC_PLUGINS_DIR: folder },
      oneProcess: 'it looks at the bytes of a connection',
    })
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, async () => (await fetch(`${server.url}/echo`)).status),
    )
    t.ok(answers.every(status => status === 200))
    const generation = server.host.current()
    await until(() => generation.openCount === 0, 'idle again')
    const leave = new AbortController()
    await Promise.all(Array.from({ length: 200 }, () => fetch(`${server.url}/s`, { signal: leave.signal })))
    t.equal(generation.openCount, 200)
    leave.abort()
    await until(() => generation.openCount === 0, 'all streams gone')
    const halfway = Array.from({ length: 50 }, () =>
      connect(server.ports.http!, '127.0.0.1', function (this: { write(text: string): void }) {
        this.write('POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nhalf')
      }),
    )
    await until(() => generation.openCount === 50, 'uploads begun')
    for (const socket of halfway) socket.destroy()
    await until(() => generation.openCount === 0, 'uploads gone')
    t.strictSame(
      server.lines,
      server.lines.filter(line => line.includes('listening on')),
    )
  },
)
