/**
 * `envoy.service.auth.v3.Authorization/Check`, called with the official client.
 * Takes long: the official client is slow to load.
 */
import t from 'tap'
import { connect, constants } from 'node:http2'
import { Client, credentials, Metadata, status, type ServiceDefinition, type ServiceError } from '@grpc/grpc-js'
import { loadFileDescriptorSetFromBuffer } from '@grpc/proto-loader'
import { readFileSync } from 'node:fs'
import { AUTHZ_DESCRIPTOR_SET } from '../../../proto/compile.ts'
import { putRule, send } from '../../support/rules.ts'
import { serve } from '../../support/server.ts'

type Json = Record<string, any>

const server = await serve(t, {
  plugins: ['ext-authz', 'grpc', 'identity', 'echo'],
  settings: { ext_authz: { default: 'deny' } },
  env: { SVC_MAX_DELAY_MS: '50' },
})
const SERVICE = 'envoy.service.auth.v3.Authorization'
const definitions = loadFileDescriptorSetFromBuffer(readFileSync(AUTHZ_DESCRIPTOR_SET), {
  keepCase: true,
  longs: Number,
  enums: String,
  defaults: false,
})
const { Check: method } = definitions[SERVICE] as ServiceDefinition
const client = new Client(`127.0.0.1:${server.ports.grpc}`, credentials.createInsecure())
t.teardown(() => client.close())

const map = (object: Record<string, string>): Json[] => Object.entries(object).map(([key, value]) => ({ key, value }))

interface Asked {
  policy?: string
  metadata?: Record<string, string>
  extensions?: Record<string, string>
  headers?: Record<string, string>
  http?: Json
  source?: Json
}

function messageOf({ policy, extensions = {}, headers = {}, http = {}, source }: Asked): Json {
  return {
    attributes: {
      ...(source === undefined ? {} : { source }),
      context_extensions: map({ ...extensions, ...(policy === undefined ? {} : { policy }) }),
      request: {
        http: {
          method: 'GET',
          path: '/orders?page=2',
          host: 'shop.test',
          scheme: 'https',
          headers: map(headers),
          ...http,
        },
      },
    },
  }
}

function check(asked: Asked): Promise<Json> {
  const metadata = new Metadata()
  for (const [name, value] of Object.entries(asked.metadata ?? {})) metadata.set(name, value)
  return new Promise((resolve, reject) =>
    client.makeUnaryRequest(
      method!.path,
      method!.requestSerialize,
      method!.responseDeserialize,
      messageOf(asked),
      metadata,
      (error, value) => (error === null ? resolve(value as Json) : reject(error)),
    ),
  )
}

async function failure(asked: Asked): Promise<{ code: string; details: string }> {
  const { code, details } = await check(asked).then(
    () => {
      throw new Error('the call succeeded')
    },
    (error: ServiceError) => error,
  )
  return { code: status[code], details }
}

const option = (key: string, value: string, append_action = 'OVERWRITE_IF_EXISTS_OR_ADD'): Json => ({
  header: { key, value },
  append_action,
})

const lastCall = async (): Promise<Json> =>
  ((await send(server, '/_svc/requests?service=authz&limit=1')).json as Json).requests[0]

t.test('the policy is that of the context, of the metadata, or the default', async t => {
  const allowed = await check({ policy: 'allow' })
  t.equal(allowed.status?.code ?? 0, 0)
  t.strictSame(allowed.ok_response.headers_to_remove, ['x-svc-user', 'x-svc-scopes', 'x-svc-tenant'])
  t.match(await check({ metadata: { 'svc-policy': 'allow' } }), { ok_response: {} })
  const denied = await check({})
  t.equal(denied.status.code, 7)
  t.equal(denied.denied_response.status.code, 403)
  t.strictSame(JSON.parse(denied.denied_response.body), { error: 'denied', policy: 'deny', reason: 'always' })
  t.match(denied.denied_response.headers, [option('content-type', 'application/json')])
  t.match(await failure({ policy: 'alow' }), { code: 'INVALID_ARGUMENT', details: /did you mean "allow"/ })
})

t.test('the checked request is read from all members', async t => {
  await check({
    policy: 'allow',
    headers: { ':authority': 'ignored', ':path': '/ignored', 'x-tenant': 'a', authorization: 'Bearer x' },
    http: { method: 'POST', body: '{"a":1}' },
    source: { address: { socket_address: { address: '203.0.113.9', port_value: 1 } } },
  })
  const { service, route } = await lastCall()
  t.match(service, {
    name: 'authz',
    policy: 'allow',
    decision: 'allow',
    checked: {
      method: 'POST',
      path: '/orders',
      query: 'page=2',
      scheme: 'https',
      host: 'shop.test',
      client_ip: '203.0.113.9',
    },
  })
  t.match(service.checked.headers[0], { name: 'host', value: 'shop.test' })
  t.notOk(service.checked.headers.some(({ name }: Json) => name.startsWith(':')))
  t.equal(route, method!.path)
  await check({
    policy: 'allow',
    http: {
      host: '',
      header_map: {
        headers: [
          { key: ':authority', value: 'b.test' },
          { key: 'x-a', value: '1' },
          { key: 'x-a', raw_value: Buffer.from('2') },
        ],
      },
    },
  })
  const { checked } = (await lastCall()).service
  t.equal(checked.host, 'b.test')
  t.strictSame(
    checked.headers.filter(({ name }: Json) => name === 'x-a').map(({ value }: Json) => value),
    ['1', '2'],
    'repeated names are kept',
  )
  const bare = await new Promise((resolve, reject) =>
    client.makeUnaryRequest(method!.path, method!.requestSerialize, method!.responseDeserialize, {}, (error, value) =>
      error === null ? resolve(value) : reject(error),
    ),
  )
  t.match(bare, { denied_response: {} }, 'a check without attributes')
})

t.test('api-key, jwt, session and header [GWS-2, GWS-6]', async t => {
  const key = await check({ policy: 'api-key', headers: { apikey: 'my-key' } })
  t.match(key.ok_response.headers, [option('x-svc-user', 'api-key')])
  const missing = await check({ policy: 'api-key' })
  t.equal(missing.status.code, 16)
  t.equal(missing.denied_response.status.code, 401)
  const { json } = await send(server, 'POST /oauth/debug/token', { body: { claims: { sub: 'ada', scope: 'read' } } })
  const headers = { authorization: `Bearer ${(json as Json).token}` }
  t.match((await check({ policy: 'jwt', headers })).ok_response.headers, [
    option('x-svc-user', 'ada'),
    option('x-svc-scopes', 'read'),
  ])
  const scope = await check({ policy: 'jwt', headers, extensions: { scope: 'admin' } })
  t.equal(scope.status.code, 7)
  t.match(scope.denied_response.headers[1].header, { key: 'www-authenticate', value: /insufficient_scope/ })
  const redirected = await check({ policy: 'session' })
  t.equal(redirected.denied_response.status.code, 302)
  t.match(redirected.denied_response.headers[1].header, {
    key: 'location',
    value: '/ext-authz/login?return=%2Forders%3Fpage%3D2',
  })
  const allowed = await check({ policy: 'header', headers: { 'x-ext-authz': 'allow' } })
  t.match(allowed.ok_response.headers, [
    option('x-ext-authz-check-result', 'allowed'),
    { header: { key: 'x-ext-authz-check-received', value: /^GET shop\.test\/orders\?page=2, headers: / } },
    option('x-ext-authz-additional-header-override', 'grpc-additional-header-override-value'),
  ])
  const denied = await check({ policy: 'header' })
  t.match(denied.denied_response, { status: { code: 403 }, body: /^denied by ext_authz for not found header/ })
  t.match(await check({ policy: 'header', source: { principal: 'spiffe://c/ns/n/sa/a' } }), { ok_response: {} })
})

t.test('X-Svc-Authz of the checked request [GWS-3, GWS-6]', async t => {
  const ask = (value: string): Asked => ({ policy: 'allow', headers: { 'x-svc-authz': value } })
  t.match(await check(ask('deny:418')), { status: { code: 7 }, denied_response: { status: { code: 418 } } })
  t.match(await check(ask('error:502')), { status: { code: 14 }, error_response: { status: { code: 502 } } })
  t.match(await failure(ask('error')), { code: 'UNAVAILABLE' })
  t.match(await failure(ask('hang')), { code: 'DEADLINE_EXCEEDED' })
  t.equal((await check(ask('headers:60'))).ok_response.headers.length, 60)
  t.match(await failure(ask('nope')), { code: 'INVALID_ARGUMENT', details: /deny:<status/ })
  t.match(await failure(ask('malformed')), { code: 'INTERNAL' }, 'the client cannot read the message')
  t.match(await resetCode('reset'), { head: false, code: constants.NGHTTP2_INTERNAL_ERROR })
})

/** Asks over HTTP/2 itself, to see how the stream ends. */
function resetCode(value: string): Promise<{ head: boolean; code: number }> {
  return new Promise((resolve, reject) => {
    const session = connect(`http://127.0.0.1:${server.ports.grpc}`)
    session.on('error', reject)
    const stream = session.request({
      ':method': 'POST',
      ':path': method!.path,
      'content-type': 'application/grpc',
      te: 'trailers',
    })
    let head = false
    stream.on('response', () => (head = true))
    stream.on('error', () => {})
    stream.on('close', () => {
      session.close()
      resolve({ head, code: stream.rstCode! })
    })
    stream.resume()
    const payload = method!.requestSerialize(messageOf({ policy: 'allow', headers: { 'x-svc-authz': value } }))
    const frame = Buffer.alloc(5)
    frame.writeUInt32BE(payload.length, 1)
    stream.end(Buffer.concat([frame, payload]))
  })
}

t.test('rules decide, with everything that the protocol can say [GWS-4, GWS-6]', async t => {
  t.teardown(() => send(server, 'DELETE /_svc/rules'))
  const rule = (then: unknown): Promise<unknown> =>
    putRule(server, 'r', {
      match: { service: { name: 'authz' }, host: 'shop.test', header: { 'x-tenant': 'a' } },
      then,
    })
  const asked: Asked = { policy: 'allow', headers: { 'x-tenant': 'a' } }
  await rule({
    decide: {
      allow: true,
      headers: { set: { 'X-A': '{{request.header.x-tenant}}' }, append: { 'X-B': ['1', '2'] }, remove: ['Cookie'] },
      response_headers: { set: { 'X-C': 'c' } },
      query: { set: { page: '3' }, remove: ['debug'] },
      metadata: { tier: 'gold', n: 1, list: [true, null], in: { a: 'b' } },
    },
  })
  const { ok_response: ok, dynamic_metadata: metadata } = await check(asked)
  const APPEND = 'APPEND_IF_EXISTS_OR_ADD'
  t.match(
    ok.headers.map(({ header }: Json) => header),
    [
      { key: 'x-a', value: 'a' },
      { key: 'x-b', value: '1' },
      { key: 'x-b', value: '2' },
    ],
  )
  t.notOk(ok.headers[1].append_action === 'OVERWRITE_IF_EXISTS_OR_ADD', APPEND)
  t.strictSame(ok.headers_to_remove, ['cookie'])
  t.match(ok.response_headers_to_add, [option('x-c', 'c')])
  t.match(ok.query_parameters_to_set, [{ key: 'page', value: '3' }])
  t.strictSame(ok.query_parameters_to_remove, ['debug'])
  t.match(metadata.fields, [
    { key: 'tier', value: { string_value: 'gold' } },
    { key: 'n', value: { number_value: 1 } },
    { key: 'list', value: { list_value: { values: [{ bool_value: true }, {}] } } },
    { key: 'in', value: { struct_value: { fields: [{ key: 'a', value: { string_value: 'b' } }] } } },
  ])
  t.strictSame((await lastCall()).service.left_out, [])
  await rule({ decide: { allow: false, status: 401, body: 'no' } })
  t.match(await check(asked), { status: { code: 16 }, denied_response: { status: { code: 401 }, body: 'no' } })
  t.match(await check({ policy: 'allow' }), { ok_response: {} }, 'the header differs')
  for (const [httpStatus, code] of [
    [403, 'PERMISSION_DENIED'],
    [503, 'UNAVAILABLE'],
    [504, 'DEADLINE_EXCEEDED'],
    [418, 'UNKNOWN'],
  ] as const) {
    await rule({ fail: httpStatus, message: 'by rule' })
    t.match(await failure(asked), { code, details: 'by rule' })
  }
  await rule({ abort: 'reset' })
  t.not((await failure(asked)).code, 'OK')
  await putRule(server, 'r', { match: { grpc: { service: SERVICE } }, then: { fail: 503 } })
  t.match(await failure(asked), { code: 'UNAVAILABLE' }, 'a rule about the call as such')
})

t.test('the list names the gRPC service', async t => {
  const { json } = await send(server, '/_svc/services')
  t.equal((json as Json).services[0].grpc, SERVICE)
})
