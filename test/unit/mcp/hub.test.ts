/** Sessions that several replicas share, without HTTP. */
import t, { type Test } from 'tap'
import type { Hub } from '../../../plugins/mcp/sessions/hub.ts'
import { isResumable } from '../../../plugins/mcp/sessions/kept-messages.ts'
import type { Session } from '../../../plugins/mcp/sessions/session.ts'
import { fakeConnection, openHubs, parameters, flush } from '../../support/mcp-sessions.ts'

/** One session, as two replicas see it. */
async function share(t: Test, more: Partial<typeof parameters> = {}) {
  const { hubs, close, ...rest } = openHubs({ replicas: ['aaaa', 'bbbb'] })
  t.teardown(close)
  const [a, b] = hubs as [Hub, Hub]
  const here = await a.sessions.create({ ...parameters, ...more })
  const there = (await b.sessions.use(here.id)) as Session
  return { a, b, here, there, ...rest }
}

t.test('changes of a session reach all replicas, and its end too [MCP-36]', async t => {
  const { a, b, here, there } = await share(t)
  await b.sessions.change(there, () => ({ logLevel: 'debug', subscriptions: ['svc://clock'] }))
  t.match(here.record, { logLevel: 'debug', subscriptions: ['svc://clock'] })
  const flight = here.begin(7, 1, () => {})
  const { connection } = fakeConnection()
  here.newStream().begin(connection, false)
  await b.sessions.end(there)
  t.ok(flight.signal.aborted)
  t.ok(connection.closed)
  t.equal(await a.sessions.use(here.id), undefined)
})

t.test('a request is canceled at whichever replica it runs [MCP-13]', async t => {
  const { b, here, there } = await share(t)
  const flight = here.begin(7, 1, () => {})
  await b.cancel(there, 8)
  await b.cancel(there, { 7: 7 })
  t.notOk(flight.signal.aborted)
  await b.cancel(there, 7)
  t.ok(flight.signal.aborted)
})

t.test('an answer reaches the replica that asked [MCP-36]', async t => {
  const { a, b, here, there } = await share(t)
  const { signal } = new AbortController()
  const sent: string[] = []
  const ask = (session: Session) => session.questions.ask('roots/list', {}, signal, text => sent.push(text))
  const answers = [ask(here), ask(there)]
  const ids = sent.map(text => (JSON.parse(text) as { id: string }).id)
  t.strictSame(ids, ['svc-aaaa-1', 'svc-bbbb-1'], 'the ids differ')
  await b.answer(there, { kind: 'response', id: ids[0]!, result: { roots: [1] }, error: undefined })
  await a.answer(here, { kind: 'response', id: ids[1]!, result: { roots: [2] }, error: undefined })
  t.strictSame(await Promise.all(answers), [{ roots: [1] }, { roots: [2] }])
  const third = openHubs()
  t.teardown(third.close)
  const alone = await third.hubs[0].sessions.create(parameters)
  alone.questions.ask('roots/list', {}, AbortSignal.timeout(1), text => sent.push(text)).catch(() => {})
  t.match(JSON.parse(sent[2]!), { id: 'svc-1' }, 'a single replica counts')
})

t.test('a stream continues at another replica [MCP-15]', async t => {
  const { a, b, here, there } = await share(t)
  const stream = here.newStream()
  const first = fakeConnection()
  stream.begin(first.connection, true)
  stream.write('one')
  await flush()
  t.match(await b.statusOf(there, 1), { isConnected: true, position: 1 })
  first.leave()
  stream.write('two')
  const status = await b.statusOf(there, 1)
  t.strictSame(status, { isConnected: false, position: 2 })
  t.ok(isResumable(await b.sessions.kept(there.id, 1), 1, status.position))
  const second = fakeConnection()
  there.resume(second.connection, 1, 1)
  await flush()
  stream.write('three')
  await flush()
  t.match(await a.statusOf(here, 1), { isConnected: true })
  stream.complete('four')
  await flush()
  t.strictSame(second.events, [
    { id: '1-2', event: 'message', data: 'two' },
    { id: '1-3', event: 'message', data: 'three' },
    { id: '1-4', event: 'message', data: 'four' },
  ])
  t.ok(second.connection.closed)
  const [mine, other] = [here.newStream(), there.newStream()]
  await flush()
  t.strictSame([mine.number, other.number], [2, 3], 'numbers are not used twice')
})

t.test('the stream for GET moves to another replica once it is disconnected [MCP-15]', async t => {
  const { a, b, here, there } = await share(t)
  const first = fakeConnection()
  here.newStandalone()!.begin(first.connection, false)
  t.notOk(await b.releaseStandalone(there), 'still connected')
  a.listChanged('default', 'tools')
  await flush()
  t.equal(first.events.length, 1)
  first.leave()
  await flush()
  t.ok(await b.releaseStandalone(there))
  const second = fakeConnection()
  there.newStandalone()!.begin(second.connection, false)
  await b.sessions.change(there, () => ({ subscriptions: ['svc://clock'] }))
  a.listChanged('default', 'tools')
  b.listChanged('another', 'tools')
  a.resourceUpdated('svc://clock')
  b.resourceUpdated('svc://another')
  await flush()
  t.strictSame(
    second.texts().map(text => (JSON.parse(String(text)) as { method: string }).method),
    ['notifications/tools/list_changed', 'notifications/resources/updated'],
    'each once',
  )
})

t.test('messages of an HTTP+SSE session go to the replica with its stream [MCP-16]', async t => {
  const { a, b, here, there } = await share(t, { transport: 'http+sse' })
  const { connection, texts } = fakeConnection()
  here.attachHttpSse(connection)
  there.writeHttpSse('one')
  there.writeHttpSse('two')
  await flush()
  t.strictSame(texts(), ['one', 'two'])
  t.ok(b.hasHttpSse(there))
  await a.sessions.change(here, () => ({ replica: 'gone' }))
  t.notOk(b.hasHttpSse(there))
  there.writeHttpSse('three')
  await flush()
  t.equal(texts().length, 2)
})
