/**
 * Gateways that ask services over gRPC and read no answer, send too large messages, or open many streams.
 * Measures: memory and processor time of a process.
 */
import t, { type Test } from 'tap'
import { attackedServer, type Cost } from '../../support/attacked-server.ts'
import { GrpcCaller, loadProto } from '../../support/grpc-caller.ts'
import { unreadClients } from '../../support/unread.ts'

t.setTimeout(600_000)

const TIMES = 4
const MAX_GROWN_MIB = 64
const MAX_WAIT_MS = 250
/** Of a stream of the processor: more than the window of a connection. */
const MESSAGES = 100
const MESSAGE_BYTES = 60_000
/** Larger than what a message may have. */
const HUGE_BYTES = 8 * 1024 * 1024

const PROCESSOR = 'envoy.service.ext_proc.v3.ExternalProcessor'
const LOGS = 'envoy.service.accesslog.v3.AccessLogService'
const processor = loadProto('envoy/service/ext_proc/v3/external_processor.proto')[PROCESSOR]!
const logs = loadProto('envoy/service/accesslog/v3/als.proto')[LOGS]!

/** A message with its prefix. */
function framed(payload: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt32BE(payload.length, 1)
  return Buffer.concat([head, payload])
}

const processing = (message: object): Buffer => framed(processor.Process!.requestSerialize(message))
const logged = (message: object): Buffer => framed(logs.StreamAccessLogs!.requestSerialize(message))

const repeated = (times: number, message: Buffer): Buffer[] => Array.from({ length: times }, () => message)

/** The body is answered piece by piece. */
const HEADERS = {
  protocol_config: { request_body_mode: 'STREAMED' },
  request_headers: {
    headers: {
      headers: Object.entries({ ':method': 'POST', ':path': '/orders', 'x-svc-proc': 'upper' }).map(([key, value]) => ({
        key,
        raw_value: Buffer.from(value),
      })),
    },
  },
}
const body = (bytes: number) => ({ request_body: { body: Buffer.alloc(bytes, 'a') } })
const entries = (count: number) => ({
  identifier: { log_name: 'attack' },
  http_logs: {
    log_entry: Array.from({ length: count }, () => ({
      request: { path: `/${'a'.repeat(1000)}`, request_method: 'GET' },
    })),
  },
})

function expectCheap(t: Test, cost: Cost): void {
  t.comment(JSON.stringify({ ...cost, ready: [...cost.ready], results: undefined }))
  t.equal(cost.exit, null, 'the process goes on')
  t.ok(cost.grownMib < MAX_GROWN_MIB, `memory grew by ${cost.grownMib} MiB`)
  t.ok(cost.slowestWaitMs < MAX_WAIT_MS, `others waited for ${cost.slowestWaitMs} ms`)
  t.strictSame([...cost.ready.keys()], [200], 'others were served')
}

for (const isPublic of [false, true])
  t.test(`streams of gateways, ${isPublic ? 'public' : 'default'} mode [GWS-17] [UNSENT-5]`, async t => {
    const server = await attackedServer(t, { isPublic })
    const port = await server.port('gRPC')
    const url = `http://127.0.0.1:${port}`
    const clients = unreadClients(port)
    t.teardown(() => clients.cutAll())
    const attacks: Record<string, { path: string; calls: number; messages: Buffer[] }> = {
      'answers of the processor that are not read': {
        path: `/${PROCESSOR}/Process`,
        calls: 4,
        messages: [processing(HEADERS), ...repeated(MESSAGES, processing(body(MESSAGE_BYTES)))],
      },
      'messages of the processor that are too large': {
        path: `/${PROCESSOR}/Process`,
        calls: 4,
        messages: [processing(HEADERS), processing(body(HUGE_BYTES))],
      },
      'more streams of the processor than it has': {
        path: `/${PROCESSOR}/Process`,
        calls: 200,
        messages: [processing(HEADERS)],
      },
      'access logs without an end': {
        path: `/${LOGS}/StreamAccessLogs`,
        calls: 10,
        messages: repeated(MESSAGES, logged(entries(40))),
      },
      'messages of access logs that are too large': {
        path: `/${LOGS}/StreamAccessLogs`,
        calls: 4,
        messages: [logged(entries(HUGE_BYTES / 1000))],
      },
      'many streams of access logs': {
        path: `/${LOGS}/StreamAccessLogs`,
        calls: 200,
        messages: [logged(entries(1))],
      },
    }
    for (const [name, { path, ...options }] of Object.entries(attacks))
      await t.test(name, async t => {
        // What is loaded and compiled once is not the cost of the attack.
        await server.attack(1, () => clients.streams(url, path, options))
        clients.cutAll()
        expectCheap(t, await server.attack(TIMES, () => clients.streams(url, path, options)))
        clients.cutAll()
      })
    await t.test('then another gateway is served', async t => {
      const caller = new GrpcCaller(new URL(url).host, processor)
      t.teardown(() => caller.close())
      const { messages, code, details } = await caller.call('Process', [HEADERS])
      t.equal(code, 0, details)
      t.equal(messages.length, 1)
    })
  })
