/** The sinks besides OTLP: JSON logs, Zipkin, Datadog. */
import t from 'tap'
import { gzipSync } from 'node:zlib'
import { request as httpRequest } from 'node:http'
import { putRule, send } from '../../support/rules.ts'
import { post, shown, type Json } from '../../support/otlp-requests.ts'
import { serve } from '../../support/server.ts'

const server = await serve(t, {
  plugins: ['telemetry', 'echo'],
  settings: {
    telemetry: {
      hosts: [
        { host: 'zipkin.test', serve: 'zipkin' },
        { host: 'datadog.test', serve: 'datadog' },
        { host: 'logs.test', serve: 'logs' },
      ],
      fields: { my_status: 'status' },
    },
  },
})
const clear = async (): Promise<void> => {
  for (const kind of ['spans', 'logs']) await send(server, `DELETE /_svc/telemetry/${kind}`)
}
const logs = (body: string, type = 'application/json') => post(server, '/logs', type, body)
const newestLog = async (): Promise<Json> => (await shown(server, 'logs', 'limit=1'))[0]!

t.test('access logs of each gateway are read [GWT-10]', async t => {
  await clear()
  const cases: Record<string, { log: Json; expected: Json }> = {
    envoy: {
      log: {
        start_time: '2026-01-01T00:00:00.500Z',
        method: 'GET',
        path: '/orders?page=2',
        response_code: 503,
        response_flags: 'UF,URX',
        duration: 12,
        bytes_sent: 91,
        bytes_received: 0,
        upstream_cluster: 'orders',
        upstream_request_attempt_count: 3,
        'x-request-id': 'e-1',
      },
      expected: {
        time: '2026-01-01T00:00:00.500Z',
        method: 'GET',
        path: '/orders',
        status: 503,
        response_flags: 'UF,URX',
        duration_ms: 12,
        bytes_sent: 91,
        bytes_received: 0,
        upstream: 'orders',
        attempts: 3,
        request_id: 'e-1',
      },
    },
    traefik: {
      log: {
        StartUTC: '2026-01-01T00:00:00Z',
        RequestMethod: 'POST',
        RequestPath: '/a',
        DownstreamStatus: 502,
        OriginStatus: 503,
        Duration: 1_500_000,
        RetryAttempts: 2,
        DownstreamContentSize: 7,
        level: 'info',
        msg: 'access',
      },
      expected: {
        method: 'POST',
        path: '/a',
        status: 502,
        upstream_status: 503,
        duration_ms: 1.5,
        attempts: 3,
        bytes_sent: 7,
        severity: 'info',
        body: 'access',
      },
    },
    caddy: {
      log: {
        ts: 1767225600.25,
        logger: 'http.log.access',
        msg: 'handled request',
        request: { method: 'GET', uri: '/b?x=1', headers: { 'X-Request-Id': ['c'] } },
        bytes_read: 0,
        duration: 0.0125,
        size: 20,
        status: 200,
      },
      expected: {
        time: '2026-01-01T00:00:00.250Z',
        method: 'GET',
        path: '/b',
        status: 200,
        duration_ms: 12.5,
        bytes_sent: 20,
        body: 'handled request',
      },
    },
    kong: {
      log: {
        started_at: 1767225600000,
        request: {
          method: 'GET',
          uri: '/c',
          size: 5,
          headers: { 'x-request-id': 'k-1', traceparent: `00-${'a'.repeat(32)}-00f067aa0ba902b7-01` },
        },
        response: { status: 200, size: 9 },
        latencies: { request: 31 },
        tries: [{}, {}],
      },
      expected: {
        method: 'GET',
        path: '/c',
        status: 200,
        duration_ms: 31,
        attempts: 2,
        bytes_sent: 9,
        bytes_received: 5,
        request_id: 'k-1',
        trace_id: 'a'.repeat(32),
      },
    },
    apisix: {
      log: {
        start_time: 1767225600000,
        latency: 4.5,
        request: { method: 'GET', uri: '/d', size: 1 },
        response: { status: 404 },
        upstream: '10.0.0.1:80',
      },
      expected: { method: 'GET', path: '/d', status: 404, duration_ms: 4.5, upstream: '10.0.0.1:80' },
    },
    nginx: {
      log: {
        time: '2026-01-01T00:00:00+01:00',
        request_method: 'GET',
        request_uri: '/e?x',
        status: '499',
        request_time: '0.250',
        body_bytes_sent: '0',
        request_id: 'n-1',
      },
      expected: {
        time: '2025-12-31T23:00:00.000Z',
        method: 'GET',
        path: '/e',
        status: 499,
        duration_ms: 250,
        bytes_sent: 0,
        request_id: 'n-1',
      },
    },
    agentgateway: {
      log: {
        level: 'info',
        time: '2026-01-01T00:00:00Z',
        'http.method': 'POST',
        'http.path': '/f',
        'http.status': 200,
        duration: '7ms',
        endpoint: '10.0.0.2:80',
        'trace.id': 'b'.repeat(32),
      },
      expected: {
        method: 'POST',
        path: '/f',
        status: 200,
        duration_ms: 7,
        upstream: '10.0.0.2:80',
        trace_id: 'b'.repeat(32),
      },
    },
    'telemetry.fields': { log: { my_status: 201, status: 500 }, expected: { status: 201 } },
    'a full URL': { log: { 'url.full': 'https://shop.test:8443/g?x#y' }, expected: { path: '/g' } },
    'HAProxy without a server': {
      log: { request_id: 'r-1', status: 401, upstream: '<NOSRV>' },
      expected: { request_id: 'r-1', status: 401, upstream: null },
    },
    'odd values': {
      log: { status: 'x', duration: -1, attempts: 'many', method: 7, path: 'relative', time: 'noon', request_id: '-' },
      expected: { status: null, duration_ms: null, attempts: null, method: null, path: null, request_id: null },
    },
  }
  for (const [name, { log, expected }] of Object.entries(cases)) {
    t.strictSame((await logs(JSON.stringify(log))).json, { accepted: 1 })
    t.match(await newestLog(), { source: 'json', attributes: log, ...expected }, name)
  }
})

t.test('an object, a list, or lines [GWT-10]', async t => {
  await clear()
  t.strictSame((await logs('[{"a":1},{"a":2}]')).json, { accepted: 2 })
  t.strictSame((await logs('{"a":3}\n\n{"a":4}\r\n', 'application/x-ndjson')).json, { accepted: 2 })
  t.strictSame((await logs('{"a":5}', 'text/plain')).json, { accepted: 1 })
  t.strictSame(
    (await post(server, '/logs', 'application/json', gzipSync('{"a":6}'), { 'content-encoding': 'gzip' })).json,
    { accepted: 1 },
  )
  t.strictSame(
    (await shown(server, 'logs', 'order=oldest')).map(({ attributes }) => attributes.a),
    [1, 2, 3, 4, 5, 6],
  )
  for (const [body, message] of [
    ['{"a":1}\n{"a":\n{"b":1}', /line 2 is not a JSON object/],
    ['{"a":1}\n[1]', /line 2/],
    ['[{"a":1},2]', /item 2 is not an object/],
    ['3', /item 1/],
    ['', /expected an object/],
    ['127.0.0.1 - - [x] "GET / HTTP/1.1" 200', /line 1/],
    [`{"a":${'['.repeat(50)}${']'.repeat(50)}}`, /too many levels/],
  ] as const) {
    const reply = await logs(body)
    t.equal(reply.status, 400, body.slice(0, 30))
    t.match(JSON.stringify(reply.json), message)
  }
  t.equal((await shown(server, 'logs')).length, 6, 'nothing of such a call is kept')
  const large = await logs(JSON.stringify([{ a: 'x'.repeat(70_000) }, {}]))
  t.match(large.json, { accepted: 1, rejected: 1, details: /65536 bytes/ })
})

const ZIPKIN_SPAN = {
  traceId: '48485a3953bb6124',
  id: 'b7ad6b7169203331',
  parentId: '6b221d5bc9e6496c',
  kind: 'SERVER',
  name: 'get',
  timestamp: 1767225600000000,
  duration: 12500,
  localEndpoint: { serviceName: 'gateway', ipv4: '10.0.0.1' },
  tags: { 'http.method': 'GET', 'http.status_code': '503', error: 'true', 'guid:x-request-id': 'z-1' },
  annotations: [{ timestamp: 1, value: 'x' }],
}
const SHOWN_ZIPKIN = {
  trace_id: `${'0'.repeat(16)}48485a3953bb6124`,
  span_id: 'b7ad6b7169203331',
  parent_span_id: '6b221d5bc9e6496c',
  name: 'get',
  kind: 'server',
  service: 'gateway',
  start: '2026-01-01T00:00:00.000Z',
  duration_ms: 12.5,
  status: 'error',
  attributes: ZIPKIN_SPAN.tags,
  source: 'zipkin',
}

const varint = (value: bigint): Buffer => {
  const bytes: number[] = []
  for (let rest = value; ; rest >>= 7n) {
    if (rest < 128n) return Buffer.from([...bytes, Number(rest)])
    bytes.push(Number(rest & 127n) | 128)
  }
}
const field = (number: number, content: Buffer | string): Buffer => {
  const bytes = Buffer.from(content as string)
  return Buffer.concat([Buffer.from([number * 8 + 2]), varint(BigInt(bytes.length)), bytes])
}

t.test('Zipkin in JSON and protobuf [GWT-11]', async t => {
  await clear()
  const json = await post(server, '/zipkin/api/v2/spans', 'application/json', JSON.stringify([ZIPKIN_SPAN]))
  t.equal(json.status, 202)
  t.equal(json.body.length, 0)
  const time = Buffer.alloc(8)
  time.writeBigUInt64LE(BigInt(ZIPKIN_SPAN.timestamp))
  const span = Buffer.concat([
    field(1, Buffer.from(ZIPKIN_SPAN.traceId, 'hex')),
    field(2, Buffer.from(ZIPKIN_SPAN.parentId, 'hex')),
    field(3, Buffer.from(ZIPKIN_SPAN.id, 'hex')),
    Buffer.from([32, 2]),
    field(5, 'get'),
    Buffer.concat([Buffer.from([49]), time]),
    Buffer.concat([Buffer.from([56]), varint(12500n)]),
    field(8, field(1, 'gateway')),
    ...Object.entries(ZIPKIN_SPAN.tags).map(([key, value]) =>
      field(11, Buffer.concat([field(1, key), field(2, value)])),
    ),
  ])
  const binary = await post(server, '/zipkin/api/v2/spans', 'application/x-protobuf', gzipSync(field(1, span)), {
    'content-encoding': 'gzip',
  })
  t.equal(binary.status, 202)
  const [second, first] = await shown(server, 'spans')
  t.match(first, SHOWN_ZIPKIN)
  t.match(second, SHOWN_ZIPKIN)
  t.equal((await shown(server, 'spans', 'request_id=z-1')).length, 2)
  for (const [body, message] of [
    ['{', /not JSON/],
    ['{}', /expected a list/],
    ['[1]', /span 0/],
    [JSON.stringify([{ ...ZIPKIN_SPAN, id: '1' }]), /id: expected 16/],
    [JSON.stringify([ZIPKIN_SPAN, { ...ZIPKIN_SPAN, traceId: '0'.repeat(32) }]), /traceId/],
    [JSON.stringify([{ ...ZIPKIN_SPAN, kind: 'SIDE' }]), /kind: expected CLIENT/],
    [JSON.stringify([{ ...ZIPKIN_SPAN, tags: { a: 1 } }]), /tags\.a/],
    [JSON.stringify([{ ...ZIPKIN_SPAN, tags: ['x', null] }]), /tags: expected an object/],
    [JSON.stringify([{ ...ZIPKIN_SPAN, timestamp: 'x' }]), /timestamp/],
  ] as const) {
    const reply = await post(server, '/zipkin/api/v2/spans', 'application/json', body)
    t.equal(reply.status, 400, body.slice(0, 30))
    t.match(reply.headers.get('content-type'), /^text\/plain/)
    t.match(reply.body.toString(), message)
  }
  const broken = await post(server, '/zipkin/api/v2/spans', 'application/x-protobuf', Buffer.from('0aff', 'hex'))
  t.equal(broken.status, 400)
  t.equal((await shown(server, 'spans')).length, 2)
})

/** MessagePack of what tests need; bigints have 64 bits. */
function pack(value: unknown): Buffer {
  if (value === null) return Buffer.from([0xc0])
  if (typeof value === 'boolean') return Buffer.from([value ? 0xc3 : 0xc2])
  if (typeof value === 'bigint') {
    const bytes = Buffer.alloc(9, 0xcf)
    bytes.writeBigUInt64BE(value, 1)
    return bytes
  }
  if (typeof value === 'number') {
    if (Number.isInteger(value) && value >= 0 && value < 128) return Buffer.from([value])
    const bytes = Buffer.alloc(9, 0xcb)
    bytes.writeDoubleBE(value, 1)
    return bytes
  }
  if (typeof value === 'string') {
    const text = Buffer.from(value)
    return Buffer.concat([Buffer.from([0xd9, text.length]), text])
  }
  if (Array.isArray(value)) return Buffer.concat([Buffer.from([0xdc, 0, value.length]), ...value.map(pack)])
  const entries = Object.entries(value as object)
  return Buffer.concat([
    Buffer.from([0x80 + entries.length]),
    ...entries.flatMap(([key, member]) => [pack(key), pack(member)]),
  ])
}

const DATADOG_SPAN = {
  trace_id: 2n ** 64n - 1n,
  span_id: 7n,
  parent_id: 0,
  service: 'gateway',
  name: 'envoy.proxy',
  resource: 'GET /orders',
  type: 'web',
  start: 1767225600000000000n,
  duration: 12500000,
  error: 1,
  meta: { 'http.method': 'GET', 'http.status_code': '503', 'span.kind': 'server', '_dd.p.tid': '6943a1b200000000' },
  metrics: { _sampling_priority_v1: 1 },
}

t.test('Datadog in MessagePack and JSON [GWT-11]', async t => {
  await clear()
  const second = { ...DATADOG_SPAN, span_id: 8n, parent_id: 7n, error: 0, meta: {} }
  for (const path of ['/v0.4/traces', '/v0.3/traces', '/datadog/v0.4/traces'])
    for (const method of ['PUT', 'POST']) {
      const response = await fetch(server.url + path, {
        method,
        headers: { 'content-type': 'application/msgpack', 'x-datadog-trace-count': '1' },
        body: new Uint8Array(pack([[DATADOG_SPAN, second]])),
      })
      t.equal(response.status, 200, `${method} ${path}`)
      t.strictSame(await response.json(), { rate_by_service: { 'service:,env:': 1 } })
    }
  const found = await shown(server, 'spans', 'limit=100')
  t.equal(found.length, 12)
  t.match(found[1], {
    trace_id: '6943a1b200000000ffffffffffffffff',
    span_id: '0000000000000007',
    parent_span_id: null,
    name: 'envoy.proxy',
    kind: 'server',
    service: 'gateway',
    start: '2026-01-01T00:00:00.000Z',
    duration_ms: 12.5,
    status: 'error',
    attributes: { 'resource.name': 'GET /orders', 'span.type': 'web', _sampling_priority_v1: 1 },
    source: 'datadog',
  })
  t.match(found[0], {
    trace_id: '6943a1b200000000ffffffffffffffff',
    span_id: '0000000000000008',
    parent_span_id: '0000000000000007',
    status: 'unset',
    kind: null,
  })
  const plain = JSON.stringify([[{ ...DATADOG_SPAN, trace_id: 1, span_id: 2, start: 1, meta: {} }]])
  t.equal((await post(server, '/v0.4/traces', 'application/json', plain)).status, 200)
  for (const [body, message] of [
    [Buffer.from([0x93]), /cut off/],
    [Buffer.from([0xc1]), /unknown/],
    [Buffer.from([0x90, 0x90]), /bytes after/],
    [pack({}), /list of traces/],
    [pack([{}]), /list of spans/],
    [pack([[1]]), /span as a map/],
    [pack([[{ ...DATADOG_SPAN, span_id: 0 }]]), /span_id/],
    [pack([[{ ...DATADOG_SPAN, trace_id: 'x' }]]), /trace_id/],
    [pack([[{ ...DATADOG_SPAN, meta: { a: 1 } }]]), /meta\.a/],
    [pack([[{ ...DATADOG_SPAN, metrics: [] }]]), /metrics: expected a map/],
    [pack([[{ ...DATADOG_SPAN, name: 1 }]]), /name: expected a text/],
    [Buffer.concat([Buffer.alloc(40, 0x91), Buffer.from([0x90])]), /too deeply/],
    [Buffer.concat([Buffer.from([0xdd, 0, 4, 0, 0]), Buffer.alloc(262_144, 0x80)]), /too many values/],
  ] as const) {
    const reply = await post(server, '/v0.4/traces', 'application/msgpack', body)
    t.equal(reply.status, 400, body.toString('hex', 0, 12))
    t.match(JSON.stringify(reply.json), message)
  }
  t.equal((await shown(server, 'spans', 'limit=100')).length, 13)
  t.match((await send(server, '/info')).json, { endpoints: ['/v0.3/traces', '/v0.4/traces'] })
})

t.test('hosts have a sink at their root', async t => {
  const at = (host: string, path: string, body: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      httpRequest(
        server.url + path,
        { method: 'POST', headers: { host, 'content-type': 'application/json' } },
        response => resolve(response.resume().statusCode),
      )
        .on('error', reject)
        .end(body)
    })
  t.equal(await at('zipkin.test', '/api/v2/spans', '[]'), 202)
  t.equal(await at('datadog.test', '/v0.4/traces', '[]'), 200)
  t.equal(await at('logs.test', '/', '{"a":1}'), 200)
  t.equal(await at('logs.test', '/any/path', '{"a":1}'), 200)
  t.equal(await at('other.test', '/api/v2/spans', '[]'), 404)
})

t.test('rules break the sinks', async t => {
  await putRule(server, 'no-logs', { match: { path: '/logs' }, then: { fail: 503 }, times: 1 })
  t.equal((await logs('{"a":1}')).status, 503)
  await putRule(server, 'no-zipkin', { match: { path: '/zipkin/**' }, then: { fail: 500 }, times: 1 })
  const reply = await post(server, '/zipkin/api/v2/spans', 'application/json', '[]')
  t.equal(reply.status, 500)
  t.match(reply.headers.get('content-type'), /^text\/plain/)
})
