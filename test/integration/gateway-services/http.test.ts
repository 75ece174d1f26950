/**
 * The authorization service over HTTP: how each gateway asks, and what each policy answers.
 * Takes long: each gateway asks about each decision.
 */
import t, { type Test } from 'tap'
import { connect } from 'node:net'
import { putRule, send, type Reply } from '../../support/rules.ts'
import { serve } from '../../support/server.ts'

const PLUGINS = ['ext-authz', 'identity', 'echo']
const server = await serve(t, {
  plugins: PLUGINS,
  settings: { ext_authz: { hosts: ['ext-authz.test'] } },
})

/** Asks as Traefik does. */
const forwarded = (
  policy: string,
  { method = 'GET', uri = '/orders?page=2', headers = {} }: { method?: string; uri?: string; headers?: object } = {},
): Promise<Reply> =>
  send(server, `/ext-authz/${policy}`, {
    headers: { 'X-Forwarded-Method': method, 'X-Forwarded-Uri': uri, 'X-Forwarded-Host': 'shop.test', ...headers },
  })

const lastCall = async (query = ''): Promise<Record<string, any>> => {
  const { json } = await send(server, `/_svc/requests?service=authz&limit=1${query}`)
  return (json as { requests: Record<string, any>[] }).requests[0]!
}

t.test('Traefik, Caddy and APISIX ask by X-Forwarded-* [GWS-1]', async t => {
  const reply = await forwarded('allow', {
    method: 'PUT',
    headers: { 'X-Forwarded-For': '203.0.113.9, 10.0.0.1', 'X-Forwarded-Proto': 'https', 'X-Tenant': 'a' },
  })
  t.equal(reply.status, 200)
  t.equal(reply.text, '')
  t.match(Object.fromEntries(reply.headers), {
    'x-svc-authz-decision': 'allow',
    'x-svc-authz-policy': 'allow',
    'cache-control': 'no-store',
    'x-envoy-auth-headers-to-remove': 'x-svc-user,x-svc-scopes,x-svc-tenant',
  })
  const { service } = await lastCall()
  t.match(service, {
    name: 'authz',
    policy: 'allow',
    decision: 'allow',
    by: 'policy',
    checked: {
      method: 'PUT',
      path: '/orders',
      query: 'page=2',
      scheme: 'https',
      host: 'shop.test',
      client_ip: '203.0.113.9',
    },
  })
  const names = service.checked.headers.map(({ name }: { name: string }) => name)
  t.ok(names.includes('x-tenant'))
  t.notOk(
    names.some((name: string) => name.startsWith('x-forwarded-')),
    'the headers that carry the request are not part of it',
  )
})

t.test('nginx asks by X-Original-URI or X-Original-URL [GWS-1]', async t => {
  await send(server, '/ext-authz/allow', { headers: { 'X-Original-URI': '/a?b', 'X-Original-Method': 'PATCH' } })
  t.match((await lastCall()).service.checked, { method: 'PATCH', path: '/a', query: 'b', scheme: 'http' })
  await send(server, 'POST /ext-authz/allow', { headers: { 'X-Original-URL': 'https://shop.test:8443?c' } })
  t.match((await lastCall()).service.checked, {
    method: 'POST',
    path: '/',
    query: 'c',
    scheme: 'https',
    host: 'shop.test:8443',
  })
})

t.test('Envoy and HAProxy ask by the call itself [GWS-1]', async t => {
  const reply = await send(server, 'DELETE /ext-authz/allow/orders/7?x=1', {})
  t.equal(reply.status, 200)
  t.match((await lastCall()).service.checked, { method: 'DELETE', path: '/orders/7', query: 'x=1' })
  await send(server, '/ext-authz/allow')
  t.match((await lastCall()).service.checked, { path: '/', query: null })
})

t.test('an invalid request and an unknown policy are refused', async t => {
  for (const headers of [
    { 'X-Forwarded-Method': 'GE T', 'X-Forwarded-Uri': '/' },
    { 'X-Forwarded-Method': 'GET', 'X-Forwarded-Uri': 'orders' },
    { 'X-Original-URI': 'http://a/' },
    { 'X-Original-URL': '/orders' },
  ]) {
    const { status, json } = await send(server, '/ext-authz/allow', { headers: headers as never })
    t.equal(status, 400)
    t.match(json, { error: 'invalid_checked_request' })
  }
  const unknown = await send(server, '/ext-authz/alow')
  t.equal(unknown.status, 404)
  t.match(unknown.json, { error: 'unknown_policy', details: /did you mean "allow"/, policies: /./ })
})

t.test('deny, api-key and the index [GWS-2]', async t => {
  const denied = await forwarded('deny')
  t.equal(denied.status, 403)
  t.strictSame(denied.json, { error: 'denied', policy: 'deny', reason: 'always' })
  t.equal(denied.headers.get('x-svc-authz-decision'), 'deny')
  const missing = await forwarded('api-key')
  t.equal(missing.status, 401)
  t.equal(missing.headers.get('www-authenticate'), 'ApiKey realm="svc"')
  t.equal((await forwarded('api-key', { headers: { apikey: 'nope' } })).status, 401)
  const allowed = await forwarded('api-key', { headers: { apikey: 'my-key' } })
  t.equal(allowed.headers.get('x-svc-user'), 'api-key')
  t.equal(allowed.headers.get('x-envoy-auth-headers-to-remove'), 'x-svc-scopes,x-svc-tenant')
  const { json } = await send(server, '/ext-authz')
  t.match(json, { configuration: { nginx: /auth_request/, traefik: /forwardAuth/, envoy: /path_prefix/ } })
})

t.test('jwt verifies tokens of the identity provider [GWS-2]', async t => {
  const token = async (claims: object): Promise<string> => {
    const { json } = await send(server, 'POST /oauth/debug/token', { body: { claims } })
    return (json as { token: string }).token
  }
  const good = await token({ sub: 'ada', scope: 'read write', tenant: 't-1', aud: 'shop' })
  const ask = (query: string, bearer?: string): Promise<Reply> =>
    forwarded(`jwt${query}`, { headers: bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` } })
  const allowed = await ask('?audience=shop&scope=read%20write', good)
  t.equal(allowed.status, 200, allowed.text)
  t.match(Object.fromEntries(allowed.headers), {
    'x-svc-user': 'ada',
    'x-svc-scopes': 'read write',
    'x-svc-tenant': 't-1',
  })
  const none = await ask('')
  t.equal(none.status, 401)
  t.equal(none.headers.get('www-authenticate'), 'Bearer realm="svc"')
  const bad = await ask('', `${good}x`)
  t.equal(bad.status, 401)
  t.match(bad.headers.get('www-authenticate'), /error="invalid_token"/)
  t.equal((await ask('?audience=other', good)).status, 401)
  const scope = await ask('?scope=admin', good)
  t.equal(scope.status, 403)
  t.match(scope.headers.get('www-authenticate'), /error="insufficient_scope", scope="admin"/)
  const { service } = await lastCall()
  t.notOk(JSON.stringify(service).includes('undefined'))
})

t.test('jwt without the identity provider fails', async t => {
  const alone = await serve(t, { plugins: ['ext-authz'] })
  const reply = await send(alone, '/ext-authz/jwt')
  t.equal(reply.status, 503)
  t.match(reply.json, { error: 'service_failed', details: /identity/ })
})

t.test('session redirects to the login, whose cookie is accepted', async t => {
  const redirected = await forwarded('session')
  t.equal(redirected.status, 302)
  const login = redirected.headers.get('location')!
  t.equal(login, '/ext-authz/login?return=%2Forders%3Fpage%3D2')
  const logged = await send(server, `${login}&user=ada`)
  t.equal(logged.headers.get('location'), '/orders?page=2')
  const cookie = logged.headers.get('set-cookie')!
  t.match(cookie, /^svc_session=ada\.[\w-]+; HttpOnly; SameSite=Lax; Path=\/; Max-Age=3600$/)
  const [value = ''] = cookie.split(';')
  const allowed = await forwarded('session', { headers: { Cookie: value } })
  t.equal(allowed.headers.get('x-svc-user'), 'ada')
  t.equal((await forwarded('session', { headers: { Cookie: value.replace('ada', 'eve') } })).status, 302)
  for (const to of ['//evil.test', 'https://evil.test', '/\\evil.test', '/a%0d%0ab'])
    t.equal((await send(server, `/ext-authz/login?return=${to}`)).status, 400, to)
  t.equal((await send(server, '/ext-authz/login?user=a%20b')).status, 400)
  t.match((await send(server, '/ext-authz/logout')).headers.get('set-cookie'), /Max-Age=0/)
})

t.test('random repeats itself by its seed, and is as often as p says', async t => {
  const run = async (session: string, query: string): Promise<string> => {
    const statuses: number[] = []
    for (let index = 0; index < 40; index++)
      statuses.push((await forwarded(`random?${query}`, { headers: { 'X-Svc-Session': session } })).status)
    return statuses.join()
  }
  const first = await run('r-1', 'seed=a')
  t.equal(await run('r-2', 'seed=a'), first)
  t.not(await run('r-3', 'seed=b'), first)
  const allowed = first.split(',').filter(status => status === '200').length
  t.ok(allowed > 8 && allowed < 32, `${allowed} of 40`)
  t.equal(new Set((await run('r-4', 'p=0')).split(',')).size, 1)
  t.equal((await forwarded('random?p=2')).status, 503)
})

t.test("Istio's sample service, as a policy and on a host", async t => {
  const denied = await forwarded('header', { headers: { 'x-ext-authz-additional-header-override': 'o' } })
  t.equal(denied.status, 403)
  t.equal(denied.text, 'denied by ext_authz for not found header `x-ext-authz: allow` in the request')
  t.equal(denied.headers.get('x-ext-authz-check-result'), 'denied')
  t.equal(denied.headers.get('x-ext-authz-additional-header-override'), 'o')
  const allowed = await forwarded('header', { headers: { 'x-ext-authz': 'allow' } })
  t.equal(allowed.status, 200)
  t.match(
    allowed.headers.get('x-ext-authz-check-received'),
    /^GET shop\.test\/orders\?page=2, headers: map\[.*\], body: \[\]$/,
  )
  t.equal(allowed.headers.get('x-svc-user'), null)
  const [head = ''] = (await raw('GET /any/path?x=1 HTTP/1.1\r\nHost: ext-authz.test\r\nx-ext-authz: allow\r\n')).split(
    '\r\n\r\n',
  )
  t.match(head, /^HTTP\/1\.1 200/)
  t.match(head, /x-ext-authz-check-received: GET ext-authz\.test\/any\/path\?x=1, headers/i)
})

/** Sends a head and returns everything that comes back. */
function raw(head: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    let text = ''
    socket.on('data', data => (text += data.toString('latin1')))
    socket.on('close', () => resolve(text))
    socket.on('error', error =>
      (error as NodeJS.ErrnoException).code === 'ECONNRESET' ? resolve('reset') : reject(error),
    )
    socket.write(`${head}Connection: close\r\n\r\n`)
  })
}

const asking = (value: string): Promise<Reply> => forwarded('allow', { headers: { 'X-Svc-Authz': value } })

t.test('X-Svc-Authz of the checked request decides [GWS-3]', async t => {
  t.equal((await asking('deny')).status, 403)
  const teapot = await asking('deny:418')
  t.equal(teapot.status, 418)
  t.match(teapot.json, { error: 'denied', reason: 'requested by X-Svc-Authz' })
  t.match((await lastCall()).service, { by: 'header', decision: 'deny' })
  t.equal((await forwarded('deny', { headers: { 'X-Svc-Authz': 'allow' } })).status, 200)
  t.equal((await forwarded('deny', { headers: { 'X-Svc-Authz': 'slow:1' } })).status, 403)
  t.equal((await asking('error')).status, 503)
  t.equal((await asking('error:429')).status, 429)
  t.match((await lastCall()).service, { decision: 'error' })
  const redirected = await asking('redirect:/login?a=b')
  t.equal(redirected.status, 302)
  t.equal(redirected.headers.get('location'), '/login?a=b')
  const filled = await asking('headers:3')
  t.equal(filled.headers.get('x-svc-fill-3')!.length, 1024)
  t.equal(filled.headers.get('x-svc-fill-4'), null)
})

t.test('X-Svc-Authz breaks the call', async t => {
  const head = (value: string): string => `GET /ext-authz/allow HTTP/1.1\r\nHost: a\r\nX-Svc-Authz: ${value}\r\n`
  t.equal(await raw(head('reset')), 'reset')
  const truncated = await raw(head('malformed'))
  const [, announced] = /content-length: (\d+)/i.exec(truncated) ?? []
  t.ok(truncated.split('\r\n\r\n')[1]!.length < Number(announced), 'less than announced')
  const limited = await serve(t, { plugins: ['ext-authz'], env: { SVC_MAX_DELAY_MS: '20' } })
  const hung = await send(limited, '/ext-authz/allow', { headers: { 'X-Svc-Authz': 'hang' } })
  t.equal(hung.status, 503)
})

t.test('any other value is refused, and the setting turns the header off', async t => {
  for (const value of [
    'maybe',
    'deny:200',
    'deny:304',
    'error:302',
    'headers:61',
    'headers:0',
    'slow:-1',
    'redirect://a',
    'allow:1',
  ]) {
    const { status, json } = await asking(value)
    t.equal(status, 400, value)
    t.match(json, { error: 'invalid_service_header', details: /headers:<1-60>/ })
    t.match((await lastCall()).service, { by: 'header', decision: 'error', reason: 'invalid X-Svc-Authz' })
  }
  const off = await serve(t, { plugins: ['ext-authz'], settings: { services: { by_header: false } } })
  t.equal((await send(off, '/ext-authz/allow', { headers: { 'X-Svc-Authz': 'deny' } })).status, 200)
})

t.test('the list of services, the metric, and an unknown default', async t => {
  await forwarded('deny')
  const { json } = await send(server, '/_svc/services')
  const [authz] = (json as { services: Record<string, any>[] }).services
  t.match(authz, { name: 'authz', http: '/ext-authz' })
  t.ok(authz!.policies.includes('jwt') && authz!.calls > 0)
  t.match((await send(server, '/_svc/metrics')).text, /svc_service_calls_total\{service="authz",decision="deny"\} \d+/)
  const wrong = await serve(t, { plugins: ['ext-authz'], settings: { ext_authz: { default: 'alow' } } })
  t.match(wrong.problems(), [{ at: /default/, message: /did you mean "allow"/ }])
})

const clear = (t: Test): void => t.teardown(() => send(server, 'DELETE /_svc/rules')) as never

t.test('rules about the service act on checked requests only [GWS-4]', async t => {
  clear(t)
  await putRule(server, 'no-deletes', {
    match: { service: { name: 'authz', policy: 'allow' }, method: 'DELETE', path: '/orders/{id}', host: 'shop.test' },
    then: {
      decide: {
        allow: false,
        status: 451,
        body: { id: '{{request.path.id}}', tenant: '{{request.header.x-tenant}}' },
        response_headers: { set: { 'X-Why': 'rule' }, append: { 'X-Many': ['a', 'b'] } },
      },
    },
  })
  await putRule(server, 'arrivals', { match: { path: '/orders/**' }, then: { fail: 500 }, priority: 5 })
  const denied = await forwarded('allow', { method: 'DELETE', uri: '/orders/7', headers: { 'X-Tenant': 'acme' } })
  t.equal(denied.status, 451, denied.text)
  t.strictSame(denied.json, { id: '7', tenant: 'acme' })
  t.match(Object.fromEntries(denied.headers), { 'x-why': 'rule', 'x-many': 'a, b', 'x-svc-rule': 'no-deletes' })
  t.match(await lastCall(), { rule: 'no-deletes', service: { by: 'rule', decision: 'deny' } })
  t.equal((await forwarded('header', { method: 'DELETE', uri: '/orders/7' })).status, 403, 'another policy')
  t.equal((await forwarded('allow', { uri: '/orders/7' })).status, 200, 'another method')
  await putRule(server, 'of-calls', { match: { service: {} }, then: { fail: 500 } })
  t.equal((await send(server, '/echo')).status, 200, 'an arrival')
})

t.test('steps of rules about the service', async t => {
  clear(t)
  const rule = (then: unknown, more: object = {}) =>
    putRule(server, 'r', { match: { service: { name: 'authz' } }, then, ...more })
  await rule({ decide: { allow: false } }, { every: 3 })
  const statuses = []
  for (let index = 0; index < 6; index++) statuses.push((await forwarded('allow')).status)
  t.strictSame(statuses, [200, 200, 403, 200, 200, 403], 'every third check')
  await rule({ fail: 429, retry_after: 7, message: 'busy' })
  const failed = await forwarded('allow')
  t.equal(failed.status, 429)
  t.equal(failed.headers.get('retry-after'), '7')
  t.match(failed.json, { error: 'service_failed', details: 'busy' })
  await rule({ pass: true })
  t.equal((await asking('deny')).status, 200, 'the policy decides, not the header')
  await rule({ delay: 1 })
  t.equal((await forwarded('deny')).status, 403)
  await rule({ abort: 'reset' })
  t.equal(await raw('GET /ext-authz/allow HTTP/1.1\r\nHost: a\r\n'), 'reset')
  await rule({ decide: { allow: true, headers: { set: { 'X-A': 'b' }, remove: ['X-Secret'] }, metadata: { a: 1 } } })
  const allowed = await forwarded('deny')
  t.equal(allowed.headers.get('x-a'), 'b')
  t.equal(allowed.headers.get('x-envoy-auth-headers-to-remove'), 'x-secret')
  t.strictSame((await lastCall()).service.left_out, ['metadata'])
  await rule({
    decide: { allow: false, body: '<script>1</script>', response_headers: { set: { 'Content-Type': 'text/html' } } },
  })
  const page = await forwarded('allow')
  t.match(page.headers.get('content-security-policy'), /^sandbox/)
  t.equal(page.headers.get('x-content-type-options'), 'nosniff')
})

t.test('rules that cannot act are refused when they are stored [GWS-4]', async t => {
  const refused = async (then: unknown, at: string): Promise<void> => {
    const { status, json } = await send(server, 'PUT /_svc/rules/x', {
      body: { match: { service: { name: 'authz' } }, then },
    })
    t.equal(status, 400, at)
    t.match(json, { error: 'invalid_rule', at })
  }
  await refused({ respond: { body: 'x' } }, 'then.respond')
  await refused({ abort: 'truncate' }, 'then.abort')
  await refused([{ pass: true }, { abort: 'bad-chunk' }], 'then[1].abort')
  await refused({ decide: {} }, 'then.decide.allow')
  await refused({ decide: { allow: true, status: 403 } }, 'then.decide.status')
  await refused({ decide: { allow: true, body: 'x' } }, 'then.decide.body')
  await refused({ decide: { allow: false, status: 200 } }, 'then.decide.status')
  await refused({ decide: { allow: true, headers: { set: { Host: 'a' } } } }, 'then.decide.headers.set.Host')
  await refused({ decide: { allow: true, headers: { set: { ':path': '/' } } } }, 'then.decide.headers.set.:path')
  await refused({ decide: { allow: true, headers: { append: { 'X-A': 'a\nb' } } } }, 'then.decide.headers.append.X-A')
  await refused({ decide: { allow: false, headers: {}, bdy: 1 } }, 'then.decide.bdy')
  await refused({ decide: { allow: false, body: '{{nope}}' } }, 'then.decide.body')
  const arrival = await send(server, 'PUT /_svc/rules/x', {
    body: { match: { path: '/a' }, then: { decide: { allow: true } } },
  })
  t.equal(arrival.status, 400, 'a decision about a request that arrives')
})

t.test('the session of the checked request has its rules, counters and records', async t => {
  clear(t)
  await putRule(
    server,
    'mine',
    { match: { service: {}, path: '/orders' }, then: [{ decide: { allow: false } }] },
    't-1',
  )
  t.equal((await forwarded('allow')).status, 200, 'another session')
  t.equal((await forwarded('allow', { uri: '/s/t-1/orders' })).status, 403, 'by its path')
  const { json } = await send(server, '/_svc/requests?session=t-1&service=authz')
  t.match(json, {
    count: 1,
    requests: [{ session: 't-1', session_from: 'path', service: { checked: { path: '/orders' } } }],
  })
  await putRule(
    server,
    'mine',
    { match: { service: {}, path: '/orders' }, then: [{ decide: { allow: false } }] },
    't-1',
  )
  t.equal((await forwarded('allow', { uri: '/orders', headers: { baggage: 'svc.session=t-1' } })).status, 403)
})

t.test('filters and verification look at checked requests [GWS-5]', async t => {
  const session = 'v-1'
  const ask = (policy: string, uri: string): Promise<Reply> =>
    forwarded(policy, { uri, headers: { 'X-Svc-Session': session } })
  await ask('allow', '/a?x=1')
  await ask('deny', '/b')
  await send(server, '/echo/a', { session })
  const count = async (query: string): Promise<number> =>
    ((await send(server, `/_svc/requests?session=${session}&${query}`)).json as { count: number }).count
  t.equal(await count('service=authz'), 2)
  t.equal(await count('service=authz&path=/a&query.x=1&host=shop.test'), 1)
  t.equal(await count('service=authz&path_prefix=/b'), 1)
  t.equal(await count('path=/a'), 0, 'without service the call itself counts')
  t.equal(await count('decision=deny'), 1)
  t.match(await send(server, `/_svc/requests?session=${session}&service=autz`), {
    status: 400,
    text: /service.*did you mean \\"authz\\"/,
  })
  const verify = (body: object): Promise<Reply> => send(server, 'POST /_svc/verify', { body: { session, ...body } })
  t.equal((await verify({ match: { service: { name: 'authz', policy: 'deny' }, path: '/b' }, exactly: 1 })).status, 200)
  t.equal((await verify({ match: { service: { name: 'authz' }, path: '/nope' } })).status, 409)
  t.equal((await verify({ order: [{ service: { name: 'authz' }, path: '/a' }, { path: '/echo/a' }] })).status, 200)
  t.equal((await verify({ order: [{ path: '/echo/a' }, { service: { name: 'authz' } }] })).status, 409)
})

t.test('credentials of checked requests are not shown', async t => {
  const shared = await serve(t, { plugins: ['ext-authz'], env: { SVC_ADMIN_TOKEN: 'very-secret-token' } })
  await send(shared, '/ext-authz/allow', {
    headers: { 'X-Original-URI': '/?a=very-secret-token', 'X-Svc-Admin-Token': 'very-secret-token' },
  })
  const { text } = await send(shared, '/_svc/requests?service=authz', {
    headers: { 'X-Svc-Admin-Token': 'very-secret-token' },
  })
  t.match(text, /"service":\{"name":"authz"/)
  t.notMatch(text, /very-secret-token/)
})

t.test('public mode captures calls about requests with a session only', async t => {
  const shared = await serve(t, { plugins: ['ext-authz'], env: { SVC_PUBLIC_MODE: 'true' } })
  await send(shared, '/ext-authz/allow', { headers: { 'X-Original-URI': '/s/p-1/orders' } })
  await send(shared, '/ext-authz/allow', { headers: { 'X-Original-URI': '/orders' } })
  const { json } = await send(shared, '/_svc/requests?session=p-1&service=authz')
  t.match(json, { count: 1 })
  const { status } = await send(shared, '/ext-authz/allow', { headers: { 'X-Svc-Authz': 'headers:9' } })
  t.equal(status, 400)
})

t.test('a call and the request that followed are joined [GWS-5]', async t => {
  const session = 'c-1'
  const entries = async (): Promise<Record<string, any>[]> =>
    ((await send(server, `/_svc/requests?session=${session}&order=oldest`)).json as { requests: Record<string, any>[] })
      .requests
  const asked = (policy: string, uri: string, headers: object): Promise<Reply> =>
    forwarded(policy, { uri, headers: { 'X-Svc-Session': session, ...headers } })
  await asked('allow', '/echo/a', { 'X-Request-Id': 'r-1' })
  await send(server, '/echo/other', { session, headers: { 'X-Request-Id': 'r-1' } })
  const trace = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
  await asked('allow', '/echo/b', { traceparent: trace })
  await send(server, '/echo/b', { session, headers: { traceparent: trace.replaceAll('b', 'c') } })
  await asked('allow', '/echo/c', { Authorization: 'Bearer one' })
  await send(server, '/echo/c', { session, headers: { Authorization: 'Bearer two' } })
  await send(server, '/echo/c', { session, headers: { Authorization: 'Bearer one' } })
  await asked('deny', '/echo/d', {})
  const [byId, first, byTrace, second, bySame, stranger, third, denied] = await entries()
  for (const [call, arrival] of [
    [byId, first],
    [byTrace, second],
    [bySame, third],
  ]) {
    t.equal(call!.service.arrival, arrival!.id)
    t.match(arrival!.services, [{ name: 'authz', policy: 'allow', decision: 'allow', id: call!.id }])
    t.equal(arrival!.service, null)
  }
  t.strictSame(stranger!.services, [], 'another credential')
  t.equal(denied!.service.arrival, null, 'nothing arrived')
  const one = await send(server, `/_svc/requests/${first!.id}`)
  t.match(one.json, { services: [{ id: byId!.id }] })
})
