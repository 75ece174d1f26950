/** The connection to a server of an SDK, with a scripted server. */
import t, { type Test } from 'tap'
import { Bridge, type BridgeOptions } from '../../../plugins/mcp/bridge/bridge.ts'
import { sdkSource } from '../../../plugins/mcp/bridge/sdk-link.ts'
import type { Call } from '../../../plugins/mcp/servers/call.ts'
import type { JsonObject, SdkServer, SdkTransport } from '../../../plugins/mcp/types.ts'
import { until } from '../../support/until.ts'
import { VERSIONS } from '../../../plugins/mcp/protocol/versions.ts'

/** Answers requests by method; what has no answer is never answered. */
function scripted(answers: Record<string, (params: JsonObject, send: (message: JsonObject) => void) => unknown>) {
  const received: JsonObject[] = []
  let transport: SdkTransport | undefined
  const send = (message: JsonObject) => void transport?.send({ jsonrpc: '2.0', ...message })
  const server: SdkServer = {
    async connect(given) {
      transport = given
      given.onmessage = ((message: JsonObject) => {
        received.push(message)
        const answer = answers[String(message.method)]
        if (message.id === undefined || !answer) return
        const result = answer(message.params as JsonObject, send)
        if (result !== undefined) send({ id: message.id, result })
      }) as never
      await given.start()
    },
    async close() {},
  }
  return { server, received, send }
}

const initialize = () => ({ serverInfo: { name: 's', version: '1' }, capabilities: { tools: {} } })
const tools = { 'tools/list': () => ({ tools: [{ name: 'one', inputSchema: { type: 'object' } }, 'no tool'] }) }

function open(t: Test, server: SdkServer | (() => SdkServer), more: Partial<BridgeOptions> = {}) {
  const ends = new Map<string, () => void>()
  const definition =
    typeof server === 'function' ? { name: 's', title: 'S', create: server } : { name: 's', title: 'S', server }
  const bridge = new Bridge({
    name: 's',
    source: sdkSource(definition),
    release: '1',
    timeoutMs: 50,
    maxConnections: 1,
    maxInFlight: 10,
    listChanged() {},
    resourceUpdated() {},
    whenEnded(session, ended) {
      ends.set(session, ended)
      return () => ends.delete(session)
    },
    log(error) {
      throw error
    },
    ...more,
  })
  t.teardown(() => bridge.close())
  return { bridge, ends }
}

/** A call of `one`, in a session if it has an id. */
function callOf(session: string | null, signal = new AbortController().signal): Call {
  const conversation = { session, signal, resume() {}, task: null }
  const [version] = VERSIONS
  return { version, method: 'tools/call', params: { name: 'one' }, conversation } as unknown as Call
}

t.test('a call without an answer ends after some time and is canceled [MCPX-14]', async t => {
  const { server, received } = scripted({ initialize, ...tools })
  const { bridge } = open(t, server)
  await bridge.start()
  t.strictSame([...bridge.tools.keys()], ['one'], 'items that are not tools are left out')
  await t.rejects(bridge.forward(callOf(null)), { code: -32603, message: 'the server did not answer in time' })
  t.match(received.at(-1), { method: 'notifications/cancelled', params: { requestId: 3 } })
  const controller = new AbortController()
  const canceled = bridge.forward(callOf(null, controller.signal))
  controller.abort()
  await t.rejects(canceled, { message: 'cancelled' })
  await bridge.close()
  await t.rejects(bridge.forward(callOf(null)), { code: -32603, message: 'the server is not running' })
})

t.test('a server that closes its connection ends the calls [MCPX-14]', async t => {
  let close = () => {}
  const { server } = scripted({ initialize, ...tools, 'tools/call': () => close() })
  const connect = server.connect.bind(server)
  server.connect = transport => {
    close = () => void transport.close()
    return connect(transport)
  }
  const { bridge } = open(t, server)
  await bridge.start()
  await t.rejects(bridge.forward(callOf(null)), { code: -32603, message: 'the server is not running' })
})

t.test('questions outside of a call and unknown requests get an error [MCPX-14]', async t => {
  const { server, received, send } = scripted({ initialize, ...tools })
  const { bridge } = open(t, server)
  await bridge.start()
  send({ id: 'a', method: 'roots/list' })
  send({ id: 'b', method: 'tools/call' })
  send({ id: 'c', method: 'ping' })
  await new Promise(resolve => setImmediate(resolve))
  t.match(received.slice(-3), [
    { id: 'a', error: { code: -32603, message: 'no call to ask through' } },
    { id: 'b', error: { code: -32601 } },
    { id: 'c', result: {} },
  ])
})

t.test('connections of sessions are limited and end with the session [MCPX-14]', async t => {
  const result = { content: [] }
  const { bridge, ends } = open(t, () => scripted({ initialize, ...tools, 'tools/call': () => result }).server)
  await bridge.start()
  t.match(await bridge.forward(callOf('first')), { result })
  await t.rejects(bridge.forward(callOf('second')), { code: -32603, message: 'too many connections (at most 1)' })
  ends.get('first')!()
  t.match(await bridge.forward(callOf('second')), { result })
  await bridge.close()
  t.equal(ends.has('second'), false, 'sessions forget an object that is closed')
})

t.test('endless lists and errors at the start are refused [MCPX-14]', async t => {
  const item = { name: 'x'.repeat(1000), inputSchema: {} }
  const page = { tools: Array.from({ length: 1000 }, () => item), nextCursor: 'more' }
  const { server } = scripted({ initialize, 'tools/list': () => page })
  await t.rejects(open(t, server).bridge.start(), { message: 'the server lists too many tools' })
  const broken: SdkServer = { connect: async () => Promise.reject(new Error('no disk')), close: async () => {} }
  await t.rejects(open(t, broken).bridge.start(), { message: 'no disk' })
})

t.test('a server that does not answer or that ends is started again, later each time [MCPX-17]', async t => {
  const starts: number[] = []
  let answers = false
  const source = {
    ...sdkSource({ name: 's', title: 'S', create: () => scripted(answers ? { initialize, ...tools } : {}).server }),
    kind: 'stdio' as const,
  }
  const states: string[] = []
  const { bridge } = open(t, scripted({}).server, {
    source,
    startMs: 20,
    stateChanged: state => void states.push(state),
    restarted: () => void starts.push(performance.now()),
  })
  bridge.keep()
  bridge.keep()
  await bridge.firstAttempt()
  t.match(bridge.status, { state: 'starting', last_error: 'the server did not answer in time' })
  await until(() => starts.length === 2)
  t.match(bridge.status, { state: 'restarting', restarts: 2 })
  await t.rejects(bridge.forward(callOf(null)), {
    code: -32603,
    message: 'the server is not running',
    data: { server: 's', state: 'restarting' },
  })
  answers = true
  await until(() => bridge.status.state === 'up')
  t.equal(states.at(-1), 'up')
  t.strictSame([...bridge.tools.keys()], ['one'])
  await bridge.restart()
  await until(() => bridge.status.state === 'up')
})

t.test('calls in flight are limited [MCPX-14]', async t => {
  const { server } = scripted({ initialize, ...tools })
  const { bridge } = open(t, server, { maxInFlight: 1 })
  await bridge.start()
  const first = bridge.forward(callOf(null))
  await t.rejects(bridge.forward(callOf(null)), { code: -32603, message: 'too many calls in flight (at most 1)' })
  await t.rejects(first, { message: 'the server did not answer in time' })
})
