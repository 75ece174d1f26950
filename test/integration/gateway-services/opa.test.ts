/** The policies in the REST API of the Open Policy Agent. */
import t from 'tap'
import { putRule, send, type Reply } from '../../support/rules.ts'
import { serve } from '../../support/server.ts'

type Json = Record<string, any>

const server = await serve(t, { plugins: ['ext-authz', 'identity'] })
const ALLOWED = { 'x-ext-authz': 'allow' }

const query = (path: string, input?: unknown): Promise<Reply> =>
  send(server, `POST /opa/v1/data/${path}`, input === undefined ? {} : { body: { input } })
const result = async (path: string, input?: unknown): Promise<unknown> => {
  const { status, json } = await query(path, input)
  t.equal(status, 200)
  t.match((json as Json).decision_id, /^[\da-f-]{36}$/)
  return (json as Json).result
}
const lastCall = async (): Promise<Json> =>
  ((await send(server, '/_svc/requests?service=authz&limit=1')).json as Json).requests[0].service

t.test('svc/allow is a boolean by the policy of the input [GWS-13]', async t => {
  t.equal(await result('svc/allow', { method: 'GET', path: '/a', headers: ALLOWED }), true)
  t.equal(await result('svc/allow', { method: 'GET', path: '/a', headers: {} }), false)
  t.equal(await result('svc/allow'), false, 'without a body')
  t.equal(await result('svc/allow', { policy: 'allow' }), true)
  t.equal(await result('svc/allow', { policy: 'api-key', headers: { ApiKey: ['my-key'] } }), true)
  const { json } = await send(server, 'POST /oauth/debug/token', { body: { claims: { sub: 'ada', scope: 'read' } } })
  const headers = { authorization: `Bearer ${(json as Json).token}` }
  t.equal(await result('svc/allow', { policy: 'jwt', headers, scope: 'read' }), true)
  t.equal(await result('svc/allow', { policy: 'jwt', headers, scope: 'admin' }), false)
})

t.test('the request is read in the forms of OPA-Envoy, Kong and APISIX [GWS-13]', async t => {
  const http = {
    method: 'PUT',
    path: '/orders?page=2',
    host: 'shop.test',
    scheme: 'https',
    headers: { 'x-a': '1' },
    body: '{}',
  }
  const source = { address: { socketAddress: { address: '203.0.113.9' } }, principal: 'spiffe://c/ns/n/sa/b' }
  await result('svc/allow', { policy: 'allow', attributes: { request: { http }, source } })
  t.match(await lastCall(), {
    policy: 'allow',
    decision: 'allow',
    checked: {
      method: 'PUT',
      path: '/orders',
      query: 'page=2',
      scheme: 'https',
      host: 'shop.test',
      client_ip: '203.0.113.9',
      headers: [
        { name: 'host', value: 'shop.test' },
        { name: 'x-a', value: '1' },
      ],
    },
  })
  await result('svc', { request: { http: { method: 'PATCH', path: '/kong' } } })
  t.match(await lastCall(), { policy: 'header', checked: { method: 'PATCH', path: '/kong' } })
  await result('svc', { type: 'http', request: { method: 'DELETE', path: '/apisix', headers: {} } })
  t.match(await lastCall(), { checked: { method: 'DELETE', path: '/apisix' } })
  await result('svc/allow', { path: ['orders', 'a b/c'] })
  t.match(await lastCall(), { checked: { method: 'GET', path: '/orders/a%20b%2Fc' } })
})

t.test('svc/authz is the object of OPA-Envoy, and paths lead into documents [GWS-13]', async t => {
  const allowed = (await result('svc/authz', { policy: 'api-key', headers: { apikey: 'my-key' } })) as Json
  t.match(allowed, { allowed: true, http_status: 200, headers: { 'X-Svc-User': 'api-key' } })
  t.strictSame(allowed.request_headers_to_remove, ['x-svc-scopes', 'x-svc-tenant'])
  const denied = (await result('svc/authz', { policy: 'api-key' })) as Json
  t.match(denied, { allowed: false, http_status: 401, headers: { 'WWW-Authenticate': /^ApiKey/ } })
  t.match(JSON.parse(denied.body), { error: 'denied', policy: 'api-key' })
  t.equal(await result('svc/authz/http_status', { policy: 'deny' }), 403)
  t.match(await result('svc', { policy: 'deny' }), { allow: false, authz: { allowed: false } })
  t.match(await result('', { policy: 'allow' }), { svc: { allow: true } })
  const before = await lastCall()
  for (const path of ['svc/nope', 'other', 'other/allow']) t.equal(await result(path, {}), undefined, path)
  t.strictSame(await lastCall(), before, 'nothing is decided for what does not exist')
  t.equal(await result('svc/allow/deeper', {}), undefined)
})

t.test('GET, version 0, health and errors [GWS-13]', async t => {
  const input = encodeURIComponent(JSON.stringify({ headers: ALLOWED }))
  t.match((await send(server, `/opa/v1/data/svc/allow?input=${input}`)).json, { result: true })
  t.match((await send(server, '/opa/v1/data/svc/allow')).json, { result: false })
  t.match((await send(server, 'GET /opa/v1/data')).json, { result: { svc: { allow: false } } })
  const bare = await send(server, 'POST /opa/v0/data/svc/allow', { body: { headers: ALLOWED } })
  t.equal(bare.text, 'true')
  t.match(bare.headers.get('content-type'), /^application\/json/)
  t.match(await send(server, 'POST /opa/v0/data/nope', { body: {} }), {
    status: 404,
    json: { code: 'undefined_document' },
  })
  t.match(await send(server, '/opa/health'), { status: 200, text: '{}' })
  for (const [body, message] of [
    ['{', /the body is not JSON/],
    [[], /expected an object with input/],
    [{ input: { policy: 'alow' } }, /did you mean "allow"/],
    [{ input: { policy: 7 } }, /input\.policy: expected a text/],
    [{ input: { path: 'orders' } }, /input\.path: expected a path/],
    [{ input: { attributes: { request: { http: { method: 7 } } } } }, /input\.attributes\.request\.http\.method/],
    [{ input: { headers: ['a'] } }, /input\.headers: expected an object/],
    [{ input: { headers: { 'x-svc-authz': 'nope' } } }, /deny:<status/],
  ] as const)
    t.match(await send(server, 'POST /opa/v1/data/svc/allow', { body }), {
      status: 400,
      json: { code: 'invalid_parameter', message },
    })
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  for (const [input, message] of [
    [`{"a":${nested(100)}}`, /more than 100 levels/],
    [`[${'{},'.repeat(100_000)}{}]`, /more than 100000 values/],
  ] as const) {
    t.match(await send(server, 'POST /opa/v0/data/svc/allow', { body: input }), { status: 400, json: { message } })
    t.match(await send(server, 'POST /opa/v1/data/svc/allow', { body: `{"input":${input}}` }), { status: 400 })
  }
  t.equal((await send(server, 'POST /opa/v0/data/svc/allow', { body: `{"a":${nested(99)}}` })).status, 200)
  const deep = encodeURIComponent(nested(101))
  t.match(await send(server, `/opa/v1/data/svc/allow?input=${deep}`), { status: 400, json: { message: /levels/ } })
  t.match(await send(server, '/opa/v1/data/svc/allow?input=x'), { status: 400, json: { code: 'invalid_parameter' } })
  t.match(await send(server, '/opa/v1/policies'), { status: 404, json: { code: 'resource_not_found' } })
})

t.test('rules, the header and the policy opa decide as elsewhere [GWS-13]', async t => {
  t.teardown(() => send(server, 'DELETE /_svc/rules'))
  const asked = (value: string): Promise<Reply> =>
    query('svc/authz', { policy: 'allow', headers: { 'X-Svc-Authz': value } })
  t.match((await asked('deny:451')).json, { result: { allowed: false, http_status: 451 } })
  t.match(await asked('error'), { status: 503, json: { code: 'internal_error' } })
  await t.rejects(asked('malformed'))
  await t.rejects(asked('reset'))
  await putRule(server, 'r', {
    match: { service: { name: 'authz', policy: 'allow' }, path: '/rule' },
    then: { decide: { allow: true, headers: { set: { 'X-A': 'a' } }, query: { remove: ['q'] }, metadata: { n: 1 } } },
  })
  const input = { policy: 'allow', path: '/rule' }
  t.strictSame(await result('svc/authz', input), {
    allowed: true,
    headers: { 'X-A': 'a' },
    http_status: 200,
    query_parameters_to_set: {},
    query_parameters_to_remove: ['q'],
    dynamic_metadata: { n: 1 },
  })
  t.strictSame((await lastCall()).left_out, [])
  t.equal(await result('svc/allow', input), true)
  t.strictSame((await lastCall()).left_out, ['headers', 'query', 'metadata'])
  t.equal((await send(server, '/ext-authz/opa/a', { headers: ALLOWED })).status, 200)
  t.equal((await send(server, '/ext-authz/opa/a')).status, 403)
  const other = { 'X-Original-URI': '/a' }
  t.equal((await send(server, '/ext-authz/opa?opa_policy=allow', { headers: other })).status, 200)
  t.match(await send(server, '/ext-authz/opa?opa_policy=opa', { headers: other }), { status: 503 })
})
