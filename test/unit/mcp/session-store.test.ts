/** Sessions without HTTP: limits, idle time and resuming. */
import t from 'tap'
import type { SseEvent, SseStream } from 'svc/plugin'
import { readCapabilities } from '../../../plugins/mcp/calls/questions.ts'
import { PendingQuestions } from '../../../plugins/mcp/sessions/pending-questions.ts'
import { ReplayStore } from '../../../plugins/mcp/sessions/replay.ts'
import type { SessionParameters, Session } from '../../../plugins/mcp/sessions/session.ts'
import { SessionStore } from '../../../plugins/mcp/sessions/session-store.ts'
import { readEventId } from '../../../plugins/mcp/sessions/session-stream.ts'
import { OLDEST } from '../../../plugins/mcp/wire/versions.ts'

// Starting and stopping dozens of servers takes long on a busy machine.
t.setTimeout(180_000)

const parameters: SessionParameters = {
  server: 'default',
  transport: 'streamable-http',
  version: OLDEST,
  clientCapabilities: readCapabilities({}),
  principal: null,
}

function makeStore({
  maxCount = 3,
  maxBytes = 1_000_000,
  idleMs = 1000,
  messages = 4,
  bytes = 3000,
  totalBytes = 6000,
} = {}) {
  const clock = { now: 0 }
  const replay = new ReplayStore({ messages, bytes, totalBytes })
  return {
    clock,
    replay,
    store: new SessionStore({ maxCount, maxBytes, idleMs, questionMs: 1000 }, replay, () => clock.now),
  }
}

/** A connection that records its events; `leave` disconnects like a client. */
function fakeConnection() {
  const events: SseEvent[] = []
  let end = () => {}
  const over = new Promise<'done'>(resolve => {
    end = () => resolve('done')
  })
  const connection: { -readonly [Member in keyof SseStream]: SseStream[Member] } = {
    closed: false,
    pendingBytes: 0,
    signal: new AbortController().signal,
    over,
    send: (event: SseEvent) => events.push(event) > 0,
    comment: () => true,
    write: () => true,
    ready: async () => {},
    end() {
      connection.closed = true
      end()
    },
  }
  return { connection, events, texts: () => events.map(event => event.data), leave: () => connection.end() }
}

t.test('an idle session ends, unlike a used or connected one [MCP-36]', async t => {
  const { clock, store } = makeStore()
  const idle = store.create(parameters)
  const used = store.create(parameters)
  const connected = store.create(parameters)
  t.match(idle.id, /^[0-9a-f]{32}$/)
  const { connection, leave } = fakeConnection()
  connected.trackConnection(connection, () => clock.now)
  clock.now = 600
  t.equal(store.use(used.id), used)
  clock.now = 1500
  store.sweep()
  t.strictSame([store.use(idle.id), store.use(used.id), store.use(connected.id)], [undefined, used, connected])
  leave()
  await connection.over
  await Promise.resolve()
  clock.now = 2400
  t.equal(store.use(connected.id), connected, 'idle time counts from the end of the stream')
  clock.now = 3500
  t.equal(store.use(connected.id), undefined, 'found expired without a sweep')
})

t.test('a full store ends the least recently used session, one with a stream last [MCP-36]', async t => {
  const { store } = makeStore()
  const [first, second, third] = [store.create(parameters), store.create(parameters), store.create(parameters)] as [
    Session,
    Session,
    Session,
  ]
  const { connection } = fakeConnection()
  first.trackConnection(connection, () => 0)
  store.use(second.id)
  store.create(parameters)
  t.strictSame(
    [first, second, third].map(session => store.use(session.id) !== undefined),
    [true, true, false],
  )
  t.equal(store.size, 3)
})

t.test('requests in flight are limited, and canceled with their session [MCP-36]', async t => {
  const { store } = makeStore()
  const session = store.create(parameters)
  const cancelled: number[] = []
  const flights = Array.from({ length: 64 }, (_, id) => session.begin(id, 10, () => cancelled.push(id)))
  t.throws(() => session.begin(64, 10, () => {}), { code: -32603 })
  const early = flights[0]!.signal
  session.cancel(0)
  session.cancel('0')
  t.strictSame(cancelled, [0], 'the id is compared with its type')
  t.ok(early.aborted)
  session.finish(flights[0]!, 0)
  t.doesNotThrow(() => session.begin(1, 10, () => {}), 'an id may come twice')
  t.throws(() => session.begin(1, 10, () => {}), { code: -32603 }, 'and counts twice')
  store.end(session)
  t.equal(cancelled.length, 64)
  t.ok(flights[5]!.signal.aborted, 'also for one who asks for the signal later')
})

t.test(
  'sessions count the bytes of what they hold: idle ones end for a large request, busy ones refuse it [MCP-36]',
  async t => {
    const { store } = makeStore({ maxCount: 10, maxBytes: 18_000 })
    const [first, second] = [store.create(parameters), store.create(parameters)] as [Session, Session]
    const empty = store.bytes
    const flight = second.begin(1, 15_000, () => {})
    t.equal(store.use(first.id), undefined, 'the idle one ended')
    t.equal(store.bytes, empty / 2 + 15_000)
    t.throws(() => second.begin(2, 15_000, () => {}), { code: -32603, message: 'Too many bytes in flight' })
    t.equal(store.bytes, empty / 2 + 15_000, 'what was refused is not counted')
    store.end(second)
    t.equal(store.bytes, 15_000, 'a request that runs on holds its bytes')
    second.finish(flight, 0)
    t.equal(store.bytes, 0)
    const third = store.create(parameters)
    third.subscribe('svc://readme')
    third.subscribe('svc://readme')
    t.ok(store.bytes > empty / 2)
    third.unsubscribe('svc://readme')
    third.unsubscribe('svc://readme')
    t.equal(store.bytes, empty / 2)
    third.subscribe('svc://readme')
    store.end(third)
    store.end(third)
    t.equal(store.bytes, 0)
  },
)

t.test('missed messages are sent once, in order, and only those of the stream [MCP-15]', async t => {
  const { store } = makeStore()
  const session = store.create(parameters)
  const stream = session.newStream()
  const other = session.newStream()
  const first = fakeConnection()
  stream.begin(first.connection, true)
  stream.write('a')
  other.write('of another')
  first.leave()
  stream.write('b')
  t.strictSame(first.events, [
    { id: '1-0', retry: 1000, data: '' },
    { id: '1-1', event: 'message', data: 'a' },
  ])
  t.ok(stream.canResume(1) && stream.canResume(0) && stream.canResume(2))
  t.notOk(stream.canResume(3), 'an id that was never given')
  const second = fakeConnection()
  stream.resume(second.connection, 1)
  stream.complete('answer')
  t.strictSame(second.texts(), ['b', 'answer'])
  t.ok(second.connection.closed)
  const third = fakeConnection()
  stream.resume(third.connection, 3)
  t.ok(third.connection.closed, 'nothing follows the answer')
  t.strictSame(readEventId('12-3'), { stream: 12, sequence: 3 })
  for (const wrong of ['', '1', 'a-1', '1-1-1', '-1-1', '1'.repeat(30)]) t.equal(readEventId(wrong), null, wrong)
})

t.test('kept messages are limited per session and in total, oldest dropped first [MCP-36]', async t => {
  const { store, replay } = makeStore()
  const session = store.create(parameters)
  const stream = session.newStream()
  for (let index = 1; index <= 6; index++) stream.write(`m${index}`)
  t.notOk(stream.canResume(1), 'what was forgotten is not skipped silently')
  t.ok(stream.canResume(2))
  stream.write('x'.repeat(2500))
  t.ok(replay.bytes <= 3000)
  const another = store.create(parameters).newStream()
  another.write('y'.repeat(2600))
  store.create(parameters).newStream().write('z'.repeat(2600))
  t.ok(replay.bytes <= 6000)
  t.notOk(stream.canResume(6), 'the oldest session paid')
  t.ok(another.canResume(0))
  store.endWhere(() => true)
  t.equal(replay.bytes, 0)
  another.write('too late')
  session.newStream().write('too late')
  t.equal(replay.bytes, 0, 'an ended session keeps nothing any more')
})

t.test('a slow reader is disconnected and can resume [MCP-15]', async t => {
  const { store } = makeStore({ messages: 100, bytes: 100_000, totalBytes: 100_000 })
  const stream = store.create(parameters).newStream()
  const { connection, events } = fakeConnection()
  stream.begin(connection, false)
  stream.write('one')
  connection.pendingBytes = 2 * 1024 * 1024
  stream.write('two')
  stream.write('three')
  t.equal(events.length, 2)
  t.ok(connection.closed)
  t.ok(stream.canResume(1))
})

t.test('questions are limited, time out, and accept only valid results [MCP-36]', async t => {
  const questions = new PendingQuestions(20)
  const { signal } = new AbortController()
  const sent: string[] = []
  const ask = (more?: AbortSignal) => questions.ask('elicitation/create', {}, more ?? signal, text => sent.push(text))
  await t.rejects(ask(), { message: 'Elicitation failed: no response within 0.02 s' })
  const patient = new PendingQuestions(60_000)
  const open = Array.from({ length: 32 }, () =>
    patient.ask('sampling/createMessage', {}, signal, text => sent.push(text)),
  )
  await t.rejects(
    patient.ask('sampling/createMessage', {}, signal, () => {}),
    /more than 32 questions/,
  )
  const idOf = (index: number) => (JSON.parse(sent[sent.length - 32 + index]!) as { id: string }).id
  patient.answer({ kind: 'response', id: idOf(0), result: { model: 'm', content: {} }, error: undefined })
  t.strictSame(await open[0], { model: 'm', content: {} })
  patient.answer({ kind: 'response', id: idOf(1), result: { model: 'm' }, error: undefined })
  await t.rejects(open[1]!, /the response is not a valid result of sampling\/createMessage/)
  patient.answer({ kind: 'response', id: idOf(2), result: undefined, error: { code: -1, message: 'no' } })
  await t.rejects(open[2]!, { message: 'Sampling failed: no' })
  patient.answer({ kind: 'response', id: 'svc-999', result: {}, error: undefined })
  const leave = new AbortController()
  const left = patient.ask('roots/list', {}, leave.signal, () => {})
  leave.abort()
  await t.rejects(left, /cancelled/)
  for (let index = 3; index < 32; index++)
    patient.answer({ kind: 'response', id: idOf(index), result: { model: 'm', content: [] }, error: undefined })
  await Promise.all(open.slice(3))
})
