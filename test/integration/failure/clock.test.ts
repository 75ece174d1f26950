/** Behavior when the wall clock is set back, as a time server may do. */
import t from 'tap'
import { PlanLimiter } from '../../../core/limits/plan-limiter.ts'
import { sessionKey } from '../../../core/sessions.ts'
import { MemoryStore } from '../../../core/state/memory-store.ts'

const MIDNIGHT = Date.UTC(2026, 2, 15)
const HOUR = 3_600_000

function limiterAt(wall: () => number): () => boolean {
  let monotonic = 0
  const limits = {
    scope: 'instance',
    period: 'day',
    rps: null,
    burst: null,
    concurrency: null,
    streams: null,
    streamLifetimeSecs: null,
    requests: 3,
    egressBytes: null,
  } as const
  const limiter = new PlanLimiter(limits, { wall, monotonic: () => ++monotonic })
  return () => 'lease' in limiter.admit(sessionKey('a', '10.0.0.9'), { isStream: false, isBypassed: false })
}

t.test('a step back over midnight gives no second quota, and the next day starts on time [OUTAGE-5]', async t => {
  let now = MIDNIGHT + HOUR
  const admits = limiterAt(() => now)
  t.strictSame([admits(), admits(), admits(), admits()], [true, true, true, false])
  now = MIDNIGHT - HOUR
  t.equal(admits(), false, 'back in the evening before')
  now = MIDNIGHT + 2 * HOUR
  t.equal(admits(), false, 'and forth again')
  now = MIDNIGHT + 25 * HOUR
  t.equal(admits(), true)
})

t.test('a clock that was days ahead starts a new period when it is corrected [OUTAGE-5]', async t => {
  let now = MIDNIGHT + 240 * HOUR
  const admits = limiterAt(() => now)
  t.strictSame([admits(), admits(), admits(), admits()], [true, true, true, false])
  now = MIDNIGHT
  t.equal(admits(), true)
})

t.test('a store keeps its bounds when the clock is set back, and its entries expire [OUTAGE-5]', async t => {
  let now = MIDNIGHT
  const store = new MemoryStore<number>({ maxCount: 3, ttlMs: 1_000 }, { now: () => now })
  await store.set('a', 1)
  now -= HOUR
  for (const [index, key] of ['b', 'c', 'd', 'e'].entries()) await store.set(key, index)
  t.strictSame(
    (await store.list()).map(({ key }) => key),
    ['c', 'd', 'e'],
  )
  now += 2_000
  t.strictSame(await store.list(), [], 'those of the earlier hour are over')
  t.equal(await store.add('a', 2), true)
  now = MIDNIGHT + 2_000
  t.equal(await store.count(), 0)
})
