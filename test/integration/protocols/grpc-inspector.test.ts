/** gRPC calls in the inspector, and fault headers in metadata. */
import t from 'tap'
import { status, type ServiceError } from '@grpc/grpc-js'
import type { InspectorEntry } from '../../../core/contract/plugin.ts'
import { serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { call, collect, connectTo, echoClient, failureOf, metadataOf, type EchoClient } from './grpc-client.ts'

const server = await serve(t, { oneProcess: 'gRPC connections stay at one process, which counts them' })
const target = `127.0.0.1:${server.ports.grpc}`
const client = echoClient(target)
t.teardown(() => client.close())

const PATH = '/svc.echo.v1.EchoService/'

async function list(from: TestServer = server): Promise<InspectorEntry[]> {
  return ((await (await fetch(`${from.url}/_svc/requests`)).json()) as { requests: InspectorEntry[] }).requests
}

/** The newest entry, once its response has ended. */
const newest = (): Promise<InspectorEntry> =>
  until(async () => {
    const [entry] = await list()
    return entry !== undefined && entry.ended !== 'open' ? entry : null
  }, 'the call is over')

t.test('a call is captured with its metadata and its status, without a body [GRPC-11]', async t => {
  await call(
    client,
    'Echo',
    { message: 'hi' },
    { metadata: metadataOf({ 'x-custom': 'a', 'x-svc-session': 'one', 'x-request-id': 'call-1' }) },
  )
  const entry = await newest()
  t.match(entry, {
    request_id: 'call-1',
    method: 'POST',
    path: `${PATH}Echo`,
    uri: `${PATH}Echo`,
    version: 'HTTP/2.0',
    session: 'one',
    body: null,
    body_base64: null,
    body_size: 0,
    status: 200,
    grpc_status: 0,
    fault: null,
    fault_source: null,
    route: `${PATH}Echo`,
    plugin: 'grpc',
    ended: 'complete',
  })
  t.ok(entry.bytes_sent > 0)
  t.strictSame(
    entry.headers.find(({ name }) => name === 'x-custom'),
    { name: 'x-custom', value: 'a' },
  )
  t.notOk(entry.headers.some(({ name }) => name.startsWith(':') || name.startsWith('x-svc-bridge')))
  await failureOf(call(client, 'Fail', { code: 9 }))
  t.match(await newest(), { path: `${PATH}Fail`, status: 200, grpc_status: 9, ended: 'complete' })
  await collect(client.ServerStream({ count: 2 }))
  t.match(await newest(), { path: `${PATH}ServerStream`, grpc_status: 0, ended: 'complete' })
  const left = client.ServerStream({ count: 100 })
  left.on('error', () => {})
  await new Promise(resolve => left.once('data', resolve))
  t.match((await list())[0], { path: `${PATH}ServerStream`, grpc_status: null, ended: 'open' })
  left.cancel()
  t.match(await newest(), { path: `${PATH}ServerStream`, ended: 'client_left' })
  const web = await fetch(`http://${target}${PATH}Echo`, {
    method: 'POST',
    headers: { 'content-type': 'application/grpc-web' },
    body: Buffer.from([0, 0, 0, 0, 0]),
  })
  await web.arrayBuffer()
  t.match(await newest(), { version: 'HTTP/1.1', path: `${PATH}Echo`, status: 200, grpc_status: 0, ended: 'complete' })
  await (
    await fetch(`http://${target}${PATH}Nope`, {
      method: 'POST',
      headers: { 'content-type': 'application/grpc-web' },
      body: '',
    })
  ).arrayBuffer()
  t.match(await newest(), { path: `${PATH}Nope`, grpc_status: 12, route: null, plugin: null })
})

t.test('fail maps the status, delay waits, and both are listed in the entry [GRPC-27]', async t => {
  const STATUSES = [
    [429, 14],
    [503, 14],
    [401, 16],
    [403, 7],
    [404, 5],
    [408, 4],
    [504, 4],
    [409, 10],
    [400, 3],
    [501, 12],
    [500, 2],
    [418, 2],
  ] as const
  for (const [http, grpc] of STATUSES) {
    const failed = await failureOf(
      call(client, 'Echo', { message: 'hi' }, { metadata: metadataOf({ 'x-svc-fail': String(http) }) }),
    )
    t.equal(failed.code, grpc, String(http))
    t.match(failed.details, `injected fault: ${http}`)
    t.strictSame(failed.metadata.get('x-svc-fault'), ['fail'])
  }
  t.match(await newest(), {
    status: 200,
    grpc_status: 2,
    fault: 'fail',
    fault_source: 'X-Svc-Fail: 418',
    route: null,
    plugin: null,
    ended: 'complete',
  })
  const startedAt = performance.now()
  await call(client, 'Echo', { message: 'hi' }, { metadata: metadataOf({ 'x-svc-delay': '80' }) })
  t.ok(performance.now() - startedAt >= 75)
  t.match(await newest(), {
    grpc_status: 0,
    fault: 'delay',
    fault_source: 'X-Svc-Delay: 80',
    route: `${PATH}Echo`,
    plugin: 'grpc',
  })
  t.match(await collect(client.ServerStream({ count: 1 }, metadataOf({ 'x-svc-fail': '503' }))), {
    code: status.UNAVAILABLE,
    messages: [],
  })
  t.match(await collect(client.BidiStream(metadataOf({ 'x-svc-fail': '503' }))), {
    code: status.UNAVAILABLE,
    messages: [],
  })
  t.equal(
    await new Promise(resolve => {
      client.ClientStream(metadataOf({ 'x-svc-fail': '503' }), {}, error => resolve(error?.code)).end()
    }),
    status.UNAVAILABLE,
  )
  await call(client, 'Echo', {}, { metadata: metadataOf({ 'x-svc-fail': '503:0' }) })
  t.match(await newest(), { fault: null, grpc_status: 0 })
  const late = await failureOf(
    call(client, 'Echo', {}, { metadata: metadataOf({ 'x-svc-delay': '5000' }), deadline: Date.now() + 60 }),
  )
  t.equal(late.code, status.DEADLINE_EXCEEDED)
  const unexpected = await failureOf(
    call(client, 'Echo', {}, { metadata: metadataOf({ 'x-svc-expect': '{"header":{"x-tenant":"a"}}' }) }),
  )
  t.equal(unexpected.code, status.FAILED_PRECONDITION)
  t.match(JSON.parse(unexpected.details), { error: 'expectation_failed', differences: [{ at: 'header.x-tenant' }] })
  const metrics = await (await fetch(`${server.url}/_svc/metrics`)).text()
  t.match(metrics, /svc_faults_injected_total\{kind="fail"\} 15\n/)
  t.notMatch(metrics, /svc_requests_total\{route="\/svc\.echo/)
})

t.test('faults also work over gRPC-Web, and invalid values are reported [GRPC-27]', async t => {
  const post = (headers: Record<string, string>): Promise<Response> =>
    fetch(`http://${target}${PATH}Echo`, {
      method: 'POST',
      headers: { 'content-type': 'application/grpc-web', ...headers },
      body: Buffer.from([0, 0, 0, 0, 0]),
    })
  const failed = await post({ 'X-Svc-Fail': '503' })
  t.equal(failed.headers.get('x-svc-fault'), 'fail')
  t.match(await failed.text(), /grpc-status:14\r\n/)
  const ignored = await post({ 'X-Svc-Fail': 'rate_limt', 'X-Svc-Delay': '1s' })
  t.match(ignored.headers.get('x-svc-ignored'), /^X-Svc-Delay; expected .*, X-Svc-Fail; expected/)
  t.match(await ignored.text(), /grpc-status:0\r\n/)
})

t.test('faults act on methods that are not served too [GRPC-27, GRPC-10]', async t => {
  const unknown = (path: string, metadata: Record<string, string>): Promise<ServiceError> =>
    new Promise(resolve => {
      const asIs = (bytes: Buffer): Buffer => bytes
      client.makeUnaryRequest(path, asIs, asIs, Buffer.alloc(0), metadataOf(metadata), {}, error => resolve(error!))
    })
  for (const path of [`${PATH}Nope`, '/no.such.Service/Call']) {
    const plain = await unknown(path, {})
    t.match(plain, { code: status.UNIMPLEMENTED, details: `The server does not implement the method ${path}` })
    t.match(await newest(), { path, grpc_status: 12, fault: null, route: null, plugin: null, ended: 'complete' })
    const failed = await unknown(path, { 'x-svc-fail': '503' })
    t.match(failed, { code: status.UNAVAILABLE, details: 'injected fault: 503' })
    t.strictSame(failed.metadata.get('x-svc-fault'), ['fail'])
    t.match(await newest(), {
      path,
      grpc_status: 14,
      fault: 'fail',
      fault_source: 'X-Svc-Fail: 503',
      route: null,
      plugin: null,
    })
    const startedAt = performance.now()
    t.equal((await unknown(path, { 'x-svc-delay': '80' })).code, status.UNIMPLEMENTED)
    t.ok(performance.now() - startedAt >= 75)
    t.match(await newest(), {
      path,
      grpc_status: 12,
      fault: 'delay',
      fault_source: 'X-Svc-Delay: 80',
      route: null,
      plugin: null,
    })
  }
  t.equal(
    (await unknown('/svc.bridge.Unknown/Call', {})).code,
    status.UNIMPLEMENTED,
    'the method that answers for them is not one',
  )
  const web = await fetch(`http://${target}${PATH}Nope`, {
    method: 'POST',
    headers: { 'content-type': 'application/grpc-web', 'x-svc-fail': '429' },
    body: Buffer.from([0, 0, 0, 0, 0]),
  })
  t.match(await web.text(), /grpc-status:14\r\n/)
})

t.test('a call has one line in the access log, at its end [GRPC-11, LINE-2]', async t => {
  const logged = await serve(t, { env: { SVC_LOG_FORMAT: 'json', SVC_LOG_LEVEL: 'info' } })
  const one = echoClient(`127.0.0.1:${logged.ports.grpc}`)
  t.teardown(() => one.close())
  const lines = (): Record<string, unknown>[] =>
    logged.lines.map(line => JSON.parse(line) as Record<string, unknown>).filter(({ message }) => message === 'request')
  const lineOf = (id: string): Promise<Record<string, unknown>> =>
    until(async () => lines().find(line => line['request_id'] === id) ?? null, `the line of ${id}`)
  await call(one, 'Echo', { message: 'hi' }, { metadata: metadataOf({ 'x-request-id': 'fine' }) })
  const fine = await lineOf('fine')
  t.match(fine, {
    level: 'info',
    method: 'POST',
    path: `${PATH}Echo`,
    route: `${PATH}Echo`,
    status: 200,
    grpc_status: 0,
    latency_ms: Number,
    duration_ms: Number,
    client_ip: '127.0.0.1',
    ended: 'complete',
    plugin: 'grpc',
  })
  t.notOk('fault' in fine)
  await failureOf(
    call(
      one,
      'Echo',
      {},
      { metadata: metadataOf({ 'x-request-id': 'broken', 'x-svc-delay': '60', 'x-svc-fail': '503' }) },
    ),
  )
  const broken = await lineOf('broken')
  t.match(broken, { status: 200, grpc_status: 14, fault: 'fail', fault_source: 'X-Svc-Fail: 503', route: 'unmatched' })
  t.ok(Number(broken['duration_ms']) >= 55)
  const left = one.ServerStream({ count: 100 }, metadataOf({ 'x-request-id': 'left' }))
  left.on('error', () => {})
  await new Promise(resolve => left.once('data', resolve))
  t.notOk(
    lines().some(line => line['request_id'] === 'left'),
    'not before its end',
  )
  left.cancel()
  const gone = await lineOf('left')
  t.match(gone, { path: `${PATH}ServerStream`, status: 200, ended: 'client_left' })
  t.notOk('grpc_status' in gone)
  t.equal(lines().length, 3)
})

t.test('health and reflection are exempt, refused calls are not captured [GRPC-27, GRPC-11]', async t => {
  interface Health extends EchoClient {
    Check(
      request: object,
      metadata: object,
      callback: (error: ServiceError | null, response: { status: string }) => void,
    ): void
  }
  const limited = await serve(t, { env: { SVC_LIMIT_REQUESTS: '1', SVC_LIMIT_SCOPE: 'session' } })
  const address = `127.0.0.1:${limited.ports.grpc}`
  const health = connectTo<Health>('grpc.health.v1.Health', address)
  const checked = await new Promise(resolve =>
    health.Check({ service: '' }, metadataOf({ 'x-svc-fail': '503', 'x-svc-delay': '10000' }), (error, response) =>
      resolve(error?.code ?? response.status),
    ),
  )
  t.equal(checked, 'SERVING')
  health.close()
  const one = echoClient(address)
  t.equal(
    (await failureOf(call(one, 'Echo', {}, { metadata: metadataOf({ 'x-svc-fail': '503', 'x-svc-session': 'one' }) })))
      .code,
    status.UNAVAILABLE,
  )
  t.equal(
    (await failureOf(call(one, 'Echo', {}, { metadata: metadataOf({ 'x-svc-fail': '503', 'x-svc-session': 'one' }) })))
      .code,
    status.RESOURCE_EXHAUSTED,
    'a limit comes before a fault',
  )
  one.close()
  t.strictSame(
    (await list(limited)).map(({ path, fault }) => [path, fault]),
    [[`${PATH}Echo`, 'fail']],
  )
})
