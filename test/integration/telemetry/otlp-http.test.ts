/** OTLP over HTTP: both encodings, compression, partial success, and every error. */
import t, { type Test } from 'tap'
import { deflateSync, gzipSync } from 'node:zlib'
import { putRule, send } from '../../support/rules.ts'
import {
  attributes,
  encode,
  exportJson,
  post,
  requestOf,
  shown,
  span,
  SPAN,
  TRACE,
  type Json,
  type SignalPath,
} from '../../support/otlp-requests.ts'
import { serve } from '../../support/server.ts'

const server = await serve(t, {
  plugins: ['telemetry', 'echo'],
  settings: {
    telemetry: { hosts: [{ host: 'collector.test', serve: 'otlp' }], fields: { my_status: 'status', other: 'stat' } },
  },
  env: { SVC_BODY_LIMIT: '200000' },
})
const PROTOBUF = 'application/x-protobuf'
const protobuf = (path: SignalPath, request: Json, headers = {}) =>
  post(server, `/otlp/v1/${path}`, PROTOBUF, encode(path, request), headers)
const clear = async (): Promise<void> => {
  for (const kind of ['spans', 'logs', 'metrics']) await send(server, `DELETE /_svc/telemetry/${kind}`)
}

const VALUES = {
  text: 'a',
  whole: 7,
  negative: -3,
  half: 0.5,
  yes: true,
  bytes: Buffer.from('svc'),
  list: ['a', 1, false],
  nested: { inner: { deep: 'x' } },
  __proto__x: 'plain',
}
const SHOWN = { ...VALUES, bytes: 'c3Zj' }

for (const [encoding, send_] of [
  ['JSON', (path: SignalPath, request: Json, headers = {}) => exportJson(server, path, request, headers)],
  ['protobuf', protobuf],
] as const) {
  t.test(`spans in ${encoding} [GWT-1]`, async t => {
    await clear()
    const request = requestOf(
      'traces',
      [
        span({ parentSpanId: '00f067aa0ba902b7', attributes: attributes(VALUES), status: { code: 2 } }),
        span({ spanId: '00f067aa0ba902b8', kind: 3, traceState: 'a=1', droppedAttributesCount: 3, unknown: 1 }),
      ],
      { 'service.name': 'gateway', 'svc.session': 'demo' },
    )
    const reply = await send_('traces', request)
    t.equal(reply.status, 200)
    if (encoding === 'JSON') {
      t.match(reply.headers.get('content-type'), /^application\/json/)
      t.strictSame(reply.json, {})
    } else {
      t.equal(reply.headers.get('content-type'), PROTOBUF)
      t.equal(reply.body.length, 0)
    }
    const [second, first] = await shown(server, 'spans')
    t.match(first, {
      trace_id: TRACE,
      span_id: SPAN,
      parent_span_id: '00f067aa0ba902b7',
      name: 'GET /orders',
      kind: 'server',
      service: 'gateway',
      start: '2026-01-01T00:00:00.000Z',
      duration_ms: 12.5,
      status: 'error',
      resource: { 'service.name': 'gateway', 'svc.session': 'demo' },
      source: 'otlp',
      session: 'demo',
    })
    t.strictSame(first!.attributes, SHOWN)
    t.match(second, { parent_span_id: null, kind: 'client', status: 'unset', attributes: {} })
  })

  t.test(`logs in ${encoding} [GWT-1]`, async t => {
    await clear()
    const record = {
      timeUnixNano: '1767225600000000000',
      severityNumber: 9,
      body: { stringValue: 'GET /orders 503' },
      traceId: TRACE,
      attributes: attributes({
        'http.request.method': 'get',
        'url.path': '/s/lab/orders',
        my_status: 503,
        'http.request.header.x-request-id': 'r-7',
        duration: '12.5ms',
        response_flags: 'UF',
        upstream_cluster: 'orders',
        'http.request.resend_count': 2,
      }),
    }
    const plain = { observedTimeUnixNano: '1767225601000000000', severityText: 'WARN', eventName: 'restart' }
    const fields = { body: { kvlistValue: { values: attributes({ status: 404, path: '/a?b=1' }) } } }
    const reply = await send_('logs', requestOf('logs', [record, plain, fields], { 'service.name': 'gateway' }))
    t.equal(reply.status, 200)
    const [third, second, first] = await shown(server, 'logs')
    t.match(first, {
      time: '2026-01-01T00:00:00.000Z',
      severity: 'info',
      body: 'GET /orders 503',
      trace_id: TRACE,
      service: 'gateway',
      method: 'GET',
      path: '/orders',
      status: 503,
      request_id: 'r-7',
      duration_ms: 12.5,
      response_flags: 'UF',
      upstream: 'orders',
      attempts: 3,
      upstream_status: null,
      bytes_sent: null,
      session: 'lab',
    })
    t.match(second, {
      time: '2026-01-01T00:00:01.000Z',
      severity: 'WARN',
      body: 'restart',
      status: null,
      session: null,
    })
    t.match(third, { status: 404, path: '/a', body: { status: 404, path: '/a?b=1' } })
  })

  t.test(`metrics in ${encoding} [GWT-1]`, async t => {
    await clear()
    const at = { timeUnixNano: '1767225600000000000' }
    const metrics = [
      {
        name: 'temperature',
        unit: 'Cel',
        gauge: { dataPoints: [{ ...at, asDouble: 21.5, attributes: attributes({ a: 'b' }) }] },
      },
      {
        name: 'requests',
        sum: {
          dataPoints: [
            { ...at, asInt: '-7' },
            { ...at, asInt: '8' },
          ],
          isMonotonic: true,
        },
      },
      {
        name: 'duration',
        histogram: { dataPoints: [{ ...at, count: '3', sum: 1.5, bucketCounts: ['1', '2'], explicitBounds: [1] }] },
      },
      { name: 'sizes', exponentialHistogram: { dataPoints: [{ ...at, count: '4', sum: 2.5, scale: 1 }] } },
      {
        name: 'latency',
        summary: { dataPoints: [{ ...at, count: '5', sum: 3.5, quantileValues: [{ quantile: 0.5, value: 1 }] }] },
      },
      { name: 'empty' },
    ]
    t.equal((await send_('metrics', requestOf('metrics', metrics, { 'service.name': 'gateway' }))).status, 200)
    const found = (await shown(server, 'metrics', 'order=oldest')).map(
      ({ name, kind, unit, value, count, sum, attributes: own }) => [name, kind, unit, value, count, sum, own],
    )
    t.strictSame(found, [
      ['temperature', 'gauge', 'Cel', 21.5, null, null, { a: 'b' }],
      ['requests', 'sum', null, -7, null, null, {}],
      ['requests', 'sum', null, 8, null, null, {}],
      ['duration', 'histogram', null, null, 3, 1.5, {}],
      ['sizes', 'exponential_histogram', null, null, 4, 2.5, {}],
      ['latency', 'summary', null, null, 5, 3.5, {}],
    ])
  })
}

t.test('bodies may be compressed, within the limit [GWT-2]', async t => {
  await clear()
  const body = encode('traces', requestOf('traces', [span()]))
  for (const [coding, content] of [
    ['gzip', gzipSync(body)],
    ['deflate', deflateSync(body)],
  ] as const) {
    const reply = await post(server, '/otlp/v1/traces', PROTOBUF, content, { 'content-encoding': coding })
    t.equal(reply.status, 200, coding)
  }
  t.equal((await shown(server, 'spans')).length, 2)
  const bomb = gzipSync(Buffer.alloc(1_000_000))
  const large = await post(server, '/otlp/v1/traces', PROTOBUF, bomb, { 'content-encoding': 'gzip' })
  t.equal(large.status, 413)
  t.equal(large.headers.get('content-type'), PROTOBUF)
  t.match(statusOf(large.body), { code: 2, message: /\S/ })
  const plain = await post(server, '/otlp/v1/traces', 'application/json', ' '.repeat(300_000))
  t.equal(plain.status, 413)
  t.match(plain.json, { code: 2, message: /\S/ })
  const unknown = await post(server, '/otlp/v1/traces', PROTOBUF, body, { 'content-encoding': 'snappy' })
  t.equal(unknown.status, 415)
  const broken = await post(server, '/otlp/v1/traces', PROTOBUF, body, { 'content-encoding': 'gzip' })
  t.equal(broken.status, 400)
  t.match(statusOf(broken.body), { code: 3, message: /gzip/i })
})

/** `google.rpc.Status`: code 1, message 2, with short lengths. */
function statusOf(bytes: Buffer): { code: number; message: string } {
  if (bytes[0] !== 8 || bytes[2] !== 18) throw new Error(`no Status: ${bytes.toString('hex')}`)
  return { code: bytes[1]!, message: bytes.toString('utf8', bytes[3]! < 128 ? 4 : 5) }
}

t.test('what cannot be decoded is a Status in the encoding of the request [GWT-2]', async t => {
  await clear()
  const isBad = async (t: Test, path: SignalPath, body: string, message: RegExp): Promise<void> => {
    const reply = await post(server, `/otlp/v1/${path}`, 'application/json', body)
    t.equal(reply.status, 400, body.slice(0, 60))
    t.match(reply.json, { code: 3, message })
  }
  await isBad(t, 'traces', '{', /not JSON/)
  await isBad(t, 'traces', '[]', /expected a JSON object/)
  await isBad(t, 'traces', '{"resourceSpans":{}}', /resourceSpans: expected a list/)
  await isBad(t, 'traces', '{"resourceSpans":[1]}', /resourceSpans\[0\]: expected an object/)
  await isBad(t, 'traces', JSON.stringify(requestOf('traces', [span({ name: 1 })])), /name: expected a string/)
  await isBad(t, 'traces', JSON.stringify(requestOf('traces', [span({ kind: 'SERVER' })])), /kind: expected a number/)
  await isBad(
    t,
    'traces',
    JSON.stringify(requestOf('traces', [span({ endTimeUnixNano: 'x' })])),
    /expected a whole number/,
  )
  await isBad(t, 'traces', JSON.stringify(requestOf('traces', [span({ endTimeUnixNano: 1e308 })])), /at most 64 bits/)
  await isBad(
    t,
    'traces',
    JSON.stringify(requestOf('traces', [span({ attributes: {} })])),
    /attributes: expected a list/,
  )
  await isBad(
    t,
    'traces',
    JSON.stringify(requestOf('traces', [span({ attributes: [{ key: 'a', value: 1 }] })])),
    /attributes\.a/,
  )
  await isBad(t, 'logs', JSON.stringify(requestOf('logs', [{ body: { doubleValue: 'x' } }])), /body.doubleValue/)
  await isBad(t, 'metrics', JSON.stringify(requestOf('metrics', [{ name: 3 }])), /metrics.name/)
  await isBad(t, 'traces', `{"resourceSpans":${'['.repeat(80)}${']'.repeat(80)}}`, /more than 64 levels/)
  for (const [hex, message] of [
    ['0a05', /cut off/],
    ['08', /cut off/],
    ['0affffffffffffffffff7f', /too long|cut off/],
    ['0d00', /cut off/],
    ['0b', /wire type 3/],
    ['0001', /invalid number/],
    ['0801', /expected a message/],
    [
      encode('traces', requestOf('traces', [span()]))
        .toString('hex')
        .replace('0a10', '0810'),
      /./,
    ],
  ] as const) {
    const reply = await post(server, '/otlp/v1/traces', PROTOBUF, Buffer.from(hex, 'hex'))
    t.equal(reply.status, 400, hex.slice(0, 30))
    t.match(statusOf(reply.body), { code: 3, message })
  }
  t.strictSame(await shown(server, 'spans'), [], 'nothing of such a call is kept')
  const other = await post(server, '/otlp/v1/traces', 'text/plain', 'x')
  t.equal(other.status, 415)
  t.match(other.json, { message: /application\/x-protobuf/ })
  t.equal((await send(server, '/otlp/v1/traces')).status, 405)
  t.equal((await send(server, 'POST /otlp/v1/profiles', { body: {} })).status, 404)
})

t.test('invalid ids and what is over the bounds are a partial success [GWT-3]', async t => {
  await clear()
  const spans = [
    span(),
    span({ traceId: '0'.repeat(32) }),
    span({ spanId: 'abcd' }),
    span({ traceId: '' }),
    span({ attributes: attributes({ large: 'x'.repeat(70_000) }) }),
  ]
  const reply = await exportJson(server, 'traces', requestOf('traces', spans))
  t.equal(reply.status, 200)
  t.match(reply.json, {
    partialSuccess: { rejectedSpans: '4', errorMessage: /^4 not kept: .*must not be all zero.*8 bytes/ },
  })
  const binary = await protobuf('traces', requestOf('traces', spans))
  t.equal(binary.status, 200)
  const text = binary.body.toString('latin1')
  t.match(text, /4 not kept/)
  t.equal(binary.body[0], 10, 'partial_success')
  t.equal(binary.body.toString('hex').includes('0804'), true, 'the number')
  t.equal((await shown(server, 'spans')).length, 2)

  await clear()
  const many = Array.from({ length: 2100 }, () => ({ body: {} }))
  const full = await exportJson(server, 'logs', requestOf('logs', many))
  t.match(full.json, { partialSuccess: { rejectedLogRecords: '100', errorMessage: /at most 2000 records/ } })
  t.equal((await shown(server, 'logs', 'limit=2000')).length, 2000)

  // Records that are left out cost as much as those that are kept.
  const invalid = Array.from({ length: 2100 }, () => ({}))
  const unfit = await exportJson(server, 'traces', requestOf('traces', [...invalid, span()]))
  t.match(unfit.json, { partialSuccess: { rejectedSpans: '2101', errorMessage: /traceId.*; at most 2000 records/ } })
  const points = Array.from({ length: 2100 }, () => ({ asInt: '1' }))
  const metrics = await protobuf('metrics', requestOf('metrics', [{ name: 'a', gauge: { dataPoints: points } }]))
  t.match(metrics.body.toString('latin1'), /100 not kept/)
  const deep = span({ attributes: attributes({ a: Array.from({ length: 1200 }, () => true) }) })
  t.match((await protobuf('traces', requestOf('traces', [deep]))).body.toString(), /more than 1000 values/)
  const wide = requestOf('traces', [span(), span()], { wide: 'x'.repeat(20_000) })
  t.match((await exportJson(server, 'traces', wide)).json, {
    partialSuccess: { rejectedSpans: '2', errorMessage: /a resource has more than 16384 bytes/ },
  })
})

t.test('the session is the one that is named, or that of the arrival, or of the path or the call [GWT-4]', async t => {
  await clear()
  const sessions = async (): Promise<unknown[]> =>
    (await shown(server, 'spans', 'order=oldest')).map(({ session }) => session)
  await send(server, '/echo', {
    session: 'arrived',
    headers: { traceparent: `00-${TRACE}-00f067aa0ba902b7-01`, 'x-request-id': 'req-1' },
  })
  await exportJson(
    server,
    'traces',
    requestOf('traces', [
      span({ attributes: attributes({ 'svc.session': 'own' }) }),
      span(),
      span({ traceId: 'a'.repeat(32), attributes: attributes({ 'guid:x-request-id': 'req-1' }) }),
      span({ traceId: 'b'.repeat(32), attributes: attributes({ 'http.target': '/s/path/echo?x=1' }) }),
      span({ traceId: 'c'.repeat(32), attributes: attributes({ 'svc.session': 'not a session' }) }),
    ]),
  )
  t.strictSame(await sessions(), ['own', 'arrived', 'arrived', 'path', null])
  await clear()
  await post(
    server,
    '/s/called/otlp/v1/traces',
    'application/json',
    JSON.stringify(requestOf('traces', [span({ traceId: 'd'.repeat(32) })])),
  )
  t.strictSame(await sessions(), ['called'])
})

t.test('a host can be a collector', async t => {
  await clear()
  const { request } = await import('node:http')
  const status = await new Promise((resolve, reject) => {
    const body = JSON.stringify(requestOf('traces', [span()]))
    const call = request(
      `${server.url}/v1/traces`,
      { method: 'POST', headers: { host: 'collector.test', 'content-type': 'application/json' } },
      response => resolve(response.resume().statusCode),
    )
    call.on('error', reject).end(body)
  })
  t.equal(status, 200)
  t.equal((await shown(server, 'spans')).length, 1)
  t.match(server.problems(), [{ message: /unknown field "stat"/ }], 'unknown facts of telemetry.fields are reported')
})

t.test('rules break calls, with a Status [GWT-5]', async t => {
  await clear()
  await putRule(server, 'away', { match: { path: '/otlp/**' }, then: { fail: 503, retry_after: 1 }, times: 2 })
  const json = await exportJson(server, 'traces', requestOf('traces', [span()]))
  t.equal(json.status, 503)
  t.equal(json.headers.get('retry-after'), '1')
  t.match(json.json, { code: 14, message: /\S/ })
  const binary = await protobuf('traces', requestOf('traces', [span()]))
  t.equal(binary.status, 503)
  t.match(statusOf(binary.body), { code: 14 })
  t.strictSame(await shown(server, 'spans'), [])
  t.equal((await protobuf('traces', requestOf('traces', [span()]))).status, 200)
})
