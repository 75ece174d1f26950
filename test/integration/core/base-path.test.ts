/** `SVC_BASE_PATH`: what is served below it, and what is generated. */
import t from 'tap'
import { WebSocket } from 'ws'
import { serve } from '../../support/server.ts'

const everything = { yaml: '' }
const get = async (
  url: string,
  init?: RequestInit,
): Promise<{ status: number; headers: Headers; body: Record<string, never> }> => {
  const response = await fetch(url, { redirect: 'manual', ...init })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: (text.startsWith('{') ? JSON.parse(text) : { text }) as Record<string, never>,
  }
}

t.test('every route is served below the base path and at the root [PREFIX-2] [PREFIX-1]', async t => {
  const { url } = await serve(t, { ...everything, env: { SVC_BASE_PATH: '/svc/' } })
  for (const path of ['/svc/echo/a?x=1', '/echo/a?x=1']) {
    t.match((await get(url + path)).body, { url: `${url}/svc/echo/a?x=1`, path: '/echo/a' }, path)
  }
  t.match((await get(`${url}/svc/_svc/config`)).body, { base_path: '/svc' })
  t.equal((await get(`${url}/svc`)).status, 200, 'the landing page')
  t.match(await get(`${url}/svcx/echo`), { status: 404 })
  t.match(await get(`${url}/svc/svc/echo`), { status: 404 })
  t.match(await get(`${url}/svc/no/such`), { status: 404, body: { path: '/no/such' } })
  t.match(
    await get(`${url}/svc/echo`, {
      method: 'OPTIONS',
      headers: { Origin: 'http://a.example', 'Access-Control-Request-Method': 'GET' },
    }),
    { status: 200 },
  )
  t.equal((await get(`${url}/svc/redirect/2`)).headers.get('location'), '/svc/redirect/1')
  t.equal((await get(`${url}/redirect-to?url=/echo`)).headers.get('location'), '/svc/echo')
  t.match(await fetch(`${url}/svc/redirect/3`), { status: 200, url: `${url}/svc/echo` })
})

t.test('WebSockets and gRPC-Web are served below it too [PREFIX-2]', async t => {
  const { url, ports } = await serve(t, { ...everything, env: { SVC_BASE_PATH: '/svc' } })
  const socket = new WebSocket(`${url.replace('http', 'ws')}/svc/ws`)
  await new Promise((resolve, reject) => {
    socket.on('open', resolve)
    socket.on('error', reject)
  })
  socket.terminate()
  const plain = await fetch(`${url}/svc/echo`, { headers: { 'X-Test': '1' } })
  t.equal(plain.status, 200)
  const body = Buffer.from([0, 0, 0, 0, 0])
  for (const path of ['/svc/grpc.health.v1.Health/Check', '/grpc.health.v1.Health/Check']) {
    const answer = await fetch(`http://127.0.0.1:${ports.grpc}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/grpc-web+proto' },
      body,
    })
    t.match(Buffer.from(await answer.arrayBuffer()).toString('latin1'), /grpc-status: ?0/, path)
  }
})

t.test('protection and exemptions apply below it [PREFIX-3]', async t => {
  const { url } = await serve(t, {
    ...everything,
    env: { SVC_BASE_PATH: '/svc', SVC_CONTROL_AUTH: 'token', SVC_ADMIN_TOKEN: 'secret', SVC_REQUIRE_KEY: 'true' },
  })
  t.match(await get(`${url}/svc/_svc/config`), { status: 401 })
  t.match(await get(`${url}/svc/_svc/config`, { headers: { Authorization: 'Bearer secret' } }), { status: 200 })
  t.match(await get(`${url}/svc/echo`), { status: 401 })
  t.match(await get(`${url}/svc/.well-known/openid-configuration`), { status: 200 })
  t.match(await get(`${url}/svc/_svc/ready`, { headers: { 'X-Svc-Fail': '503' } }), { status: 200 })
})

t.test('RFC 8414 and RFC 9728 put the well-known part first [PREFIX-4]', async t => {
  const { url } = await serve(t, { ...everything, env: { SVC_BASE_PATH: '/svc' } })
  for (const path of [
    '/.well-known/oauth-authorization-server/svc',
    '/.well-known/openid-configuration/svc',
    '/svc/.well-known/openid-configuration',
    '/.well-known/openid-configuration',
  ]) {
    t.match(await get(url + path), { status: 200, body: { issuer: `${url}/svc` } }, path)
  }
  t.match(await get(`${url}/.well-known/oauth-protected-resource/svc/mcp/protected`), {
    status: 200,
    body: { resource: `${url}/svc/mcp/protected`, authorization_servers: [`${url}/svc`] },
  })
  t.match(
    (
      await get(`${url}/svc/mcp/protected`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
        body: '{}',
      })
    ).headers.get('www-authenticate'),
    `resource_metadata="${url}/svc/.well-known/oauth-protected-resource/mcp/protected"`,
  )
})

t.test('a trusted X-Forwarded-Prefix takes precedence in generated URLs [PREFIX-1]', async t => {
  const { url } = await serve(t, { ...everything, env: { SVC_BASE_PATH: '/svc', SVC_TRUST_FORWARD: 'true' } })
  const issuer = async (prefix: string): Promise<unknown> =>
    (await get(`${url}/.well-known/openid-configuration`, { headers: { 'X-Forwarded-Prefix': prefix } })).body.issuer
  t.equal(await issuer('/outer'), `${url}/outer`)
  t.equal(await issuer('/'), url, 'the empty prefix is one')
  t.equal(await issuer('not a path'), `${url}/svc`)
})
