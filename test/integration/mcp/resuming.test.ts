/** Interrupted streams: kept messages, and resuming. */
import t from 'tap'
import { serve } from '../../support/server.ts'
import { openSession, type TestSession } from '../../support/mcp.ts'
import { until } from '../../support/until.ts'

// Starting and stopping dozens of servers takes long on a busy machine.
t.setTimeout(600_000)

const slow = (durationMs: number, steps: number) => ({
  name: 'slow_task',
  arguments: { duration_ms: durationMs, steps },
  _meta: { progressToken: 'p' },
})

/** Resumes as soon as the server has detected the disconnect. */
function resume(session: TestSession, lastEventId: string) {
  return until(async () => {
    const stream = await session.stream({ 'Last-Event-ID': lastEventId })
    return stream.status === 409 ? null : stream
  }, 'the stream can be resumed')
}

t.test('a dropped call continues, and its messages are fetched with Last-Event-ID [MCP-13, MCP-15]', async t => {
  const { url } = await serve(t)
  for (const version of ['2025-11-25', '2025-06-18', '2025-03-26']) {
    const session = await openSession(`${url}/mcp`, { version })
    const stream = await session.begin('tools/call', slow(200, 4), 'call')
    if (version === '2025-11-25')
      t.match(await stream.next(), { id: '1-0', retry: '1000', data: '' }, 'a priming event')
    const first = await stream.next()
    t.equal(first?.id, '1-1')
    stream.close()
    const again = await resume(session, '1-1')
    t.equal(again.status, 200)
    const rest = await again.rest()
    t.strictSame(
      rest.map(message => message.params?.progress ?? message.id),
      [2, 3, 4, 'call'],
      'everything once, then the end',
    )
    const once = await resume(session, '1-3')
    t.strictSame(
      (await once.rest()).map(message => message.params?.progress ?? message.id),
      [4, 'call'],
      'also after the end',
    )
  }
})

t.test('a tool may close the connection for a while [MCP-15]', async t => {
  const { url } = await serve(t)
  const session = await openSession(`${url}/mcp/servers/conformance`)
  const stream = await session.begin('tools/call', { name: 'test_reconnection', arguments: {} }, 'r')
  const priming = await stream.next()
  t.match(priming, { id: '1-0', retry: '1000' })
  t.equal(await stream.next(), null, 'the connection ends')
  const again = await resume(session, '1-0')
  t.match(await again.message(), { id: 'r', result: { isError: false } })
  const old = await openSession(`${url}/mcp/servers/conformance`, { version: '2025-06-18' })
  t.notOk(
    (await old.request('tools/call', { name: 'test_reconnection', arguments: {} })).isStream,
    'older clients are not sent away',
  )
})

t.test('unknown ids are 400, a connected stream is 409 [MCP-15, MCP-35]', async t => {
  const { url } = await serve(t)
  const session = await openSession(`${url}/mcp`)
  const get = (lastEventId: string) => session.stream({ 'Last-Event-ID': lastEventId }).then(stream => stream.status)
  for (const id of ['1-0', 'garbage', '', '9-9', '__proto__']) t.equal(await get(id), 400, id)
  const stream = await session.begin('tools/call', slow(60_000, 60), 'call')
  t.match(await stream.next(), { id: '1-0' })
  t.equal(await get('1-0'), 409)
  t.equal(await get('1-7'), 400, 'not yet given')
  stream.close()
})

t.test('the GET stream can be resumed too [MCP-15]', async t => {
  const { url } = await serve(t)
  const session = await openSession(`${url}/mcp/servers/conformance`)
  const stream = await session.stream()
  t.match(await stream.next(), { id: '1-0', data: '' })
  stream.close()
  // Messages for the interrupted stream are kept while no client is connected.
  const trigger = () => session.request('tools/call', { name: 'test_trigger_tool_change', arguments: {} })
  await trigger()
  await trigger()
  const again = await resume(session, '1-1')
  t.match(await again.next(), { id: '1-2', event: 'message' })
  again.close()
  const fresh = await until(async () => {
    const next = await session.stream()
    return next.status === 200 ? next : null
  })
  t.match(await fresh.next(), { id: '2-0' }, 'a new stream begins empty')
  fresh.close()
})
