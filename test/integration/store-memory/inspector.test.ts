/** The memory of full stores: captured requests [HARD-12]. Runs alone: it measures the heap. */
import t from 'tap'
import { CaptureStore } from '../../../core/inspector/capture-store.ts'
import type { CapturedRequest as Captured } from '../../../core/inspector/captured-request.ts'
import { BodyConverter, ResponseCopy } from '../../../core/inspector/response-copy.ts'
import { MIB, KIB, ascii, wideFor, shortHeaders, bounded, times } from '../../support/store-memory.ts'

t.test('inspector [HARD-12]', async t => {
  const converter = new BodyConverter()
  const maxBytes = 16 * MIB
  const captured = (fields: Partial<Captured>): Captured => ({
    id: ascii('0123456789abcdef0123456789abcdef0123'),
    requestId: ascii('0123456789abcdef0123456789abcdef0123'),
    arrivedAt: Math.random(),
    method: 'GET',
    uri: '/',
    httpVersion: '1.1',
    rawHeaders: [],
    clientIp: ascii('192.168.100.100'),
    session: null,
    sessionFrom: null,
    body: null,
    bodyBytes: 0,
    status: 200,
    latencyMs: Math.random(),
    trace: {
      traceId: ascii('0123456789abcdef0123456789abcdef'),
      spanId: ascii('0123456789abcdef'),
      parentSpanId: null,
      sampled: false,
      state: null,
    },
    fault: null,
    faultSource: null,
    rule: null,
    faultOrigin: null,
    abort: null,
    failure: null,
    route: null,
    plugin: null,
    response: { bytesSent: Math.random(), ended: 'complete', grpcStatus: null, head: null, body: null },
    ...fields,
  })
  const cases: Record<string, { count: number; fields: () => Partial<Captured> }> = {
    'requests without anything': { count: 40_000, fields: () => ({}) },
    'many headers': {
      count: 1_000,
      fields: () => ({ rawHeaders: shortHeaders(1_000).flatMap(({ name, value }) => [name, value]) }),
    },
    bodies: { count: 400, fields: () => ({ body: Buffer.alloc(64 * KIB, 'é').toString('latin1') }) },
    responses: {
      count: 400,
      fields: () => {
        const copy = new ResponseCopy()
        copy.keepHead(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(2_000)}\r\n`)
        copy.keep('x', undefined)
        for (let length = 1; length < 16 * KIB; length += 8) copy.keep(Buffer.alloc(8, 'é'), undefined)
        const { head } = copy
        return {
          response: { bytesSent: 1, ended: 'complete', grpcStatus: null, head, body: copy.bodyBy(converter) },
        }
      },
    },
    'whole responses': {
      count: 400,
      fields: () => {
        const copy = new ResponseCopy()
        copy.keepLast(wideFor(64 * KIB), 'utf8')
        return {
          response: { bytesSent: 1, ended: 'complete', grpcStatus: null, head: null, body: copy.bodyBy(converter) },
        }
      },
    },
    'trace states': {
      count: 3_000,
      fields: () => ({
        trace: { traceId: '', spanId: '', parentSpanId: null, sampled: true, state: ascii('x'.repeat(16 * KIB)) },
      }),
    },
  }
  for (const [name, { count, fields }] of Object.entries(cases)) {
    await t.test(name, async t =>
      bounded(t, maxBytes, async () => {
        const store = new CaptureStore(1e6, maxBytes)
        await times(count, () => store.add(captured(fields())))
        return store
      }),
    )
  }
})
