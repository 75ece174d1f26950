/** The pace at which requests of an HTTP/2 connection start. */
import type { ServerHttp2Session } from 'node:http2'
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { RequestPacer } from '../../../core/http/sockets/http2-pacing.ts'
import { until } from '../../support/until.ts'

function paced() {
  const handle = { writeQueueSize: 0 }
  const session = { destroyed: false, socket: { _handle: handle } }
  return { handle, session, pacer: new RequestPacer(session as unknown as ServerHttp2Session) }
}

const open = (start: () => unknown) => ({ start: () => void start(), isOver: () => false })

t.test('eight requests start in a turn, in order [UNSENT-6]', async t => {
  const { pacer } = paced()
  const started: number[] = []
  for (let index = 0; index < 20; index++) pacer.start(open(() => started.push(index)))
  t.equal(started.length, 8)
  await turn()
  t.equal(started.length, 16)
  await until(() => started.length === 20, 'all')
  t.strictSame(
    started,
    Array.from({ length: 20 }, (_, index) => index),
  )
})

t.test('no request starts while the client does not read [UNSENT-6]', async t => {
  const { handle, pacer } = paced()
  let started = 0
  handle.writeQueueSize = 300_000
  for (let index = 0; index < 3; index++) pacer.start(open(() => started++))
  await wait(30)
  t.equal(started, 0)
  handle.writeQueueSize = 100_000
  await until(() => started === 3, 'all')
})

t.test('requests of a closed connection are dropped [UNSENT-6]', async t => {
  const { handle, session, pacer } = paced()
  handle.writeQueueSize = 300_000
  pacer.start(open(() => t.fail('started')))
  session.destroyed = true
  handle.writeQueueSize = 0
  await wait(30)
  t.pass()
})

t.test('of many that wait, those whose streams were reset are dropped [UNSENT-6]', async t => {
  const { handle, pacer } = paced()
  handle.writeQueueSize = 300_000
  let started = 0
  let asked = 0
  for (let index = 0; index < 10_000; index++)
    pacer.start({
      start: () => started++,
      isOver: () => {
        asked++
        return index !== 5
      },
    })
  t.ok(asked < 11_000, `in linear time: ${asked}`)
  handle.writeQueueSize = 0
  await wait(200)
  t.ok(started > 0 && started <= 256, `${started} of 10,000`)
})

t.test('a connection that is full waits for one turn at a time [UNSENT-6]', async t => {
  const { handle, session, pacer } = paced()
  const waits = (): number =>
    process.getActiveResourcesInfo().filter(kind => kind === 'Timeout' || kind === 'Immediate').length
  const before = waits()
  handle.writeQueueSize = 300_000
  for (let index = 0; index < 20; index++) pacer.start(open(() => {}))
  for (let looks = 0; looks < 12; looks++) await wait(6)
  t.ok(waits() - before <= 1, `${waits() - before} waits`)
  session.destroyed = true
  await until(() => waits() <= before, 'the last one')
})
