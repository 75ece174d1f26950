/** An update that appends to a log of its store, in one step. */
import t, { type Test } from 'tap'
import type { EventLog, Store } from '../../core/contract/plugin.ts'
import { StateRegistry, type StateHolder } from '../../core/state/state-registry.ts'
import { NEEDS_SERVER, openReplica, startStateServer } from '../support/state-store.ts'

interface Parts {
  store: Store<number>
  log: EventLog<string>
  other: EventLog<string>
}

function open(holder: StateHolder): Parts {
  const store = holder.state<number>('sums', { maxCount: 10, secret: true, maxBytes: 100_000 })
  const of = store as unknown as Store<unknown>
  return {
    store,
    log: holder.eventLog<string>('steps', { of, maxPerStream: 5 }),
    other: holder.eventLog<string>('others', { maxPerStream: 5, maxCount: 10 }),
  }
}

async function check(t: Test, { store, log }: Omit<Parts, 'other'>): Promise<void> {
  const step = (by: number, value: unknown = `+${by}`) =>
    store.update('a', (sum = 0) => sum + by, { append: { log: log as EventLog<unknown>, value } })
  t.equal(await step(1), 1)
  t.same(await Promise.all([2, 3, 4].map(by => step(by))), [3, 6, 10])
  t.same(
    (await log.after('a', 0)).map(({ seq, value }) => [seq, value]),
    [
      [1, '+1'],
      [2, '+2'],
      [3, '+3'],
      [4, '+4'],
    ],
  )
  const refuse = (): number => {
    throw new Error('refused')
  }
  await t.rejects(store.update('a', refuse, { append: { log: log as EventLog<unknown>, value: 'no' } }), /refused/)
  t.equal((await log.info('a')).lastSeq, 4, 'nothing is appended if nothing is written')
  await store.update('a', () => undefined, { append: { log: log as EventLog<unknown>, value: 'no' } })
  t.equal((await log.info('a')).lastSeq, 0)
  t.equal(await step(7), 7)
  t.same(
    (await log.newest('a', 5)).map(({ value }) => value),
    ['+7'],
  )
  const several = ['x', 'y', 'z'].map(value => ({ log: log as EventLog<unknown>, value }))
  t.equal(await store.update('a', (sum = 0) => sum + 1, { append: several }), 8)
  t.same(
    (await log.after('a', 1)).map(({ seq, value }) => [seq, value]),
    [
      [2, 'x'],
      [3, 'y'],
      [4, 'z'],
    ],
  )
  await t.rejects(step(1, new Map()), /not JSON/)
}

t.test('in memory [STATE-47]', async t => {
  const registry = new StateRegistry({ isStrict: true })
  t.teardown(() => registry.close())
  await check(t, open(registry.hold(1, 'p', 'code')))
})

t.test('in a store [STATE-47]', NEEDS_SERVER, async t => {
  const server = await startStateServer(t)
  const { registry } = await openReplica(t, server.url)
  const parts = open(registry.hold(1, 'p', 'code'))
  await check(t, parts)
  const { store, other } = parts
  const append = { log: other as EventLog<unknown>, value: 'x' }
  await t.rejects(
    store.update('a', () => 1, { append }),
    /belongs to this store/,
  )
  const followed: string[] = []
  const stop = parts.log.follow(
    'a',
    null,
    (_seq, value) => followed.push(value),
    () => {},
  )
  t.teardown(stop)
  server.command('CONFIG', 'SET', 'maxmemory', '1')
  await t.rejects(
    store.update('a', () => 5, { append: { log: parts.log as EventLog<unknown>, value: 'full' } }),
    { code: 'STATE_FULL' },
  )
  server.command('CONFIG', 'SET', 'maxmemory', '0')
  t.same([await store.get('a'), (await parts.log.newest('a', 1))[0]?.value], [8, 'z'], 'whole or not at all')
})
