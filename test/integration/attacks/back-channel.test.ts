/** Calls of the instance to itself that anybody can cause: they reach only routes that take deliveries or serve documents. */
import t from 'tap'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { authorization, call, callback, encode, locationOf, post, type Answer } from '../../support/oauth.ts'
import { pluginFolder } from '../../support/plugins.ts'
import { serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const PAGE = { Origin: 'https://attacker.example' }

/** What a page sends: registers a client that is notified at a path of this instance, and logs it in and out. */
async function notify(server: TestServer, path: string, base = server.url): Promise<void> {
  const issuer = `${base}/oauth/i/full`
  const register = await call(`${issuer}/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...PAGE },
    body: JSON.stringify({
      redirect_uris: [callback],
      token_endpoint_auth_method: 'none',
      backchannel_logout_uri: base + path,
    }),
  })
  const { client_id } = register.body
  const pkce = { code_challenge: 'a'.repeat(43), code_challenge_method: 'plain' }
  const request = authorization({ client_id, scope: 'openid', svc_login: 'auto', ...pkce })
  const code = locationOf(await call(`${issuer}/authorize?${encode(request)}`, { headers: PAGE })).query.get('code')!
  const fields = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: 'a'.repeat(43) }
  const tokens = await post(`${issuer}/token`, { ...fields, client_id }, PAGE)
  await call(`${issuer}/logout?${encode({ id_token_hint: tokens.body.id_token })}`, { headers: PAGE })
}

async function requestsTo(server: TestServer, path: string, headers: Record<string, string> = {}) {
  const { body } = await call(`${server.url}/_svc/requests?path=${encodeURIComponent(path)}`, { headers })
  return body.requests as { method: string; path: string; client_ip: string }[]
}

t.test('a page makes the instance neither unhealthy nor send requests with credentials [CALL-4]', async t => {
  const received: string[] = []
  const upstream = createServer((request, response) => {
    received.push(`${request.method} ${request.url} ${request.headers.authorization}`)
    response.end('{}')
  }).listen(0, '127.0.0.1')
  await new Promise(resolve => upstream.once('listening', resolve))
  t.teardown(() => upstream.close())
  const server = await serve(t, {
    settings: {
      proxy: [
        {
          name: 'paid',
          target: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
          mode: 'passthrough',
          set_headers: { Authorization: 'Bearer secret' },
        },
      ],
    },
    oneProcess: 'the log of one process is read',
  })
  const paths = [
    '/health/unhealthy',
    '/health/%75nhealthy',
    '/proxy/paid/charges',
    '/oauth/i/full/register',
    '/bin',
    '/mocks/petstore/pets',
    '/_svc/reload',
    '/%5fsvc/reload',
    '/s/x/_svc/reload',
    '/s/x/health/unhealthy',
  ]
  for (const path of paths) await notify(server, path)
  await until(() => server.lines.filter(line => line.includes('not notified of a logout')).length === paths.length)
  t.equal((await fetch(`${server.url}/health`)).status, 200, 'still healthy')
  t.strictSame(received, [], 'nothing was sent to the upstream')
  t.equal(server.host.current().number, 1, 'no reload')

  const document = await call(
    `${server.url}/oauth/i/full/authorize?${encode({
      ...authorization({ client_id: `${server.url}/proxy/paid/client` }),
      code_challenge: 'a'.repeat(43),
      code_challenge_method: 'plain',
    })}`,
    { headers: PAGE },
  )
  t.match(document, { status: 400, text: /status 403/ })
  t.strictSame(received, [])
})

t.test('deliveries and documents are counted and captured, with their session [CALL-4]', async t => {
  const server = await serve(t, { oneProcess: 'the metrics of one process are read' })
  const bin = String((await call(`${server.url}/bin`, { method: 'POST', body: '{}' })).body.id)
  await notify(server, `/bin/${bin}/bye`)
  await until(async () => (await requestsTo(server, `/bin/${bin}/bye`)).length > 0)
  t.match(await requestsTo(server, `/bin/${bin}/bye`), [{ method: 'POST', client_ip: '127.0.0.1' }])
  const metrics = await (await fetch(`${server.url}/_svc/metrics`)).text()
  t.match(metrics, /svc_requests_total\{[^}]*route="\/bin\/\{id\}\/\{\*path\}"[^}]*\} 1\n/)

  await notify(server, `/echo/bye`, `${server.url}/s/mine`)
  const inSession = `${server.url}/_svc/requests?session=mine&path=${encodeURIComponent('/echo/bye')}`
  await until(
    async () => ((await call(inSession)).body.requests as unknown[]).length > 0,
    'the delivery of the session',
  )
})

t.test('deliveries are limited by the plan [CALL-4]', async t => {
  const server = await serve(t, {
    env: { SVC_PLAN: 'free', SVC_TRUST_FORWARD: 'true' },
    oneProcess: 'the limits of one process are used up',
  })
  const limited = async (): Promise<Answer> =>
    call(
      `${server.url}/oauth/i/full/authorize?${encode({
        ...authorization({ client_id: `${server.url}/oauth/i/full/clients/mismatch.json` }),
        code_challenge: 'a'.repeat(43),
        code_challenge_method: 'plain',
      })}`,
      { headers: { 'X-Forwarded-For': `203.0.113.${Math.floor(Math.random() * 250)}` } },
    )
  let last = ''
  for (let count = 0; count < 500 && !last.includes('status 429'); count++) last = (await limited()).text
  t.match(last, /status 429/)
})

const CALLER = `import { definePlugin, describe } from 'svc/plugin'
const e = (path, more) => describe({ category: 'Test', summary: path, examples: [{ name: 'Plain', path }], ...more })
export default definePlugin({
  title: 'Caller',
  paths: ['/calls'],
  register(app, svc) {
    app.post('/calls', e('/calls'), async request => {
      const { status } = await svc.http.call(null, JSON.parse(svc.http.body(request).toString()))
      return { status }
    })
    app.all('/calls/deliveries', e('/calls/deliveries', { takes: 'deliveries' }), () => 'taken')
    app.all('/calls/documents', e('/calls/documents', { takes: 'documents' }), () => 'taken')
    app.all('/calls/other', e('/calls/other'), () => 'taken')
    app.all('/calls/bare', () => 'taken')
    app.all('/calls/two', describe(
      { category: 'Test', summary: 'Take', methods: ['POST'], takes: 'deliveries', examples: [] },
      { category: 'Test', summary: 'Clear', methods: ['DELETE'], examples: [] },
    ), () => 'taken')
    app.post('/calls/guarded', e('/calls/guarded', { takes: 'deliveries' }), request => { svc.http.guardAdmin(request); return 'taken' })
    app.post('/calls/no-pages', e('/calls/no-pages', { takes: 'deliveries' }), request => { svc.http.guardBrowser(request); return 'taken' })
  },
})
`

t.test('a route says which calls it takes; the guards of routes refuse all [CALL-4]', async t => {
  const { folder } = pluginFolder(t, { calls: CALLER })
  const server = await serve(t, { folders: [folder] })
  const rows: [method: string, path: string, status: number][] = [
    ['POST', '/calls/deliveries', 200],
    ['DELETE', '/calls/deliveries', 200],
    ['GET', '/calls/documents', 200],
    ['HEAD', '/calls/documents', 200],
    ['POST', '/calls/documents', 403],
    ['GET', '/calls/other', 403],
    ['GET', '/calls/bare', 403],
    ['POST', '/calls/two', 200],
    ['DELETE', '/calls/two', 403],
    ['POST', '/calls/guarded', 403],
    ['POST', '/calls/no-pages', 403],
    ['POST', '/s/x/calls/deliveries', 200],
    ['POST', '/s/x/calls/other', 403],
  ]
  for (const [method, path, status] of rows) {
    const { body } = await call(`${server.url}/calls`, { method: 'POST', body: JSON.stringify({ method, path }) })
    t.strictSame(body, { status }, `${method} ${path}`)
  }
})
