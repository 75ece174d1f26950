/** Bounded stores and their holders. */
import t from 'tap'
import { heldBytes } from '../../../core/collections/text-memory.ts'
import { ENTRY_BYTES, GROUP_BYTES } from '../../../core/state/memory-store.ts'
import { MemoryStore, StateRegistry, type StateFailure } from '../../../core/state/state-registry.ts'
import type { StoreBounds, StoreChange } from '../../../core/contract/plugin.ts'

function shown(change: StoreChange<unknown>): string {
  return change.kind === 'reset' ? 'reset' : `${change.kind} ${change.key}`
}

/** A store with a test clock, and the changes it reported as `kind key`. */
function store<T = string>(bounds: Partial<StoreBounds<T>> = {}) {
  const clock = { now: 1_000_000 }
  const errors: unknown[] = []
  const made = new MemoryStore<T>(
    { maxCount: 1000, watched: true, ...bounds },
    { now: () => clock.now, onError: error => errors.push(error) },
  )
  const reported: string[] = []
  made.subscribe(change => reported.push(shown(change)))
  return { store: made, clock, reported, errors }
}

const keys = async (of: MemoryStore<never> | MemoryStore<string> | MemoryStore<number>) =>
  (await of.list()).map(({ key }) => key).join(' ')
const length = (value: string) => value.length
/** Memory of an entry with a key of one character, without its value. */
const entryBytes = ENTRY_BYTES + heldBytes('a')

t.test('bounds', async t => {
  t.test(
    'the first inserted entry is evicted when the count is reached, even if it was set again [STATE-1] [STATE-5]',
    async t => {
      const { store: s, reported } = store({ maxCount: 3 })
      for (const key of ['a', 'b', 'c', 'a', 'd']) await s.set(key, key)
      t.equal(await keys(s), 'b c d')
      t.equal(await s.count(), 3)
      t.same(reported, ['set a', 'set b', 'set c', 'set a', 'set d', 'evicted a'])
    },
  )

  t.test(
    'with idle the least recently used entry is evicted; get, set and update count as uses, peek and list do not [STATE-1] [STATE-5]',
    async t => {
      const uses: Record<string, (s: MemoryStore<string>) => Promise<unknown>> = {
        get: s => s.get('a'),
        set: s => s.set('a', 'again'),
        update: s => s.update('a', () => 'again'),
      }
      for (const [name, use] of Object.entries(uses)) {
        const { store: s } = store({ maxCount: 2, evict: 'idle' })
        await s.set('a', '')
        await s.set('b', '')
        await use(s)
        await s.set('c', '')
        t.equal(await keys(s), 'a c', name)
      }
      const { store: s } = store({ maxCount: 2, evict: 'idle' })
      await s.set('a', '')
      await s.set('b', '')
      await s.peek('a')
      await s.list()
      await s.set('c', '')
      t.equal(await keys(s), 'b c')
    },
  )

  t.test(
    'with expiring the entry that expires first is evicted, except the one just written and those without expiry [STATE-1] [STATE-5]',
    async t => {
      const { store: s } = store({ maxCount: 3, evict: 'expiring' })
      await s.set('late', '', { ttlMs: 9_000 })
      await s.set('endless', '')
      await s.set('soon', '', { ttlMs: 1_000 })
      await s.set('later', '', { ttlMs: 8_000 })
      t.equal(await keys(s), 'late endless later')
      await s.set('now', '', { ttlMs: 1 })
      t.equal(await keys(s), 'late endless now')
      for (const key of ['x', 'y', 'z']) await s.set(key, '')
      t.equal(await keys(s), 'x y z', 'where nothing ends, the oldest')
    },
  )

  t.test('bytes are counted at set, with key and entry, and evict until they fit [STATE-2]', async t => {
    const { store: s, reported } = store({ maxBytes: 2 * entryBytes + 12, sizeOf: length })
    await s.set('a', '1234')
    await s.set('b', '1234')
    t.equal(await s.bytes(), 2 * entryBytes + 8)
    await s.set('c', '12345678')
    t.equal(await keys(s), 'b c')
    await s.set('c', '12345678'.repeat(50))
    t.equal(await keys(s), 'c')
    t.equal(await s.bytes(), entryBytes + 400)
    await s.set('c', '1')
    t.equal(await s.bytes(), entryBytes + 1)
    await s.delete('c')
    t.equal(await s.bytes(), 0)
    t.same(reported, ['set a', 'set b', 'set c', 'evicted a', 'set c', 'evicted b', 'set c', 'deleted c'])
  })

  t.test('a value that exceeds the bound on its own is not stored and evicts nothing [STATE-2]', async t => {
    const { store: s, reported } = store({ maxBytes: entryBytes + 10, sizeOf: length })
    const big = 'x'.repeat(11)
    await s.set('a', '1234')
    await s.set('b', big)
    t.equal(await s.add('b', big), false)
    t.equal(await keys(s), 'a')
    await s.set('a', big)
    t.equal(await s.count(), 0)
    t.equal(await s.bytes(), 0)
    t.same(reported, ['set a', 'evicted b', 'evicted b', 'evicted a'])
  })

  t.test('an entry that grows evicts others, not itself [STATE-2]', async t => {
    const { store: s } = store({ maxBytes: 2 * entryBytes + 10, sizeOf: length })
    await s.set('a', '1234')
    await s.set('b', '1234')
    await s.set('a', '12345678')
    t.equal(await keys(s), 'a')
  })

  t.test('a full group evicts its own oldest entry, and other groups are not affected [STATE-4]', async t => {
    const { store: s, reported } = store({ maxPerGroup: 2 })
    await s.set('other', '', { group: 'y' })
    for (const key of ['a', 'b', 'c']) await s.set(key, '', { group: 'x' })
    await s.set('loose', '')
    t.equal(await keys(s), 'other b c loose')
    t.equal(reported.at(-2), 'evicted a')
    await s.set('other', '', { group: 'x' })
    t.equal(await keys(s), 'other c loose')
    t.same(
      (await s.list({ group: 'x' })).map(({ key }) => key),
      ['c', 'other'],
    )
    await s.update('c', () => 'again')
    t.same(
      (await s.list({ group: 'x' })).map(({ key }) => key),
      ['c', 'other'],
      'keeps its group without one named',
    )
    t.same(await s.list({ group: 'y' }), [])
  })

  t.test('a store with a count of 0 stores nothing [STATE-1]', async t => {
    const { store: s } = store({ maxCount: 0 })
    await s.set('a', '')
    t.equal(await s.count(), 0)
  })

  t.test('without sizeOf the store keeps a copy of plain data and measures it [STATE-2]', async t => {
    const s = new MemoryStore<unknown>({ maxCount: 10, maxBytes: 10_000 })
    const value = { list: ['a'] }
    await s.set('a', value)
    t.strictSame(await s.get('a'), value)
    t.not(await s.get('a'), value)
    const before = await s.bytes()
    await s.set('a', { list: ['a', 'a text of 23 characters'] })
    t.ok((await s.bytes()) > before + 23)
    await s.set('b', 'x'.repeat(10_000))
    t.equal(await s.count(), 1, 'and what is too large is not kept')
    await t.rejects(s.set('c', new Map()), { message: /only plain data/ })
    const measured = await s.bytes()
    s.setBounds({ maxCount: 10, maxBytes: 9_000 })
    t.equal(await s.bytes(), measured)
    s.setBounds({ maxCount: 10, maxBytes: 9_000, sizeOf: () => 5 })
    t.equal(await s.bytes(), entryBytes + 5)
    s.setBounds({ maxCount: 10, maxBytes: 9_000 })
    t.equal(await s.bytes(), measured)
  })

  t.test('an entry of a group counts with the group and its name [STATE-2]', async t => {
    const s = new MemoryStore<string>({ maxCount: 10, maxBytes: 10_000, sizeOf: length })
    await s.set('a', '', { group: 'a' })
    t.equal(await s.bytes(), entryBytes + GROUP_BYTES + heldBytes('a'))
    await s.set('a', '', { group: 'abc' })
    t.equal(await s.bytes(), entryBytes + GROUP_BYTES + heldBytes('abc'))
    await s.delete('a')
    t.equal(await s.bytes(), 0)
  })
})

t.test('age', async t => {
  t.test('counts from set, and a use or update does not extend it [STATE-3]', async t => {
    const { store: s, clock, reported } = store({ ttlMs: 100 })
    await s.set('a', 'first')
    clock.now += 99
    t.equal(await s.get('a'), 'first')
    await s.update('a', () => 'second')
    t.equal(await s.peek('a'), 'second')
    clock.now += 1
    t.equal(await s.get('a'), undefined)
    t.same(reported, ['set a', 'set a', 'expired a'])
    await s.set('a', 'third')
    clock.now += 99
    await s.set('a', 'fourth')
    clock.now += 99
    t.equal(await s.get('a'), 'fourth')
  })

  t.test('counts from the last use with ttlFrom use; peek does not count [STATE-3]', async t => {
    const { store: s, clock } = store({ ttlMs: 100, ttlFrom: 'use' })
    await s.set('a', '')
    await s.set('b', '')
    for (let i = 0; i < 5; i += 1) {
      clock.now += 60
      await s.get('a')
      await s.peek('b')
    }
    t.equal(await keys(s), 'a')
    clock.now += 60
    await s.update('a', () => '')
    clock.now += 60
    t.equal(await keys(s), 'a')
    clock.now += 40
    t.equal(await s.count(), 0)
  })

  t.test('an entry may have its own lifetime, kept by an update, replaced by a set [STATE-3]', async t => {
    const { store: s, clock } = store({ ttlMs: 100 })
    await s.set('short', '', { ttlMs: 10 })
    await s.set('long', '', { ttlMs: 1000 })
    await s.set('usual', '')
    clock.now += 10
    t.equal(await keys(s), 'long usual')
    clock.now += 90
    t.equal(await keys(s), 'long')
    await s.update('long', () => 'changed')
    clock.now += 899
    t.equal(await s.get('long'), 'changed')
    await s.set('long', '')
    clock.now += 100
    t.equal(await s.get('long'), undefined)
    await s.set('forever', '', { ttlMs: Infinity })
    await s.update('forever', () => '', { ttlMs: 5 })
    clock.now += 5
    t.equal(await s.count(), 0)
    const { store: used, clock: later } = store({ ttlMs: 100, ttlFrom: 'use' })
    await used.set('long', '', { ttlMs: 1000 })
    later.now += 500
    await used.update('long', () => '')
    later.now += 999
    t.equal(await used.get('long'), '', 'an update is a use, and keeps it')
  })

  t.test('expired entries are removed before others are evicted [STATE-3]', async t => {
    const { store: s, clock, reported } = store({ maxCount: 2 })
    await s.set('lives', '')
    await s.set('dies', '', { ttlMs: 10 })
    clock.now += 10
    await s.set('new', '')
    t.equal(await keys(s), 'lives new')
    t.notOk(reported.some(change => change.startsWith('evicted')))
  })

  t.test('a sweep removes expired entries, a bounded number at a time [STATE-10]', async t => {
    const { store: s, clock, reported } = store({ maxCount: 5000, ttlMs: 100 })
    for (let i = 0; i < 2500; i += 1) await s.set(`k${i}`, '', { ttlMs: 100 + i })
    clock.now += 2600
    const expired = () => reported.filter(change => change.startsWith('expired')).length
    s.sweep()
    t.equal(expired(), 1000)
    s.sweep()
    s.sweep()
    t.equal(expired(), 2500)
    t.equal(reported.at(-1), 'expired k2499', 'in the order of their expiry')
  })

  t.test('a registry sweeps all its stores automatically [STATE-10]', async t => {
    const registry = new StateRegistry({ sweepMs: 5 })
    // The sweeper does not keep the process alive, so something else must while the test waits.
    const alive = setInterval(() => {}, 1000)
    t.teardown(() => {
      registry.close()
      clearInterval(alive)
    })
    const holder = registry.hold(1, 'bins', 'v1')
    const gone = await new Promise<StoreChange<string>>(resolve => {
      const s = holder.state<string>('bin', { maxCount: 10, ttlMs: 20, watched: true })
      s.subscribe(change => change.kind === 'expired' && resolve(change))
      void s.set('a', 'value')
    })
    t.same(gone, { kind: 'expired', key: 'a', value: 'value' })
  })
})

t.test('operations', async t => {
  t.test('of two hundred concurrent takes one succeeds [STATE-6]', async t => {
    const { store: s, reported } = store()
    await s.set('code', 'secret')
    const got = await Promise.all(Array.from({ length: 200 }, () => s.take('code')))
    t.same(
      got.filter(value => value !== undefined),
      ['secret'],
    )
    t.same(reported, ['set code', 'deleted code'])
  })

  t.test('of two hundred concurrent adds one succeeds [STATE-6]', async t => {
    const { store: s } = store<number>()
    const added = await Promise.all(Array.from({ length: 200 }, (_, i) => s.add('key', i)))
    t.equal(added.filter(Boolean).length, 1)
    t.equal(await s.get('key'), 0)
  })

  t.test('two hundred concurrent updates all count [STATE-7]', async t => {
    const { store: s } = store<number>()
    const seen = await Promise.all(Array.from({ length: 200 }, () => s.update('n', (n = 0) => n + 1)))
    t.equal(await s.get('n'), 200)
    t.equal(new Set(seen).size, 200)
  })

  t.test('an update to undefined removes, one that throws changes nothing [STATE-7]', async t => {
    const { store: s, reported } = store<number>()
    await s.set('n', 1)
    await t.rejects(
      s.update('n', () => {
        throw new Error('no')
      }),
      /no/,
    )
    t.equal(await s.get('n'), 1)
    t.equal(await s.update('n', () => undefined), undefined)
    t.equal(await s.update('none', () => undefined), undefined)
    t.same(reported, ['set n', 'deleted n'])
  })

  t.test('list takes order, limit, group and condition [STATE-9]', async t => {
    const { store: s } = store<number>()
    for (let i = 1; i <= 6; i += 1) await s.set(`k${i}`, i, { group: i % 2 ? 'odd' : 'even' })
    await s.set('k1', 10)
    const values = async (options: Parameters<typeof s.list>[0]) => (await s.list(options)).map(({ value }) => value)
    t.same(await values({}), [10, 2, 3, 4, 5, 6], 'a key set again keeps its place')
    t.same(await values({ newestFirst: true, limit: 2 }), [6, 5])
    t.same(await values({ group: 'even', newestFirst: true }), [6, 4, 2])
    t.same(await values({ where: value => value > 4, limit: 2 }), [10, 5])
    t.same(await values({ where: (_, key) => key === 'k3' }), [3])
    t.same(await values({ limit: 0 }), [])
    t.same(await values({ group: 'none' }), [])
  })

  t.test('delete and clear return what they removed', async t => {
    const { store: s, reported } = store<number>()
    for (let i = 1; i <= 4; i += 1) await s.set(`k${i}`, i)
    t.equal(await s.delete('k1'), true)
    t.equal(await s.delete('k1'), false)
    t.equal(await s.clear(value => value === 3), 1)
    t.equal(await s.clear(), 2)
    t.equal(await s.count(), 0)
    t.same(reported.slice(4), ['deleted k1', 'deleted k3', 'deleted k2', 'deleted k4'])
  })

  t.test('keys are plain text, even if they look like properties', async t => {
    const { store: s } = store()
    for (const key of ['__proto__', 'constructor', '', 'a b']) {
      t.equal(await s.get(key), undefined)
      await s.set(key, key, { group: key })
      t.equal(await s.get(key), key)
      t.equal((await s.list({ group: key })).length, 1)
    }
  })
})

t.test('numbers, groups and spare entries', async t => {
  t.test('increment counts from 0, by any number, and refuses what is not a number [STATE-29]', async t => {
    const { store: s } = store<number>()
    t.equal(await s.increment('a'), 1)
    t.equal(await s.increment('a', 5), 6)
    t.equal(await s.increment('a', -2.5), 3.5)
    t.equal(await s.get('a'), 3.5)
    const texts = store<string>().store
    await texts.set('a', 'text')
    await t.rejects((texts as unknown as MemoryStore<number>).increment('a'), {
      name: 'TypeError',
      message: 'the value of "a" is not a number',
    })
  })

  t.test('count of one group [STATE-29]', async t => {
    const { store: s } = store()
    await s.set('a', '', { group: 'g' })
    await s.set('b', '', { group: 'g' })
    await s.set('c', '', { group: 'h' })
    t.same(
      [await s.count(), await s.count({ group: 'g' }), await s.count({ group: 'h' }), await s.count({ group: '?' })],
      [3, 2, 1, 0],
    )
  })

  t.test('spare entries go first and are listed first [STATE-30]', async t => {
    const { store: s } = store({ maxCount: 4 })
    await s.set('a', '')
    await s.set('b', '', { spare: true })
    await s.set('c', '')
    await s.set('d', '', { spare: true })
    t.equal(await keys(s), 'b d a c')
    t.same(
      (await s.list({ newestFirst: true })).map(({ key }) => key),
      ['c', 'a', 'd', 'b'],
    )
    await s.set('e', '')
    t.equal(await keys(s), 'd a c e')
    await s.update('c', () => 'done', { spare: true })
    await s.update('d', () => 'again')
    t.equal(await keys(s), 'd c a e', 'an update leaves what it is, unless it says so')
    await s.set('d', 'back')
    await s.set('f', '')
    t.equal(await keys(s), 'a e d f', 'a plain set makes it an ordinary one again')
  })

  t.test('spare entries go first within their group [STATE-30]', async t => {
    const { store: s } = store({ maxPerGroup: 2 })
    await s.set('a', '', { group: 'g' })
    await s.set('b', '', { group: 'g', spare: true })
    await s.set('c', '', { group: 'g' })
    t.equal(await keys(s), 'a c')
  })

  t.test('subscribing needs watched [STATE-8]', async t => {
    t.throws(() => store({ watched: false }).store, { message: /without "watched: true"/ })
  })
})

t.test('changes', async t => {
  t.test('a listener that changes the store: all listeners get all changes in one order [STATE-8]', async t => {
    const { store: s, reported } = store<number>()
    const first: string[] = []
    s.subscribe(change => {
      first.push(shown(change))
      if (change.kind === 'set' && change.key === 'a') void s.set('b', 2)
    })
    const last: string[] = []
    s.subscribe(change => last.push(shown(change)))
    await s.set('a', 1)
    await s.delete('a')
    t.same(first, ['set a', 'set b', 'deleted a'])
    t.same(last, first)
    t.same(reported, first)
  })

  t.test('a listener that throws is reported and does not affect the others [STATE-8]', async t => {
    const { store: s, errors } = store()
    s.subscribe(() => {
      throw new Error('listener')
    })
    const notified: string[] = []
    s.subscribe(change => notified.push(shown(change)))
    await s.set('a', '')
    await s.set('b', '')
    t.same(notified, ['set a', 'set b'])
    t.match(errors, [/listener/, /listener/])
  })

  t.test('an unsubscribed listener gets no more changes, even if the function subscribed twice [STATE-8]', async t => {
    const { store: s } = store()
    let notified = 0
    const listener = () => {
      notified += 1
    }
    const stop = s.subscribe(listener)
    s.subscribe(listener)
    await s.set('a', '')
    t.equal(notified, 2)
    stop()
    await s.set('b', '')
    t.equal(notified, 3)
  })
})

t.test('a hundred thousand inserts leave count and bytes at their bounds [STATE-15]', async t => {
  for (const evict of ['oldest', 'idle', 'expiring'] as const) {
    const s = new MemoryStore<string>({
      maxCount: 500,
      maxBytes: 200_000,
      sizeOf: length,
      maxPerGroup: 50,
      ttlMs: 60_000,
      ttlFrom: 'use',
      evict,
    })
    let most = 0
    let mostBytes = 0
    for (let i = 0; i < 100_000; i += 1) {
      await s.set(`key ${i}`, 'x'.repeat(i % 100), { group: `session ${i % 7}` })
      if (i % 3 === 0) await s.get(`key ${i - 100}`)
      if (i % 1000 !== 0) continue
      most = Math.max(most, await s.count())
      mostBytes = Math.max(mostBytes, await s.bytes())
    }
    t.ok(most <= 350, `${most} entries in seven groups of 50`)
    t.ok(mostBytes <= 200_000, `${mostBytes} bytes`)
    t.equal(await s.count(), (await s.list()).length)
    t.equal(
      await s.bytes(),
      (await s.list()).reduce(
        (sum, { key, value }) =>
          sum + ENTRY_BYTES + heldBytes(key) + GROUP_BYTES + heldBytes('session 0') + value.length,
        0,
      ),
    )
    await s.clear()
    t.equal(await s.bytes(), 0)
  }
})

t.test('generations', async t => {
  function registry() {
    const failures: (StateFailure & { error: unknown })[] = []
    const changed: object[] = []
    const made = new StateRegistry({
      onError: (error, failure) => failures.push({ error, ...failure }),
      onNewSchema: data => changed.push(data),
    })
    t.teardown(() => made.close())
    return { registry: made, failures, changed }
  }

  t.test('same code, same store, under the newer bounds [STATE-11]', async t => {
    const { registry: r } = registry()
    const first = r.hold(1, 'bins', 'v1')
    const second = r.hold(2, 'bins', 'v1')
    const before = first.state<string>('bin', { maxCount: 10 })
    for (const key of ['a', 'b', 'c']) await before.set(key, key, { group: 'g' })
    const after = second.state<string>('bin', { maxCount: 2, maxBytes: 10_000, sizeOf: length, ttlMs: 60_000 })
    t.equal(after, before)
    t.equal(await after.count(), 2)
    t.equal(await after.bytes(), 2 * (entryBytes + GROUP_BYTES + heldBytes('g') + 1))
    await first.release()
    t.equal(await after.get('c'), 'c')
    second.state<string>('bin', { maxCount: 2, maxPerGroup: 1, ttlMs: -1 })
    t.equal(await after.count(), 0, 'a shorter lifetime applies to existing entries')
  })

  t.test('another schema, another plugin, another name: another store [STATE-12]', async t => {
    const { registry: r, changed } = registry()
    const bounds = { maxCount: 10 }
    const old = r.hold(1, 'bins', 'v1')
    const newer = r.hold(2, 'bins', 'v2')
    const stores = [
      old.state('bin', bounds),
      old.state('other', bounds),
      newer.state('bin', { ...bounds, schema: 2 }),
      r.hold(2, 'sse', 'v1').state('bin', bounds),
    ]
    t.equal(new Set(stores).size, 4)
    await stores[0]!.set('a', 1)
    t.equal(await stores[2]!.count(), 0)
    t.equal(await stores[0]!.count(), 1, 'the old version keeps its own')
    t.equal(newer.state('other', { ...bounds, schema: 1 }), stores[1], 'other code goes on with the same data')
    t.same(changed, [{ plugin: 'bins', name: 'bin', schema: '2' }])
    const logs = [old, newer].map((holder, index) =>
      holder.eventLog('changes', { maxPerStream: 1, maxCount: 10, of: stores[2 * index]! }),
    )
    t.not(logs[0], logs[1], 'a log belongs to its store')
    await old.release()
    t.same(r.counts(), { stores: 3, shared: 0 })
  })

  t.test('a store without holders is removed, also for later generations [STATE-12]', async t => {
    const { registry: r } = registry()
    const first = r.hold(1, 'bins', 'v1')
    const before = first.state('bin', { maxCount: 10 })
    await before.set('a', 1)
    await first.release()
    const after = r.hold(2, 'bins', 'v1').state('bin', { maxCount: 10 })
    t.not(after, before)
    t.equal(await after.count(), 0)
  })

  t.test('a shared object is created once and disposed of once, by the last holder [STATE-13]', async t => {
    const { registry: r } = registry()
    const made: string[] = []
    const disposed: string[] = []
    const generations = [1, 2, 3].map(number => r.hold(number, 'auth', 'v1'))
    const values = generations.map((holder, i) =>
      holder.shared(
        'keys',
        () => {
          made.push(`keys ${i}`)
          return { made: i }
        },
        ({ made: by }) => {
          disposed.push(`keys of ${by} by ${i}`)
        },
      ),
    )
    generations[0]!.shared('keys', () => ({ made: 9 }))
    t.equal(new Set(values).size, 1)
    t.same(made, ['keys 0'])
    await generations[1]!.release()
    await generations[1]!.release()
    await generations[2]!.release()
    t.same(disposed, [])
    await generations[0]!.release()
    t.same(disposed, ['keys of 0 by 2'], 'with the newest way to do it')
    t.same(r.counts(), { stores: 0, shared: 0 })
  })

  t.test('a release waits for slow disposals and survives failing ones [STATE-14]', async t => {
    const { registry: r, failures } = registry()
    const holder = r.hold(1, 'mcp', 'v1')
    const disposed: string[] = []
    holder.shared(
      'throws',
      () => 1,
      () => {
        throw new Error('at once')
      },
    )
    holder.shared(
      'rejects',
      () => 1,
      async () => {
        throw new Error('later')
      },
    )
    holder.shared(
      'slow',
      () => 1,
      () =>
        new Promise<void>(resolve =>
          setImmediate(() => {
            disposed.push('slow')
            resolve()
          }),
        ),
    )
    await holder.release()
    t.same(disposed, ['slow'])
    t.same(
      failures
        .map(({ plugin, name, during, error }) => `${plugin} ${name} ${during}: ${(error as Error).message}`)
        .toSorted(),
      ['mcp rejects dispose: later', 'mcp throws dispose: at once'],
    )
  })

  t.test('a subscriber that throws is reported with its plugin [STATE-14]', async t => {
    const { registry: r, failures } = registry()
    const s = r.hold(1, 'bins', 'v1').state('bin', { maxCount: 1, watched: true })
    s.subscribe(() => {
      throw new Error('feed')
    })
    await s.set('a', 1)
    t.match(failures, [{ plugin: 'bins', name: 'bin', during: 'subscriber' }])
  })

  t.test('a failing create leaves nothing behind [STATE-13]', async t => {
    const { registry: r } = registry()
    const holder = r.hold(1, 'mcp', 'v1')
    t.throws(
      () =>
        holder.shared('x', () => {
          throw new Error('no')
        }),
      /no/,
    )
    t.equal(
      holder.shared('x', () => 1),
      1,
    )
  })

  t.test('a closed generation gets no more state [STATE-13]', async t => {
    const { registry: r } = registry()
    const holder = r.hold(7, 'mcp', 'v1')
    await holder.release()
    t.throws(() => holder.state('x', { maxCount: 1 }), /state "x" of mcp requested after generation 7 was closed/)
    t.throws(() => holder.shared('x', () => 1), /generation 7/)
  })
})

t.test('a store within a store', async t => {
  const { store: s, reported } = store<number>({ maxPerGroup: 2 })
  const [a, b] = [s.within('a'), s.within('b')]
  const changes: string[] = []
  a.subscribe(change => changes.push(shown(change)))

  await a.set('x', 1)
  await b.set('x', 2)
  t.equal(await a.increment('x', 10), 11)
  t.equal(await a.update('x', value => value! + 1), 12)
  t.equal(await a.add('x', 0), false)
  t.strictSame([await a.get('x'), await a.peek('x'), await b.get('x'), await s.get('x')], [12, 12, 2, undefined])
  t.strictSame(changes, ['set x', 'set x', 'set x'])
  t.strictSame(reported, ['set a\nx', 'set b\nx', 'set a\nx', 'set a\nx'])

  await a.set('y', 3)
  t.strictSame(await a.list({ newestFirst: true, where: (value, key) => value > 2 && key !== 'z' }), [
    { key: 'y', value: 3 },
    { key: 'x', value: 12 },
  ])
  await a.set('z', 4)
  t.strictSame(await a.list(), [
    { key: 'y', value: 3 },
    { key: 'z', value: 4 },
  ])
  t.strictSame([await a.count(), await b.count(), await s.count()], [2, 1, 3], 'the group has its own bound')
  t.equal(await a.bytes(), await s.bytes())

  t.equal(await a.take('y'), 3)
  t.equal(await a.delete('y'), false)
  await b.set('y', 5)
  t.equal(await b.clear((value, key) => key === 'y' && value === 5), 1)
  t.equal(await a.clear(), 1)
  t.strictSame(await s.list(), [{ key: 'b\nx', value: 2 }])
  t.throws(() => s.within('a\nb'), TypeError)
  t.throws(() => a.within('b'), TypeError)
})
