/** Random operations give the same results in memory and in a shared store, and the bounds hold after each. */
import t from 'tap'
import type { PutOptions, Store, StoreBounds } from '../../core/contract/plugin.ts'
import { MemoryStore } from '../../core/state/memory-store.ts'
import { randomNumbers } from '../support/random-numbers.ts'
import { NEEDS_SERVER, openReplica, startStateServer } from '../support/state-store.ts'

type Value = { text: string } | number
type Operation = { name: string; run(store: Store<Value>): Promise<unknown> }

function nextOperation(random: (below: number) => number): Operation {
  const key = `k${random(8)}`
  const options: PutOptions = {
    ...(random(3) === 0 && { group: `g${random(2)}` }),
    ...(random(4) === 0 && { spare: random(2) === 0 }),
    ...(random(5) === 0 && { ttlMs: [Infinity, 3_600_000, 7_200_000][random(3)]! }),
  }
  const value: Value = random(4) === 0 ? random(100) : { text: 'x'.repeat(random(300)) }
  const text = `${key} ${JSON.stringify(options)} ${JSON.stringify(value)}`
  const operations: Operation[] = [
    { name: 'get', run: store => store.get(key) },
    { name: 'peek', run: store => store.peek(key) },
    { name: `set ${text}`, run: store => store.set(key, value, options) },
    { name: `set ${text}`, run: store => store.set(key, value, options) },
    { name: `add ${text}`, run: store => store.add(key, value, options) },
    { name: 'take', run: store => store.take(key) },
    { name: 'delete', run: store => store.delete(key) },
    {
      name: `update ${text}`,
      run: store => store.update(key, current => current ?? value, options),
    },
    { name: 'remove by update', run: store => store.update(key, () => undefined) },
    {
      name: `increment ${text}`,
      run: store =>
        (store as Store<number>).increment(key, 1.5, options).catch((error: unknown) => (error as Error).message),
    },
    { name: 'list a group', run: store => store.list({ group: 'g0', newestFirst: true, limit: 3 }) },
    { name: 'count a group', run: store => store.count({ group: 'g1' }) },
    { name: 'clear some', run: store => store.clear((_value, name) => name === key) },
  ]
  return operations[random(operations.length)]!
}

const BOUNDS: Record<string, StoreBounds<Value>> = {
  'oldest, by count': { maxCount: 4 },
  groups: { maxCount: 6, maxPerGroup: 2, maxBytes: 1_000_000 },
  bytes: { maxCount: 6, maxBytes: 2_200 },
  idle: { maxCount: 4, evict: 'idle', ttlMs: 3_600_000, ttlFrom: 'use' },
  expiring: { maxCount: 4, evict: 'expiring' },
  'own sizes': { maxCount: 6, maxBytes: 2_500, sizeOf: value => (typeof value === 'number' ? 100 : value.text.length) },
  nothing: { maxCount: 0 },
  'no eviction': { maxCount: 5, maxPerGroup: 2, maxBytes: 2_000, evict: 'none' },
  secret: { maxCount: 4, secret: true, maxPerGroup: 3 },
}

t.test('random operations', NEEDS_SERVER, async t => {
  const server = await startStateServer(t)
  const { registry } = await openReplica(t, server.url, { secret: 's'.repeat(32) })
  for (const [index, [name, bounds]] of Object.entries(BOUNDS).entries()) {
    await t.test(`${name} [STATE-34]`, async t => {
      const shared = registry.hold(1, 'model', 'v').state<Value>(`store${index}`, bounds)
      const memory = new MemoryStore<Value>(bounds)
      const random = randomNumbers(index + 1)
      const done: string[] = []
      for (let step = 0; step < 600; step++) {
        const operation = nextOperation(random)
        done.push(operation.name)
        const expected = [await operation.run(memory), await memory.list(), await memory.bytes(), await memory.count()]
        const found = [await operation.run(shared), await shared.list(), await shared.bytes(), await shared.count()]
        if (JSON.stringify(found) === JSON.stringify(expected)) continue
        t.strictSame(found, expected, done.slice(-8).join('\n'))
        return
      }
      t.ok((await shared.count()) <= bounds.maxCount)
      t.equal(await shared.clear(), await memory.clear())
      t.equal(await shared.bytes(), 0)
    })
  }
})
