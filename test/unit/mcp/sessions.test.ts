/** Sessions without HTTP: limits, idle time and resuming. */
import t, { type Test } from 'tap'
import { isResumable, readEventId } from '../../../plugins/mcp/sessions/kept-messages.ts'
import { PendingQuestions } from '../../../plugins/mcp/sessions/pending-questions.ts'
import type { Session } from '../../../plugins/mcp/sessions/session.ts'
import { fakeConnection, openHubs, parameters, flush } from '../../support/mcp-sessions.ts'

// Starting and stopping dozens of servers takes long on a busy machine.
t.setTimeout(600_000)

function open(t: Test, options: Parameters<typeof openHubs>[0] = {}) {
  const { hubs, close, ...rest } = openHubs(options)
  t.teardown(close)
  const [hub] = hubs
  const { sessions } = hub
  /** Whether the messages after a position could be sent. */
  const canResume = async (session: Session, stream: number, position: number) =>
    isResumable(await sessions.kept(session.id, stream), position, session.statusOf(stream).position)
  return { hub, sessions, canResume, ...rest }
}

t.test('an idle session ends, unlike a used or connected one [MCP-36]', async t => {
  const { clock, sessions } = open(t)
  const idle = await sessions.create(parameters)
  const used = await sessions.create(parameters)
  const connected = await sessions.create(parameters)
  t.match(idle.id, /^[0-9a-f]{32}$/)
  const { connection, leave } = fakeConnection()
  connected.trackConnection(connection)
  clock.now = 600
  t.equal(await sessions.use(used.id), used)
  sessions.sweep()
  clock.now = 1500
  t.strictSame(
    [await sessions.use(idle.id), await sessions.use(used.id), await sessions.use(connected.id)],
    [undefined, used, connected],
  )
  clock.now = 2000
  leave()
  await flush()
  clock.now = 2900
  t.equal(await sessions.use(connected.id), connected, 'idle time counts from the end of the stream')
  clock.now = 4000
  t.equal(await sessions.use(connected.id), undefined, 'found expired without a sweep')
})

t.test('a session that nobody uses leaves nothing in the process [MCP-36]', async t => {
  const { clock, sessions } = open(t)
  const session = await sessions.create(parameters)
  sessions.sweep()
  t.equal(sessions.local(session.id), session)
  sessions.sweep()
  t.equal(sessions.local(session.id), undefined)
  const again = (await sessions.use(session.id))!
  t.not(again, session)
  void again.questions
  sessions.sweep()
  sessions.sweep()
  await flush()
  t.equal(sessions.local(session.id), again, 'ids of questions continue')
  clock.now = 2000
  sessions.sweep()
  await flush()
  t.equal(sessions.local(session.id), undefined, 'it expired')
})

t.test('a full store ends the least recently used session, one with a stream last [MCP-36]', async t => {
  const { sessions, store } = open(t)
  const first = await sessions.create(parameters)
  const second = await sessions.create(parameters)
  const third = await sessions.create(parameters)
  const { connection } = fakeConnection()
  first.trackConnection(connection)
  await sessions.use(second.id)
  await sessions.create(parameters)
  t.strictSame(
    await Promise.all([first, second, third].map(async session => (await sessions.use(session.id)) !== undefined)),
    [true, true, false],
  )
  t.equal(await store.count(), 3)
})

t.test('requests in flight are limited, and canceled with their session [MCP-36]', async t => {
  const { sessions } = open(t)
  const session = await sessions.create(parameters)
  const canceled: number[] = []
  const flights = Array.from({ length: 64 }, (_, id) => session.begin(id, 10, () => canceled.push(id)))
  t.throws(() => session.begin(64, 10, () => {}), { code: -32603 })
  const early = flights[0]!.signal
  session.cancel(0)
  session.cancel('0')
  t.strictSame(canceled, [0], 'the id is compared with its type')
  t.ok(early.aborted)
  session.finish(flights[0]!)
  t.doesNotThrow(() => session.begin(1, 10, () => {}), 'an id may come twice')
  t.throws(() => session.begin(1, 10, () => {}), { code: -32603 }, 'and counts twice')
  await sessions.end(session)
  t.equal(canceled.length, 64)
  t.ok(flights[5]!.signal.aborted, 'also for one who asks for the signal later')
})

t.test('the bytes of requests in flight are limited for all sessions together [MCP-36]', async t => {
  const { sessions } = open(t, { inFlightBytes: 20_000 })
  const first = await sessions.create(parameters)
  const second = await sessions.create(parameters)
  const flight = first.begin(1, 15_000, () => {})
  t.throws(() => second.begin(2, 15_000, () => {}), { code: -32603, message: 'Too many bytes in flight' })
  t.doesNotThrow(() => second.begin(3, 5_000, () => {}), 'what was refused is not counted')
  await sessions.end(first)
  t.throws(() => second.begin(2, 15_000, () => {}), { code: -32603 }, 'a request that runs on holds its bytes')
  first.finish(flight)
  t.doesNotThrow(() => second.begin(4, 15_000, () => {}))
})

t.test('subscriptions count as memory of the sessions [MCP-36]', async t => {
  const { sessions, store } = open(t, { sessionBytes: 20_000 })
  const session = await sessions.create(parameters)
  const empty = await store.bytes()
  const other = await sessions.create(parameters)
  await sessions.change(session, () => ({ subscriptions: ['svc://readme'] }))
  t.ok(session.subscribesTo('svc://readme'))
  t.ok((await store.bytes()) > 2 * empty)
  await sessions.change(session, () => ({ subscriptions: [] }))
  t.equal(await store.bytes(), 2 * empty)
  await sessions.change(session, () => ({ subscriptions: ['x'.repeat(16_000)] }))
  t.equal(await sessions.use(other.id), undefined, 'a session that is idle ends when memory is needed')
  await sessions.end(session)
  t.equal(await store.bytes(), 0)
  t.equal(await sessions.change(session, () => ({ logLevel: 'debug' })), undefined)
})

t.test('missed messages are sent once, in order, and only those of the stream [MCP-15]', async t => {
  const { sessions, canResume } = open(t)
  const session = await sessions.create(parameters)
  const stream = session.newStream()
  const other = session.newStream()
  const first = fakeConnection()
  stream.begin(first.connection, true)
  stream.write('a')
  await flush()
  other.write('of another')
  first.leave()
  stream.write('b')
  t.strictSame(first.events, [
    { id: '1-0', retry: 1000, data: '' },
    { id: '1-1', event: 'message', data: 'a' },
  ])
  t.strictSame(
    await Promise.all([0, 1, 2, 3].map(position => canResume(session, 1, position))),
    [true, true, true, false],
    'not an id that was never given',
  )
  t.notOk(await canResume(session, 3, 0), 'nor one of an unknown stream')
  const second = fakeConnection()
  session.resume(second.connection, 1, 1)
  t.ok(session.statusOf(1).isConnected)
  stream.complete('answer')
  await flush()
  t.strictSame(second.texts(), ['b', 'answer'])
  t.ok(second.connection.closed)
  await flush()
  t.notOk(session.statusOf(1).isConnected)
  const third = fakeConnection()
  session.resume(third.connection, 1, 3)
  await flush()
  t.strictSame(third.texts(), [])
  t.ok(third.connection.closed, 'nothing follows the answer')
  t.strictSame(readEventId('12-3'), { stream: 12, position: 3 })
  for (const wrong of ['', '1', 'a-1', '1-1-1', '-1-1', '1'.repeat(30)]) t.equal(readEventId(wrong), null, wrong)
})

t.test('a stream that ends without a message can be resumed and ends [MCP-15]', async t => {
  const { sessions, canResume } = open(t)
  const session = await sessions.create(parameters)
  const stream = session.newStream()
  await flush()
  t.ok(await canResume(session, 1, 0), 'while it is written')
  stream.complete()
  t.ok(await canResume(session, 1, 0))
  const { connection, events } = fakeConnection()
  session.resume(connection, 1, 0)
  await flush()
  t.strictSame(events, [])
  t.ok(connection.closed)
})

t.test('kept messages are limited per session and in total, oldest dropped first [MCP-36]', async t => {
  const { sessions, store, messages, canResume } = open(t, { totalBytes: 7000 })
  const bytes = async () =>
    (await Promise.all((await store.list()).map(async ({ key }) => messages.after(key, 0)))).flat().length
  const session = await sessions.create(parameters)
  const stream = session.newStream()
  await flush()
  for (let index = 1; index <= 6; index++) stream.write(`m${index}`)
  t.notOk(await canResume(session, 1, 1), 'what was forgotten is not skipped silently')
  t.ok(await canResume(session, 1, 2))
  stream.write('x'.repeat(2500))
  t.notOk(await canResume(session, 1, 5))
  t.ok(await canResume(session, 1, 6))
  const another = await sessions.create(parameters)
  another.newStream().write('y'.repeat(2200))
  await flush()
  const third = await sessions.create(parameters)
  third.newStream().write('z'.repeat(2200))
  await flush()
  t.notOk(await canResume(session, 1, 6), 'the oldest session paid')
  t.ok(await canResume(another, 1, 0))
  await sessions.endWhere(() => true)
  t.equal(await bytes(), 0)
  const late = third.newStream()
  late.write('too late')
  await flush()
  t.strictSame(await sessions.kept(third.id, 1), [], 'an ended session keeps nothing any more')
})

t.test('a slow reader is disconnected and can resume [MCP-15]', async t => {
  const { sessions, canResume } = open(t, { replayMessages: 100, replayBytes: 100_000 })
  const session = await sessions.create(parameters)
  const stream = session.newStream()
  const { connection, events } = fakeConnection()
  stream.begin(connection, false)
  stream.write('one')
  await flush()
  connection.pendingBytes = 2 * 1024 * 1024
  stream.write('two')
  stream.write('three')
  t.equal(events.length, 2)
  t.ok(connection.closed)
  t.ok(await canResume(session, 1, 1))
})

t.test('questions are limited, time out, and accept only valid results [MCP-36]', async t => {
  const name = (count: number) => `svc-${count}`
  const questions = new PendingQuestions(20, name)
  const { signal } = new AbortController()
  const sent: string[] = []
  const ask = (more?: AbortSignal) => questions.ask('elicitation/create', {}, more ?? signal, text => sent.push(text))
  await t.rejects(ask(), { message: 'Elicitation failed: no response within 0.02 s' })
  const patient = new PendingQuestions(60_000, name)
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
