/** The inspector over HTTP: what is captured, how it is shown, filtered and cleared. */
import t from 'tap'
import { request } from 'node:http'
import { connect } from 'node:net'
import { WebSocket } from 'ws'
import type { InspectorEntry } from '../../../core/contract/plugin.ts'
import { serveLimits } from '../../support/limits-server.ts'
import type { TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

interface List {
  count: number
  capacity: number
  public_mode: boolean
  requests: InspectorEntry[]
}
async function list(server: TestServer, query = ''): Promise<InspectorEntry[]> {
  return ((await (await fetch(`${server.url}/_svc/requests${query}`)).json()) as List).requests
}

t.test('an entry has every field; text is text, other bytes are base64 [INSP-1]', async t => {
  const server = await serveLimits(t)
  await fetch(`${server.url}/x?a=1&b=%20`, {
    method: 'POST',
    body: 'hällo',
    headers: { 'X-Request-Id': 'mine', 'X-Svc-Session': 'team-1', 'X-Two': 'a' },
  })
  await fetch(`${server.url}/x`, { method: 'PUT', body: Buffer.from([0xff, 0xfe, 0]) })
  await fetch(`${server.url}/x`)
  const [none, binary, text] = (await list(server)) as [InspectorEntry, InspectorEntry, InspectorEntry]
  t.match(text, {
    request_id: 'mine',
    method: 'POST',
    uri: '/x?a=1&b=%20',
    path: '/x',
    query: 'a=1&b=%20',
    version: 'HTTP/1.1',
    client_ip: '127.0.0.1',
    session: 'team-1',
    body: 'hällo',
    body_base64: null,
    body_size: 6,
    body_truncated: false,
    status: 200,
  })
  t.match(text.id, /^[\da-f-]{36}$/)
  t.match(text.timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  t.type(text.latency_ms, 'number')
  t.strictSame(
    text.headers.filter(({ name }) => name === 'x-two'),
    [{ name: 'x-two', value: 'a' }],
  )
  t.match(binary, {
    body: null,
    body_base64: Buffer.from([0xff, 0xfe, 0]).toString('base64'),
    body_size: 3,
    session: null,
    query: null,
  })
  t.match(none, { body: null, body_base64: null, body_size: 0 })
  t.strictSame(Object.keys(none), Object.keys(text), 'all keys are always there')
  t.strictSame(
    await (await fetch(`${server.url}/x/entry/mine`)).json(),
    { entry: text },
    'plugins find it by its request id',
  )
  t.strictSame(await (await fetch(`${server.url}/x/entry/other`)).json(), { entry: null })
})

t.test('header order and repetitions are kept, names are in lower case [INSP-1]', async t => {
  const server = await serveLimits(t)
  await new Promise<void>(resolve => {
    const socket = connect(server.ports.http!, '127.0.0.1', () =>
      socket.write('GET /x HTTP/1.1\r\nHost: a\r\nX-B: 1\r\nX-A: 2\r\nx-b: 3\r\nConnection: close\r\n\r\n'),
    )
    socket.resume().on('close', () => resolve())
  })
  const [entry] = await list(server)
  t.strictSame(entry!.headers.slice(0, 4), [
    { name: 'host', value: 'a' },
    { name: 'x-b', value: '1' },
    { name: 'x-a', value: '2' },
    { name: 'x-b', value: '3' },
  ])
})

t.test('every request that passes the limits is captured, however it ends [INSP-2]', async t => {
  const server = await serveLimits(t, { SVC_BODY_LIMIT: '10' })
  await fetch(`${server.url}/no/such`)
  await fetch(`${server.url}/x`, { method: 'DELETE', body: 'x'.repeat(11) })
  await fetch(`${server.url}/x`, { method: 'POST', body: 'body', headers: { 'X-Svc-Fail': '503' } })
  await fetch(`${server.url}/%zz`)
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/x/ws`)
  await new Promise(resolve => socket.once('open', resolve))
  socket.terminate()
  await until(() => server.host.current().openCount === 0, 'the socket is gone')
  const leaving = request(`${server.url}/x/never`)
    .on('error', () => {})
    .end()
  await until(() => server.host.current().openCount === 1, 'the request has arrived')
  leaving.destroy()
  const entries = await until(async () => {
    const all = await list(server)
    return all.length === 6 ? all : null
  })
  t.strictSame(entries.map(({ path, status, body }) => [path, status, body]).toReversed(), [
    ['/no/such', 404, null],
    ['/x', 413, null],
    ['/x', 503, 'body'],
    ['/%zz', 400, null],
    ['/x/ws', 101, null],
    ['/x/never', 499, null],
  ])
})

t.test(
  'control plane, console, landing page, favicon and preflights are not captured, by any spelling [INSP-2, LAYER-2, LAYER-3]',
  async t => {
    const server = await serveLimits(t)
    for (const path of [
      '/',
      '/favicon.ico',
      '/_svc/config',
      '/%5Fsvc/config',
      '/_svc',
      '/_svc/no',
      '/ui',
      '/ui/x',
      '/%75i/x',
    ])
      await fetch(server.url + path)
    await fetch(`${server.url}/x`, { method: 'OPTIONS', headers: { 'Access-Control-Request-Method': 'GET' } })
    t.strictSame(await list(server), [])
    for (const path of ['/_svcx', '/uix', '/favicon.icon']) await fetch(server.url + path)
    t.equal((await list(server)).length, 3)
    const { inspector } = (await (await fetch(`${server.url}/_svc/status`)).json()) as { inspector: unknown }
    t.strictSame(inspector, { stored: 3, capacity: 500, total_captured: 3 })
  },
)

t.test('64 KiB of a body are kept, and a truncated character is dropped [INSP-3]', async t => {
  const server = await serveLimits(t)
  await fetch(`${server.url}/x`, { method: 'POST', body: 'x'.repeat(65_536) })
  await fetch(`${server.url}/x`, { method: 'POST', body: `${'x'.repeat(65_534)}€ and more` })
  await fetch(`${server.url}/x`, {
    method: 'POST',
    body: Buffer.concat([Buffer.alloc(65_535, 'x'), Buffer.from([0xff, 0xff])]),
  })
  const [binary, cut, whole] = (await list(server)) as [InspectorEntry, InspectorEntry, InspectorEntry]
  t.match(whole, { body_size: 65_536, body_truncated: false, body: 'x'.repeat(65_536) })
  t.match(cut, { body_size: 65_546, body_truncated: true, body: 'x'.repeat(65_534), body_base64: null })
  t.match(binary, { body: null, body_truncated: true })
  t.equal(Buffer.from(binary.body_base64!, 'base64').length, 65_536)
})

t.test('the list filters, then limits [INSP-6]', async t => {
  const server = await serveLimits(t, { SVC_INSPECTOR_CAPACITY: '5' })
  for (let index = 0; index < 7; index++)
    await fetch(`${server.url}/${index % 2 ? 'x' : 'nothing'}`, {
      headers: { 'X-Svc-Session': `s${index % 3}`, 'X-Request-Id': `r${index}` },
    })
  const ids = async (query: string) => (await list(server, query)).map(entry => entry.request_id).join()
  const GOOD: [query: string, ids: string][] = [
    ['', 'r6,r5,r4,r3,r2'],
    ['?limit=2', 'r6,r5'],
    ['?limit=0', 'r6'],
    ['?limit=-3', 'r6'],
    ['?limit=99999', 'r6,r5,r4,r3,r2'],
    ['?session=s0', 'r6,r3'],
    ['?path_prefix=/x', 'r5,r3'],
    ['?path_prefix=/noth&limit=1', 'r6'],
    ['?session=none', ''],
    ['?session=s0&path_prefix=/x', 'r3'],
  ]
  for (const [query, expected] of GOOD) t.equal(await ids(query), expected, query)
  const unknown = async (path: string, method = 'GET') => {
    const response = await fetch(`${server.url}${path}`, { method })
    return [response.status, await response.json()]
  }
  t.strictSame(await unknown('/_svc/requests?sesion=s0'), [
    400,
    { error: 'invalid_filter', parameter: 'sesion', did_you_mean: 'session' },
  ])
  t.strictSame(await unknown('/_svc/requests?color=red'), [400, { error: 'invalid_filter', parameter: 'color' }])
  t.strictSame(await unknown('/_svc/requests/stream?path_prefx=/x'), [
    400,
    { error: 'invalid_filter', parameter: 'path_prefx', did_you_mean: 'path_prefix' },
  ])
  t.strictSame(await unknown('/_svc/requests?sesion=s0', 'DELETE'), [
    400,
    { error: 'invalid_filter', parameter: 'sesion', did_you_mean: 'session' },
  ])
  t.equal(await ids('?limit=2'), 'r6,r5', 'a misspelt session forgets nothing')
  const BAD: [query: string, error: string][] = [
    ['?limit=abc', 'invalid_limit'],
    ['?limit=1.5', 'invalid_limit'],
    ['?limit=', 'invalid_limit'],
    ['?session=a%20b', 'invalid_session'],
    ['?session=a/b', 'invalid_session'],
    ['?session=', 'invalid_session'],
    [`?session=${'x'.repeat(129)}`, 'invalid_session'],
  ]
  for (const [query, error] of BAD) {
    const response = await fetch(`${server.url}/_svc/requests${query}`)
    t.equal(response.status, 400, query)
    const details = error === 'invalid_limit' ? { details: 'expected a whole number such as 100' } : {}
    t.strictSame(await response.json(), { error, ...details }, query)
  }
  const body = (await (await fetch(`${server.url}/_svc/requests`)).json()) as List
  t.match(body, { count: 5, capacity: 5, public_mode: false })
  t.match(await (await fetch(`${server.url}/_svc/status`)).json(), {
    inspector: { stored: 5, capacity: 5, total_captured: 7 },
  })
})

t.test('one entry is found by its id, else the newest by its request id [INSP-6]', async t => {
  const server = await serveLimits(t)
  for (const path of ['/x', '/nothing']) await fetch(server.url + path, { headers: { 'X-Request-Id': 'a b/c?' } })
  const [newest, older] = (await list(server)) as [InspectorEntry, InspectorEntry]
  const get = async (id: string) => (await fetch(`${server.url}/_svc/requests/${encodeURIComponent(id)}`)).json()
  t.strictSame(await get(older.id), older)
  t.strictSame(await get('a b/c?'), newest)
  const unknown = await fetch(`${server.url}/_svc/requests/no%2Fsuch`)
  t.equal(unknown.status, 404)
  t.strictSame(await unknown.json(), { error: 'unknown_request', id: 'no/such' })
})

t.test('anybody can clear a session, only the administrator everything [INSP-6]', async t => {
  const server = await serveLimits(t, { SVC_ADMIN_TOKEN: 'secret' })
  for (const session of ['a', 'b', 'a'])
    await fetch(`${server.url}/x`, { headers: { 'X-Svc-Session': session, 'X-Request-Id': 'same' } })
  const clear = async (query: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${server.url}/_svc/requests${query}`, { method: 'DELETE', headers })
    return [response.status, await response.json()]
  }
  t.strictSame(await clear('?session=a'), [200, { cleared: 2, session: 'a' }])
  t.match(
    await (await fetch(`${server.url}/_svc/requests/same`)).json(),
    { session: 'b' },
    'an older one is the newest now',
  )
  t.equal((await clear(''))[0], 401)
  t.strictSame(await clear('?session=%20'), [400, { error: 'invalid_session' }])
  t.strictSame(await clear('', { 'X-Svc-Admin-Token': 'secret' }), [200, { cleared: 1 }])
  t.strictSame(await list(server), [])
})

t.test('credentials of the control plane are redacted, other credentials are kept [INSP-4]', async t => {
  const server = await serveLimits(t, { SVC_ADMIN_TOKEN: 'secret' })
  const headers = {
    'X-Svc-Admin-Token': 'anything',
    Authorization: 'bearer  secret',
    'X-Svc-Key': 'svc-acme-key',
    Referer: 'http://x/?rb_key=svc-acme-key',
    Cookie: 'a=b',
  }
  await fetch(`${server.url}/x?rb_key=svc-acme-key`, { headers })
  const [entry] = await list(server)
  const shown = Object.fromEntries(entry!.headers.map(({ name, value }) => [name, value]))
  t.match(shown, {
    'x-svc-admin-token': 'redacted',
    authorization: 'bearer redacted',
    'x-svc-key': 'svc-acme-key',
    referer: headers.Referer,
    cookie: 'a=b',
  })
  t.equal(entry!.query, 'rb_key=svc-acme-key')
  for (const authorization of ['Bearer other', 'Basic c2VjcmV0', 'Bearer secret2']) {
    await fetch(`${server.url}/x`, { headers: { Authorization: authorization } })
    t.equal((await list(server))[0]!.headers.find(({ name }) => name === 'authorization')!.value, authorization)
  }
  // [SEC-9]
  for (const name of ['Authorization', 'Proxy-Authorization', 'X-A2A-Notification-Token']) {
    await fetch(`${server.url}/x`, { headers: { [name]: 'secret' } })
    t.equal(
      (await list(server))[0]!.headers.find(header => header.name === name.toLowerCase())!.value,
      'redacted',
      `${name} without a scheme`,
    )
  }
  t.match(await (await fetch(`${server.url}/x/redacted?x=1`, { headers })).json(), { url: '/x/redacted?x=1' })
})

t.test('in shared mode API keys are redacted everywhere [INSP-4, KEY-5]', async t => {
  const server = await serveLimits(t, { SVC_SHARED_MODE: 'true' })
  const response = await fetch(
    `${server.url}/x?a=1&rb_key=svc-acme-key&svc_key=svc-acme-key&b=2&%72b_key=svc-acme-key`,
    { headers: { 'X-Svc-Key': 'svc-acme-key', Referer: 'http://x/?svc_key=svc-acme-key#f' } },
  )
  t.equal(response.status, 200)
  const [entry] = await list(server)
  t.notMatch(JSON.stringify(entry), /svc-acme-key/)
  t.equal(entry!.query, 'a=1&rb_key=redacted&svc_key=redacted&b=2&%72b_key=redacted')
  t.equal(entry!.uri, `/x?${entry!.query}`)
  // Query parsers skip a second question mark: the key is used, so it must be redacted.
  const doubled = await fetch(`${server.url}/x??svc_key=svc-acme-key`)
  t.ok(doubled.headers.get('x-svc-key-id'))
  t.equal((await list(server))[0]!.query, '?svc_key=redacted')
})

t.test('public mode captures and shows one session at a time [INSP-9]', async t => {
  const server = await serveLimits(t, { SVC_PUBLIC_MODE: 'true' })
  await fetch(`${server.url}/x`)
  await fetch(`${server.url}/x`, { headers: { 'X-Svc-Session': 'bad session' } })
  await fetch(`${server.url}/x`, { headers: { 'X-Svc-Session': 'a', 'X-Request-Id': 'ra' } })
  t.match(await (await fetch(`${server.url}/_svc/status`)).json(), { inspector: { stored: 1, total_captured: 1 } })
  for (const path of ['/_svc/requests', '/_svc/requests/stream']) {
    const response = await fetch(server.url + path)
    t.equal(response.status, 400, path)
    t.type(((await response.json()) as { error: string }).error, 'string')
  }
  t.equal((await list(server, '?session=a')).length, 1)
  t.strictSame(await list(server, '?session=b'), [])
  for (const [query, status] of [
    ['', 404],
    ['?session=b', 404],
    ['?session=a', 200],
  ] as const)
    t.equal((await fetch(`${server.url}/_svc/requests/ra${query}`)).status, status, query)
  t.equal((await fetch(`${server.url}/_svc/requests`, { method: 'DELETE' })).status, 403)
  // [SEC-10]
  for (const session of ['b', 'c'])
    await fetch(`${server.url}/x?of=${session}`, { headers: { 'X-Svc-Session': session, 'X-Request-Id': 'shared' } })
  for (const session of ['b', 'c']) {
    t.match(
      await (await fetch(`${server.url}/_svc/requests/shared?session=${session}`)).json(),
      { session, query: `of=${session}` },
      'nobody hides the entry of another session',
    )
  }
  t.strictSame(await (await fetch(`${server.url}/_svc/requests?session=a`, { method: 'DELETE' })).json(), {
    cleared: 1,
    session: 'a',
  })
})
