/** `svc.http.call` in the name of a request: its credentials and session, and the checks of the control plane. */
import t from 'tap'
import { generateKeyPairSync } from 'node:crypto'
import { SignJWT } from 'jose'
import { pluginFolder } from '../../support/plugins.ts'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const CALLER = `import { definePlugin, describe } from 'svc/plugin'
const e = (path) => ({ category: 'Test', examples: [{ name: 'Plain', path }] })
export default definePlugin({
  title: 'Caller',
  paths: ['/calls', '/_svc/calls'],
  register(app, svc) {
    const run = async request => {
      const { body, ...call } = JSON.parse(svc.http.body(request).toString())
      try {
        const answer = await svc.http.call(request, { ...call, ...(body === undefined ? {} : { body: Buffer.from(body) }) })
        return { ...answer, body: answer.body.toString(), scopes: svc.http.controlScopes(request) }
      } catch (error) {
        return { rejected: error.message }
      }
    }
    app.post('/calls', describe({ summary: 'Call a route', ...e('/calls') }), run)
    app.post('/_svc/calls', describe({ summary: 'Call a route', controlScope: 'inspector', ...e('/_svc/calls') }), run)
    app.get('/calls/hang', describe({ summary: 'Hang', ...e('/calls/hang') }), request => new Promise(resolve => svc.http.signal(request).addEventListener('abort', () => { svc.log.warn('the call ended'); resolve('') })))
    app.all('/calls/facts', describe({ summary: 'Facts', ...e('/calls/facts') }), request => ({
      base: svc.http.baseUrl(request),
      ip: svc.http.clientIp(request),
      session: svc.http.session(request),
      headers: request.headers,
      admin: svc.http.isAdmin(request),
    }))
  },
})
`

interface Result {
  status?: number
  body?: string
  rejected?: string
  scopes?: string[]
}

async function call(url: string, details: object, headers: Record<string, string> = {}): Promise<Result> {
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(details) })
  return response.status === 200 ? ((await response.json()) as Result) : { status: response.status }
}

t.test('[CALL-2] a call has the credentials, session and address of its request', async t => {
  const { folder } = pluginFolder(t, { calls: CALLER })
  const server = await serve(t, {
    folders: [folder],
    env: { SVC_ADMIN_TOKEN: 'secret', SVC_TRUST_FORWARD: 'true', SVC_CORS_ORIGINS: '' },
  })
  const url = `${server.url}/calls`
  const facts = async (headers: Record<string, string>, more: object = {}) =>
    JSON.parse((await call(url, { method: 'GET', path: '/calls/facts', ...more }, headers)).body!)

  const seen = await facts({
    'X-Svc-Session': 'mine',
    'X-Forwarded-For': '203.0.113.7',
    'X-Forwarded-Host': 'shop.example',
    'X-Forwarded-Prefix': '/up',
    Cookie: 'a=1',
  })
  t.match(seen, {
    ip: '203.0.113.7',
    base: 'http://shop.example/up',
    admin: false,
    session: { header: 'mine', from: 'header' },
  })
  t.notOk('cookie' in seen.headers, 'other headers are not repeated')
  const ofAdmin = await facts(
    { 'X-Svc-Admin-Token': 'secret' },
    { headers: { 'X-Svc-Admin-Token': 'other', Authorization: 'Bearer other', 'X-One': 'two' } },
  )
  t.match(ofAdmin, { admin: true, headers: { 'x-one': 'two', 'x-svc-admin-token': 'secret' } })
  t.notOk('authorization' in ofAdmin.headers, 'a call has no other credentials than its request')

  t.equal((await call(url, { method: 'GET', path: '/_svc/status' })).status, 200)
  t.equal((await call(url, { method: 'POST', path: '/health/healthy' })).status, 401)
  t.equal(
    (await call(url, { method: 'POST', path: '/health/healthy' }, { Authorization: 'Bearer secret' })).status,
    200,
  )
  t.equal(
    (await call(url, { method: 'GET', path: '/_svc/status' }, { Origin: 'https://attacker.example' })).status,
    403,
  )
  t.equal(
    (
      await call(url, { method: 'POST', path: '/calls', body: '{"method":"GET","path":"/calls/facts"}' })
    ).body!.includes('508'),
    true,
  )
  const before = (await (await fetch(`${server.url}/_svc/requests`)).json()) as { requests: { path: string }[] }
  t.notOk(
    before.requests.some(({ path }) => path.startsWith('/health')),
    'calls are not captured',
  )

  const leaving = new AbortController()
  const left = fetch(url, { method: 'POST', signal: leaving.signal, body: '{"method":"GET","path":"/calls/hang"}' })
  setTimeout(() => leaving.abort(), 300)
  await t.rejects(left)
  await until(() => server.lines.some(line => line.includes('the call ended')))
  await new Promise(resolve => setTimeout(resolve, 20))
})

t.test('[CALL-3] calls below /_svc need the scopes of their operations', async t => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const { folder } = pluginFolder(t, { calls: CALLER })
  const { url } = await serve(t, {
    folders: [folder],
    env: {
      SVC_CONTROL_AUTH: 'jwt',
      SVC_CONTROL_JWT_PUBLIC_KEY: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    },
  })
  const as = async (scope: string) => {
    const token = new SignJWT({ scope })
      .setProtectedHeader({ alg: 'EdDSA' })
      .setAudience('test-1')
      .setExpirationTime('5m')
    return { Authorization: `Bearer ${await token.sign(privateKey)}` }
  }
  const status = { method: 'GET', path: '/_svc/status' }
  t.equal((await call(`${url}/_svc/calls`, status)).status, 401)
  t.match(await call(`${url}/_svc/calls`, status, await as('inspector')), { status: 403, scopes: ['inspector'] })
  t.match(await call(`${url}/_svc/calls`, status, await as('console')), {
    status: 200,
    scopes: ['console', 'inspector'],
  })
  t.match(await call(`${url}/calls`, status), { status: 401, scopes: [] }, 'from the data plane too')
  t.match(await call(`${url}/calls`, status, await as('admin')), { status: 200 })
})
