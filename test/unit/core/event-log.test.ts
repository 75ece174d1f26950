/** Logs of numbered entries: `svc.eventLog` in memory. */
import t from 'tap'
import type { EventLogBounds } from '../../../core/contract/plugin.ts'
import { MemoryEventLog } from '../../../core/state/memory-event-log.ts'
import { MemoryStore } from '../../../core/state/memory-store.ts'

function log(bounds: Partial<EventLogBounds<string>> = {}, owner?: MemoryStore<unknown>) {
  const clock = { now: 1_000_000 }
  const errors: unknown[] = []
  const made = new MemoryEventLog<string>(
    { maxPerStream: 100, ...(owner === undefined ? { maxCount: 1000 } : {}), ...bounds },
    { now: () => clock.now, onError: error => errors.push(error), owner },
  )
  return { log: made, clock, errors }
}

/** Entries as `1 a, 2 b`. */
const shown = (events: { seq: number; value: string }[]): string =>
  events.map(({ seq, value }) => `${seq} ${value}`).join(', ')

/** Follows a stream and collects what comes. */
function collect(of: MemoryEventLog<string>, stream: string, after: number | null) {
  const seen: string[] = []
  const stop = of.follow(
    stream,
    after,
    (seq, value) => seen.push(`${seq} ${value}`),
    () => seen.push('ended'),
  )
  return { seen, stop }
}
const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

t.test('entries are numbered by stream and read from both ends [STATE-21]', async t => {
  const { log: l } = log()
  for (const value of ['a', 'b', 'c']) await l.append('x', value)
  t.equal(await l.append('y', 'z'), 1)
  t.equal(shown(await l.newest('x', 2)), '3 c, 2 b')
  t.equal(shown(await l.newest('x', 9, value => value !== 'c')), '2 b, 1 a')
  t.equal(shown(await l.after('x', 1)), '2 b, 3 c')
  t.equal(shown(await l.after('x', 0, 1)), '1 a')
  t.match(await l.find('x', value => value < 'c'), { seq: 2, value: 'b' })
  t.equal(await l.find('x', () => false), undefined)
  t.same(await l.newest('unknown', 5), [])
  t.same(await l.info('unknown'), { lastSeq: 0, count: 0 })
  await l.clear('x', value => value !== 'b')
  t.same(await l.info('x'), { lastSeq: 3, count: 1 })
})

t.test('the oldest go: of the stream, then of the stream that was used least recently [STATE-22]', async t => {
  const { log: l } = log({ maxPerStream: 3, maxCount: 5 })
  for (const value of ['a', 'b', 'c', 'd']) await l.append('x', value)
  t.equal(shown(await l.after('x', 0)), '2 b, 3 c, 4 d')
  for (const value of ['p', 'q', 'r']) await l.append('y', value)
  t.equal(shown(await l.after('x', 0)), '3 c, 4 d')
  await l.append('x', 'e')
  t.equal(shown(await l.after('y', 0)), '2 q, 3 r', 'y is the one that was used least recently now')
  t.equal(shown(await l.after('x', 0)), '3 c, 4 d, 5 e')
})

t.test('bytes count memory, of a stream and of all [STATE-22] [HARD-12]', async t => {
  const { log: l } = log({ maxBytesPerStream: 10_000, maxBytes: 25_000 })
  for (let index = 0; index < 50; index++) await l.append(`s${index % 5}`, 'x'.repeat(1000))
  t.ok((await l.bytes()) <= 25_000)
  t.ok((await l.bytes()) > 15_000)
  await l.append('s0', 'y'.repeat(20_000))
  t.equal(shown(await l.after('s0', 0)), '', 'what alone exceeds the bounds is not kept')
  t.equal(await l.append('s0', 'next'), 12, 'and its number is not used again')
})

t.test('cleared entries are gone, and the stream goes on counting [STATE-21]', async t => {
  const { log: l } = log()
  for (const value of ['a', 'b', 'c']) await l.append('x', value)
  t.equal(await l.clear('x', value => value === 'b'), 1)
  t.equal(shown(await l.after('x', 0)), '1 a, 3 c')
  t.equal(await l.clear('x'), 2)
  t.equal(await l.clear('unknown'), 0)
  t.equal(await l.append('x', 'd'), 4)
})

t.test('followers get what is kept and then what comes, in order and once [STATE-23]', async t => {
  const { log: l } = log()
  await l.append('x', 'a')
  await l.append('x', 'b')
  const all = collect(l, 'x', 0)
  const late = collect(l, 'x', null)
  const other = collect(l, 'y', 0)
  t.same(all.seen, [], 'nothing before the caller knows how to stop')
  await turn()
  await l.append('x', 'c')
  t.same(all.seen, ['1 a', '2 b', '3 c'])
  t.same(late.seen, ['3 c'])
  t.same(other.seen, [])
  late.stop()
  await l.append('x', 'd')
  t.same(late.seen, ['3 c'])
  t.equal(all.seen.at(-1), '4 d')
})

t.test('a follower that appends or throws disturbs nobody [STATE-23]', async t => {
  const { log: l, errors } = log()
  l.follow(
    'x',
    0,
    seq => {
      if (seq === 1) void l.append('x', 'b')
      throw new Error('follower')
    },
    () => {},
  )
  const { seen } = collect(l, 'x', 0)
  await turn()
  await l.append('x', 'a')
  t.same(seen, ['1 a', '2 b'])
  t.match(errors, [{ message: 'follower' }, { message: 'follower' }])
})

t.test('a stream lives as long as the entry of its store [STATE-24]', async t => {
  const store = new MemoryStore<unknown>({ maxCount: 2 })
  const { log: l } = log({}, store)
  t.equal(await l.append('a', 'x'), undefined, 'there is no such entry')
  const missing = collect(l, 'a', 0)
  await turn()
  t.same(missing.seen, ['ended'])
  await store.set('a', 1)
  t.equal(await l.append('a', 'x'), 1)
  const { seen } = collect(l, 'a', 0)
  await turn()
  await store.set('a', 2)
  t.equal(await l.append('a', 'y'), 2, 'a newer value is the same entry')
  await store.delete('a')
  t.same(seen, ['1 x', '2 y', 'ended'])
  t.same(await l.after('a', 0), [])
  await store.set('a', 3)
  t.equal(await l.append('a', 'z'), 1, 'a new entry has a new stream')
  await store.set('b', 1)
  await store.set('c', 1)
  t.equal(await l.append('a', 'w'), undefined, 'evicted')
})

t.test(
  'streams of a store lose entries over a bound, but neither end nor start their numbers again [STATE-24]',
  async t => {
    const store = new MemoryStore<unknown>({ maxCount: 10 })
    const { log: l } = log({ maxBytes: 6_000 }, store)
    for (const key of ['a', 'b', 'c']) await store.set(key, 1)
    await l.append('a', 'first')
    const { seen } = collect(l, 'a', null)
    await turn()
    for (let index = 0; index < 20; index++) await l.append(index % 2 === 0 ? 'b' : 'c', 'x'.repeat(500))
    t.ok((await l.bytes()) <= 6_000)
    t.same(await l.after('a', 0), [], 'the stream used least recently lost its entry')
    t.equal(await l.append('a', 'second'), 2)
    t.equal(await l.append('a', 'y'.repeat(9_000)), 3, 'more than the bounds allow')
    t.same(await l.after('a', 0), [])
    t.same(
      seen.map(entry => entry.slice(0, 8)),
      ['2 second', '3 yyyyyy'],
      'followers get everything',
    )
  },
)

t.test('a follower of a stream that never had an entry leaves nothing behind [STATE-22]', async t => {
  const { log: l } = log()
  const [one, two] = [collect(l, 'x', 0), collect(l, 'x', null)]
  t.ok((await l.bytes()) > 0)
  one.stop()
  t.ok((await l.bytes()) > 0, 'another one still follows')
  two.stop()
  two.stop()
  t.equal(await l.bytes(), 0)
  t.same([one.seen, two.seen], [[], []])
})

t.test('a stream ends some time after its last entry [STATE-24]', async t => {
  const { log: l, clock } = log({ ttlMs: 1000 })
  await l.append('x', 'a')
  clock.now += 999
  await l.append('x', 'b')
  clock.now += 999
  const { seen } = collect(l, 'x', 0)
  await turn()
  clock.now += 1
  l.sweep()
  t.same(seen, ['1 a', '2 b', 'ended'])
  t.same(await l.newest('x', 9), [])
})

t.test('the number of streams is bounded too, and bounds can be replaced [STATE-22]', async t => {
  const { log: l } = log({ maxCount: 3 })
  const { seen } = collect(l, 's0', 0)
  await turn()
  for (let index = 0; index < 10; index++) await l.append(`s${index}`, 'a')
  t.same(seen, ['1 a', 'ended'])
  l.setBounds({ maxPerStream: 1, maxCount: 1 })
  t.same(await l.newest('s8', 1), [])
  t.equal(shown(await l.newest('s9', 1)), '1 a')
})

t.test('a batched log numbers its entries later; one without a bound is refused [STATE-21]', async t => {
  const { log: l } = log({ batched: true })
  t.equal(await l.append('x', 'a'), undefined)
  t.equal(shown(await l.newest('x', 1)), '1 a')
  t.throws(() => new MemoryEventLog({ maxPerStream: 1 }), { name: 'TypeError', message: /needs maxCount/ })
})
