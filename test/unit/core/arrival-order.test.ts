/** Lists of what several replicas have logged are in the order of arrival, although their batches reach the log in another one. */
import t from 'tap'
import { newestByTime } from '../../../core/collections/newest-by-time.ts'
import {
  CaptureLog,
  captureBounds,
  endBounds,
  type LoggedCapture,
  type LoggedEnd,
} from '../../../core/inspector/capture-log.ts'
import type { CapturedRequest } from '../../../core/inspector/captured-request.ts'
import { MemoryEventLog } from '../../../core/state/memory-event-log.ts'
import { boundsFor } from '../../../plugins/mocks/bounds.ts'
import { Traffic, trafficBounds, type CapturedRequest as MockRequest } from '../../../plugins/mocks/exchange/traffic.ts'

const options = { now: () => 1_000_000, onError: (error: unknown) => t.error(error), owner: undefined }

t.test('entries by their time, then by their number [STATE-50]', async t => {
  const log = new MemoryEventLog<{ name: string; at: number }>({ maxPerStream: 1000, maxCount: 1000 }, options)
  const append = (name: string, at: number) => log.append('x', { name, at })
  // One replica sends its batch after the other one has sent later requests.
  for (const [name, at] of [
    ['a', 10],
    ['d', 40],
    ['e', 50],
    ['b', 20],
    ['c', 40],
  ] as const)
    await append(name, at)
  const names = async (limit: number, where?: (value: { name: string }) => boolean): Promise<string> =>
    (await newestByTime(log, 'x', { limit, timeOf: ({ at }) => at, ...(where && { where }) }))
      .map(({ value }) => value.name)
      .join('')
  t.equal(await names(9), 'ecdba')
  t.equal(await names(2), 'ec', 'the newest are not those that were logged last')
  t.equal(await names(2, ({ name }) => name !== 'e'), 'cd')
})

t.test('captured requests of all replicas [STATE-50]', async t => {
  const logs = {
    captures: new MemoryEventLog<LoggedCapture>({ ...captureBounds(100), batched: false }, options),
    ends: new MemoryEventLog<LoggedEnd>({ ...endBounds(100), batched: false }, options),
  }
  const replicas = ['one', 'two'].map(name => new CaptureLog(logs, name, 100))
  const captured = (id: string, arrivedAt: number): CapturedRequest =>
    ({
      id,
      requestId: `r-${id}`,
      arrivedAt,
      uri: '/',
      rawHeaders: [],
      body: null,
      response: { ended: 'complete', head: null, body: null },
    }) as never
  replicas[0]!.add(captured('first', 1))
  replicas[0]!.add(captured('third', 3))
  replicas[1]!.add(captured('second', 2))
  const all = await replicas[1]!.newest(10, () => true)
  t.strictSame(
    all.map(({ id }) => id),
    ['third', 'second', 'first'],
  )
  t.strictSame(
    (await replicas[0]!.newest(1, () => true)).map(({ id }) => id),
    ['third'],
  )
  t.equal((await replicas[0]!.lookUp('r-second', () => true))?.id, 'second')
})

t.test('requests of a mock [STATE-50]', async t => {
  const bounds = boundsFor(false)
  const log = new MemoryEventLog<MockRequest>({ ...trafficBounds(bounds), batched: false }, options)
  const traffic = new Traffic(log, bounds)
  const request = (id: string, seconds: number): MockRequest =>
    ({
      id,
      timestamp: new Date(seconds * 1000).toISOString(),
      session: null,
      operation: null,
      status: 200,
      headers: [],
      query: null,
      body: null,
      path: '/',
      violations: [],
      response: { headers: [], body: null },
    }) as never
  for (const [id, seconds] of [
    ['first', 1],
    ['third', 3],
    ['second', 2],
  ] as const)
    traffic.add('shop', request(id, seconds))
  const list = await traffic.list('shop', { operation: null, session: null, status: null }, 2)
  t.strictSame(
    list.map(({ id }) => id),
    ['third', 'second'],
  )
})
