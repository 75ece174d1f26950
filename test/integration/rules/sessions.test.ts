/** Sessions by path prefix, headers, baggage and credentials. */
import t from 'tap'
import WebSocket from 'ws'
import { serve } from '../../support/server.ts'
import { putRule, send } from '../../support/rules.ts'
import { call, echoClient, failureOf, metadataOf } from '../protocols/grpc-client.ts'

const server = await serve(t, {
  yaml: `plugins: {enable: [docs, echo, redirects, bins, reliability, websocket, grpc, llm-openai, identity]}
sessions: {headers: [X-Test-Id]}
`,
})

t.test('every way of naming a session selects its rules [SESSION-6]', async t => {
  await putRule(server, 'mine', { match: { path: '/echo' }, then: { fail: 418 } }, 'mine')
  const ways: [path: string, headers: Record<string, string>][] = [
    ['/s/mine/echo', {}],
    ['/%73/min%65/echo', {}],
    ['/echo', { 'x-svc-session': 'mine' }],
    ['/echo', { 'X-Test-Id': 'mine' }],
    ['/echo', { baggage: 'a=b,svc.session=mine;c=d' }],
    ['/echo', { authorization: 'Bearer svc-session-mine' }],
    ['/echo', { 'x-api-key': 'sk-svc-session-mine' }],
    ['/echo', { 'api-key': 'svc-session-mine' }],
    ['/echo', { 'x-goog-api-key': 'svc-session-mine' }],
    ['/echo', { 'x-svc-key': 'svc-session-mine' }],
    ['/s/mine/echo', { 'x-svc-session': 'other' }],
  ]
  for (const [path, headers] of ways)
    t.equal((await send(server, path, { headers })).status, 418, JSON.stringify([path, headers]))
  t.equal((await send(server, '/echo')).status, 200)
  t.equal((await send(server, '/s/other/echo', { headers: { 'x-svc-session': 'mine' } })).status, 200)
  t.equal((await send(server, '/s/mine/s/other/echo')).status, 404, 'the prefix is removed once')
  t.equal((await send(server, '/s/a%20b/echo')).status, 404)
})

t.test('routes, the inspector and the control plane see the path without the prefix [SESSION-7]', async t => {
  const reply = await send(server, '/s/t-1/anything/a?b=1', { headers: { 'x-request-id': 'r-prefix' } })
  t.match(reply.json, { path: '/anything/a' })
  t.match((await send(server, '/_svc/requests?session=t-1')).json, {
    count: 1,
    requests: [{ uri: '/anything/a?b=1', session: 't-1' }],
  })
  t.equal(
    (await send(server, 'PUT /s/t-1/_svc/rules/x', { body: { match: { path: '/z' }, then: { fail: 500 } } })).status,
    201,
  )
  t.match((await send(server, '/_svc/rules/x?session=t-1')).json, { scope: 'session', session: 't-1' })
  t.match((await send(server, '/s/t-1/_svc/rules')).json, { session: 't-1' })
  t.equal((await send(server, '/s/t-1')).status, 200)
})

t.test('the control plane is as protected below the prefix [SESSION-8]', async t => {
  const guarded = await serve(t, {
    plugins: ['echo'],
    env: { SVC_CONTROL_AUTH: 'token', SVC_ADMIN_TOKEN: 'secret-token' },
  })
  for (const path of ['/s/a/_svc/config', '/%73/a/_svc/config', '/s/a/%5Fsvc/config', '/s/a/_svc/rules'])
    t.equal((await send(guarded, path)).status, 401, path)
  t.equal((await send(server, '/s/a/_svc/config', { headers: { origin: 'http://evil.example' } })).status, 403)
  t.equal((await send(server, '/s/a/echo', { headers: { 'x-svc-fail': '503' } })).status, 503)
  t.equal((await send(server, '/s/a/_svc/config', { headers: { 'x-svc-fail': '503' } })).status, 200)
})

t.test('generated URLs and redirects keep the prefix [SESSION-9]', async t => {
  const relative = await send(server, '/s/t-2/redirect/2')
  t.match(relative.headers.get('location'), /^\/s\/t-2\//)
  t.equal((await send(server, relative.headers.get('location')!)).status, 302)
  t.match(
    (await send(server, '/s/t-2/absolute-redirect/2')).headers.get('location'),
    new RegExp(`^${server.url}/s/t-2/`),
  )
  t.equal((await send(server, '/s/t-2/redirect-to?url=%2Fecho%3Fa')).headers.get('location'), '/s/t-2/echo?a')
  const bin = (await send(server, 'POST /s/t-2/bin')).json as { url: string }
  t.match(bin.url, /\/s\/t-2\/bin/)
  const metadata = (await send(server, '/s/t-2/.well-known/openid-configuration')).json as {
    issuer: string
    jwks_uri: string
  }
  t.match(metadata.issuer, new RegExp(`^${server.url}/s/t-2`))
  t.equal((await send(server, metadata.jwks_uri.slice(server.url.length))).status, 200)
  t.equal((await send(server, '/.well-known/openid-configuration/s/t-2')).status, 200)
  t.match((await send(server, '/s/t-2/_svc/catalog')).json, { base_url: `${server.url}/s/t-2` })
})

t.test('works below a base path [SESSION-10]', async t => {
  const based = await serve(t, { plugins: ['redirects', 'echo'], env: { SVC_BASE_PATH: '/svc' } })
  await putRule(based, 'mine', { match: { path: '/echo' }, then: { fail: 418 } }, 'mine')
  for (const path of ['/svc/s/mine/echo', '/s/mine/echo']) t.equal((await send(based, path)).status, 418, path)
  t.match((await send(based, '/svc/s/mine/redirect/2')).headers.get('location'), /^\/svc\/s\/mine\//)
})

t.test('counters, WebSockets and gRPC calls belong to the session [SESSION-11]', async t => {
  const recover = async (session: string): Promise<number> =>
    (await send(server, `/s/${session}/flaky/recover/1`)).status
  t.ok((await recover('f-1')) >= 500)
  t.equal(await recover('f-1'), 200)
  t.ok((await recover('f-2')) >= 500, 'another session has counters of its own')
  await putRule(server, 'ws', { match: { path: '/ws' }, then: { fail: 503 } }, 'w')
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/s/w/ws`)
  const message = await new Promise<string>(resolve => {
    socket.on('error', error => resolve(error.message))
    socket.on('open', () => resolve('open'))
  })
  t.match(message, /503/)
  const client = echoClient(`127.0.0.1:${server.ports.grpc}`)
  t.teardown(() => client.close())
  await putRule(server, 'call', { match: { grpc: {} }, then: { fail: 503 } }, 'g')
  t.equal(
    (await failureOf(call(client, 'Echo', { message: 'hi' }, { metadata: metadataOf({ baggage: 'svc.session=g' }) })))
      .code,
    14,
  )
  t.match(await call(client, 'Echo', { message: 'hi' }), { message: 'hi' })
})

t.test('wrong sections are reported [SESSION-12]', async t => {
  for (const [section, at, message] of [
    ['[X-A]', 'sessions', /expected an object/],
    ['{header: [X-A]}', 'sessions.header', /did you mean "headers"/],
    ['{headers: X-A}', 'sessions.headers', /list/],
    ['{headers: ["X A"]}', 'sessions.headers[0]', /name of a header/],
    ['{headers: [Cookie]}', 'sessions.headers[0]', /cannot name sessions/],
  ] as const) {
    const wrong = await serve(t, { yaml: `plugins: {enable: [echo]}\nsessions: ${section}\n` })
    t.match(wrong.problems(), [{ at, line: 2, message }], section)
  }
})
