/** `svc.http.call`: a route of the instance, called without a connection. */
import t from 'tap'
import { pluginFolder } from '../../support/plugins.ts'
import { serve } from '../../support/server.ts'

const CALLER = `import { definePlugin, describe } from 'svc/plugin'
const e = (path) => ({ category: 'Test', takes: 'deliveries', examples: [{ name: 'Plain', path }] })
export default definePlugin({
  title: 'Caller',
  paths: ['/calls'],
  register(app, svc) {
    app.post('/calls', describe({ summary: 'Call a route', ...e('/calls') }), async request => {
      const { body, ...call } = JSON.parse(svc.http.body(request).toString())
      try {
        const answer = await svc.http.call(null, { ...call, ...(body === undefined ? {} : { body: Buffer.from(body) }) })
        return { ...answer, body: answer.body.toString() }
      } catch (error) {
        return { rejected: error.message }
      }
    })
    app.all('/calls/facts', describe({ summary: 'Facts', ...e('/calls/facts') }), request => ({
      method: request.method,
      base: svc.http.baseUrl(request),
      ip: svc.http.clientIp(request),
      query: request.query,
      headers: request.headers,
      text: svc.http.body(request).toString(),
      admin: svc.http.isAdmin(request),
    }))
    app.post('/calls/parsed', { ...describe({ summary: 'Parsed', ...e('/calls/parsed') }), schema: { body: { type: 'object' } } }, request => ({ parsed: request.body }))
    app.get('/calls/big', describe({ summary: 'Big', ...e('/calls/big') }), () => 'x'.repeat(5000))
    app.get('/calls/hang', describe({ summary: 'Hang', ...e('/calls/hang') }), () => new Promise(() => {}))
    app.get('/calls/broken', describe({ summary: 'Broken', ...e('/calls/broken') }), (request, reply) => { reply.hijack(); svc.http.abortResponse(request, reply) })
    app.get('/calls/raw', describe({ summary: 'Raw', ...e('/calls/raw') }), (request, reply) => {
      reply.hijack()
      reply.raw.setHeader('X-Set', 'one')
      reply.raw.writeHead(201, ['X-Given', 'two'])
      reply.raw.write('first ')
      reply.raw.end('last')
    })
    app.get('/calls/nested', describe({ summary: 'Nested', ...e('/calls/nested') }), async () => {
      const { status } = await svc.http.call(null, { method: 'GET', path: '/calls/facts' })
      return { inner: status }
    })
  },
})
`

interface Result {
  status?: number
  headers?: Record<string, string>
  body?: string
  rejected?: string
}

t.test("[CALL-1] a call reaches a route in nobody's name", async t => {
  const { folder } = pluginFolder(t, { calls: CALLER })
  const server = await serve(t, {
    folders: [folder],
    env: { SVC_ADMIN_TOKEN: 'secret', SVC_BODY_LIMIT: '4096' },
    oneProcess: 'a call has the address of the listener',
  })
  const call = async (details: object): Promise<Result> => {
    const response = await fetch(`${server.url}/calls`, { method: 'POST', body: JSON.stringify(details) })
    return (await response.json()) as Result
  }

  const facts = await call({
    method: 'POST',
    path: '/calls/facts',
    query: 'a=1',
    headers: { 'Content-Type': 'text/plain', 'X-Svc-Admin-Token': 'secret', 'X-Svc-Fail': '503', 'X-One': 'two' },
    body: 'hello',
    baseUrl: 'https://[::1]:9443/outer/',
  })
  t.equal(facts.status, 200, 'no fault is injected')
  t.match(facts.headers, { 'content-type': 'application/json; charset=utf-8' })
  const seen = JSON.parse(facts.body!)
  t.match(seen, { method: 'POST', base: 'https://[::1]:9443/outer', ip: '127.0.0.1', query: { a: '1' }, text: 'hello' })
  t.match(seen.headers, { 'x-one': 'two', 'content-length': '5', host: '[::1]:9443' })
  t.equal(seen.admin, false, 'credentials of the control plane are dropped')
  t.notOk('x-svc-admin-token' in seen.headers)
  const plain = await call({ method: 'GET', path: '/calls/facts' })
  t.equal(JSON.parse(plain.body!).base, server.url.replace('127.0.0.1', 'localhost'))

  t.match(await call({ method: 'GET', path: '/calls/raw' }), {
    status: 201,
    body: 'first last',
    headers: { 'x-set': 'one', 'x-given': 'two' },
  })
  t.match(
    await call({
      method: 'POST',
      path: '/calls/parsed',
      headers: { 'Content-Type': 'application/json' },
      body: '{"a":[1]}',
    }),
    { status: 200, body: '{"parsed":{"a":[1]}}' },
  )

  t.equal((await call({ method: 'GET', path: '/_svc/status' })).status, 403, 'not the control plane')
  t.equal((await call({ method: 'GET', path: '/%5Fsvc/status' })).status, 403)
  t.equal((await call({ method: 'GET', path: '/nothing' })).status, 404)
  t.equal((await call({ method: 'GET', path: '/calls/%zz' })).status, 400)
  t.equal((await call({ method: 'PUT', path: '/calls/big' })).status, 405)
  t.equal((await call({ method: 'POST', path: '/calls/facts', body: 'x'.repeat(3000) })).status, 200)
  t.equal((await call({ method: 'GET', path: '/calls/nested' })).body, '{"inner":508}', 'one level deep')

  t.match(await call({ method: 'GET', path: '/calls/big', maxBytes: 100 }), { rejected: /more than 100 bytes/ })
  t.match(await call({ method: 'GET', path: '/calls/hang', timeoutMs: 50 }), {
    rejected: /did not answer within 50 ms/,
  })
  t.match(await call({ method: 'GET', path: '/calls/broken' }), { rejected: /closed the connection/ })
})
