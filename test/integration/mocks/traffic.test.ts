import t from 'tap'
import { get } from 'node:http'
import type { JsonObject } from '../../../plugins/mocks/document/json.ts'
import { boundsFor } from '../../../plugins/mocks/bounds.ts'
import { Traffic, trafficBounds, type CapturedRequest } from '../../../plugins/mocks/exchange/traffic.ts'
import { pluginState } from '../../support/plugin-state.ts'
import { until } from '../../support/until.ts'
import { mockServer, type MockServer } from './client.ts'

// Starting a server can take seconds on a busy machine.
t.setTimeout(600_000)
const base = '/_svc/mocks/petstore/requests'

t.test('requests are captured, found and filtered [MOCK-71]', async t => {
  const server = await mockServer(t)
  await server.call('/mock/petstore/v1/pets/7?x=1', {
    headers: { 'x-request-id': 'mine', 'x-svc-session': 's1', 'x-api-key': 'k' },
  })
  await server.call('/mock/petstore/v1/pets', { method: 'POST', body: { name: 'Rex' } })
  await server.call('/mock/petstore/nowhere')
  await server.call('/mock/petstore/pets/7', { headers: { prefer: 'code=404' } })
  const { json } = await server.call(base)
  t.match(json, { count: 4, capacity: 200 })
  const requests = json['requests'] as unknown as CapturedRequest[]
  t.same(
    requests.map(({ method, path, status, operation }) => [method, path, status, operation]),
    [
      ['GET', '/pets/7', 404, 'getPetById'],
      ['GET', '/nowhere', 404, null],
      ['POST', '/v1/pets', 201, 'createPet'],
      ['GET', '/v1/pets/7', 200, 'getPetById'],
    ],
  )
  t.match(requests[3], {
    request_id: 'mine',
    session: 's1',
    query: 'x=1',
    source: 'example:dog',
    rule: null,
    violations: [],
    version: 1,
    body: null,
    body_truncated: false,
    response: { body: '{"id":7,"name":"Rex","tag":"good","status":"available"}', truncated: false },
  })
  t.ok(requests[3]?.headers.some(({ name, value }) => name === 'x-api-key' && value === 'k'))
  t.match(requests[2], { body: '{"name":"Rex"}', violations: [{ in: 'security' }], credential: null })
  t.match((await server.call(`${base}/mine`)).json, { request_id: 'mine' })
  t.match((await server.call(`${base}/${requests[1]?.id}`)).json, { path: '/nowhere' })
  t.match(await server.call(`${base}/nothing`), { status: 404, json: { error: 'unknown_request' } })
  const counts: [string, number][] = [
    ['operation=getPetById', 2],
    ['operation=GET%20/pets/%7Bid%7D', 2],
    ['session=s1', 1],
    ['status=404', 2],
    ['status=404&operation=getPetById', 1],
    ['limit=2', 2],
  ]
  for (const [query, count] of counts) t.equal((await server.call(`${base}?${query}`)).json['count'], count, query)
  for (const query of ['limit=0', 'limit=201', 'limit=x', 'status=abc'])
    t.match(await server.call(`${base}?${query}`), { status: 400, json: { error: 'invalid_parameter' } }, query)
  t.match((await server.call(`${base}?session=s1`, { method: 'DELETE' })).json, { cleared: 1 })
  t.match((await server.call(base, { method: 'DELETE' })).json, { cleared: 3 })
  await server.call('/_svc/mocks/petstore/settings', { method: 'PATCH', body: { capture: false } })
  await server.call('/mock/petstore/pets')
  t.match((await server.call(base)).json, { count: 0 })
})

t.test('bodies are captured up to 16 KiB, and credentials of the control plane are not captured [MOCK-71]', async t => {
  const server = await mockServer(t, { env: { SVC_ADMIN_TOKEN: 'top-secret' } })
  await server.call('/mock/petstore/pets', {
    method: 'POST',
    body: { name: 'x'.repeat(20_000) },
    headers: { 'x-svc-admin-token': 'top-secret' },
  })
  const { json, text } = await server.call(base)
  t.match(json, { requests: [{ body_truncated: true }] })
  t.equal((json['requests'] as JsonObject[])[0]?.['body']?.toString().length, 16_384)
  t.notOk(text.includes('top-secret'))
})

/** Reads a stream; `events` grows. */
async function follow(server: MockServer, path: string): Promise<{ events: string[]; close(): void }> {
  const events: string[] = []
  return new Promise((resolve, reject) => {
    const outgoing = get(`${server.url}${path}`, incoming => {
      incoming.on('data', (chunk: Buffer) => events.push(chunk.toString()))
      incoming.on('error', () => {})
      resolve({ events, close: () => outgoing.destroy() })
    }).on('error', reject)
  })
}

t.test('the stream sends requests as they are captured [MOCK-71]', async t => {
  const server = await mockServer(t)
  const feed = await follow(server, `${base}/stream?status=404`)
  await server.call('/mock/petstore/pets/1')
  await server.call('/mock/petstore/pets/2', { headers: { prefer: 'code=404' } })
  await until(() => feed.events.join('').includes('event: request'), 'the event')
  const text = feed.events.join('')
  feed.close()
  const data = /^data: (.*)$/m.exec(text)?.[1] ?? ''
  t.match(JSON.parse(data), { path: '/pets/2', status: 404 })
  t.notOk(text.includes('"path":"/pets/1"'))
})

t.test('in public mode a session sees only its own requests [MOCK-72] [MOCK-20]', async t => {
  const server = await mockServer(t, { env: { SVC_PUBLIC_MODE: 'true' } })
  await server.call('/mock/petstore/pets/1')
  await server.call('/mock/petstore/pets/2', { headers: { 'x-svc-session': 'a', 'x-request-id': 'ra' } })
  await server.call('/mock/petstore/pets/3', { headers: { 'x-svc-session': 'b', 'x-request-id': 'rb' } })
  t.match(await server.call(base), { status: 400, json: { error: 'invalid_parameter' } })
  t.match((await server.call(`${base}?session=a`)).json, { count: 1, capacity: 50, requests: [{ request_id: 'ra' }] })
  t.match(await server.call(`${base}/rb?session=a`), { status: 404 })
  t.match(await server.call(`${base}/rb?session=b`), { status: 200 })
  t.match(await server.call(`${base}/stream`), { status: 400 })
  t.match(await server.call('/_svc/mocks'), { status: 200, json: { limit: 20, dir: null, config_file: null } })
  for (const [method, path] of [
    ['POST', ''],
    ['POST', '/check'],
    ['POST', '/reload'],
    ['PUT', '/x'],
    ['DELETE', '/petstore'],
    ['PATCH', '/petstore/settings'],
    ['PUT', '/petstore/rules'],
    ['DELETE', '/petstore/requests'],
  ] as const)
    t.equal((await server.call(`/_svc/mocks${path}`, { method })).status, 403, `${method} ${path}`)
})

t.test('every write passes the admin guard, reads need no credentials [MOCK-20]', async t => {
  const server = await mockServer(t, { env: { SVC_ADMIN_TOKEN: 'secret' } })
  t.match(await server.call('/_svc/mocks/petstore/disable', { method: 'POST' }), {
    status: 401,
    headers: { 'www-authenticate': /^Bearer/ },
  })
  t.equal(
    (await server.call('/_svc/mocks/petstore/disable', { method: 'POST', headers: { authorization: 'Bearer secret' } }))
      .status,
    200,
  )
  t.equal((await server.call('/_svc/mocks')).status, 200)
})

t.test('the number and bytes of captured requests are limited [MOCK-71] [MOCK-80]', async t => {
  const request = (id: number, body: string): CapturedRequest => ({
    id: String(id),
    request_id: `r${id}`,
    timestamp: '',
    session: null,
    client_ip: '',
    method: 'GET',
    path: '/',
    query: null,
    headers: [],
    body,
    body_truncated: false,
    operation: null,
    version: 1,
    status: 200,
    source: null,
    rule: null,
    violations: [],
    credential: null,
    response: { headers: [], body: null, truncated: false },
    latency_ms: 0,
  })
  const bounds = { ...boundsFor(false), trafficEntries: 3, trafficBytes: 10_500 }
  const log = pluginState({}).svc.eventLog<CapturedRequest>('traffic', trafficBounds(bounds))
  const traffic = new Traffic(log, bounds)
  const listed = async (mock: string): Promise<string[]> =>
    (await traffic.list(mock, { operation: null, session: null, status: null }, 10)).map(({ id }) => id)
  traffic.add('other', request(0, ''))
  for (let id = 1; id <= 5; id++) traffic.add('m', request(id, ''))
  t.same(await listed('m'), ['5', '4', '3'])
  traffic.add('m', request(6, 'x'.repeat(9500)))
  t.same(await listed('m'), ['6'])
  t.same(await listed('other'), ['0'], 'each mock has its own limit')
})

t.test('access tokens are verified by the built-in provider [MOCK-35]', async t => {
  const server = await mockServer(t)
  await server.call('/_svc/mocks/petstore/settings', { method: 'PATCH', body: { security: 'enforce' } })
  const create = (token?: string): ReturnType<typeof server.call> =>
    server.call('/mock/petstore/pets', {
      method: 'POST',
      body: { name: 'Rex' },
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    })
  t.match(await create(), {
    status: 401,
    headers: { 'www-authenticate': 'Bearer realm="petstore"' },
    json: { code: 401 },
  })
  t.match(await create('nonsense'), {
    status: 401,
    headers: {
      'www-authenticate': 'Bearer realm="petstore", error="invalid_token"',
      'x-svc-mock-error': 'unauthorized',
    },
  })
  const token = async (scope: string): Promise<string> => {
    const registered = await server.call('/oauth/register', {
      method: 'POST',
      body: { client_name: 'mock-test', grant_types: ['client_credentials'], scope, redirect_uris: [] },
    })
    const { client_id, client_secret } = registered.json as { client_id: string; client_secret: string }
    const reply = await server.call('/oauth/token', {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`,
      },
      body: `grant_type=client_credentials&scope=${encodeURIComponent(scope)}`,
    })
    return String(reply.json['access_token'])
  }
  t.match(await create(await token('pets:write')), { status: 201 })
  t.match(await create(await token('pets:read')), {
    status: 403,
    headers: {
      'www-authenticate': 'Bearer realm="petstore", error="insufficient_scope", scope="pets:write"',
      'x-svc-mock-error': 'insufficient_scope',
    },
  })
  await server.call('/_svc/mocks/petstore/settings', { method: 'PATCH', body: { credentials: { oauth: 'any' } } })
  t.match(await create('anything'), { status: 201 })
})
