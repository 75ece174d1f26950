/** The memory of full stores: any data of a plugin [HARD-12]. Runs alone: it measures the heap. */
import t from 'tap'
import { MemoryStore } from '../../../core/state/state-registry.ts'
import { MIB, KIB, slice, wide, shortHeaders, record, nested, bounded, times } from '../../support/store-memory.ts'

t.test('svc.state: any data of a plugin [HARD-12]', async t => {
  interface Case {
    count: number
    key?: (index: number) => string
    value: (index: number) => unknown
    grouped?: boolean
  }
  const cases: Record<string, Case> = {
    'tiny entries': { count: 30_000, value: () => true },
    'tiny entries, each in a group of its own': { count: 30_000, value: () => 0, grouped: true },
    'long text of two bytes a character': { count: 200, value: () => wide(64 * KIB) },
    'slices of large texts': { count: 15_000, value: slice },
    'keys cut from large texts': { count: 15_000, key: slice, value: () => null },
    'slices in lists': {
      count: 2_000,
      value: index => ({ list: Array.from({ length: 10 }, (_, place) => slice(index + place)) }),
    },
    'joined texts': {
      count: 3_000,
      value: index =>
        Array.from({ length: 200 }, (_, place) => `part ${index + place} `).reduce((whole, part) => whole + part, ''),
    },
    'many headers': { count: 2_000, value: () => shortHeaders(100) },
    'names that nobody else has': { count: 8_000, value: record },
    'nested JSON': { count: 5_000, value: nested },
  }
  const maxBytes = 8 * MIB
  for (const [name, { count, key = (index: number): string => `key ${index}`, value, grouped }] of Object.entries(
    cases,
  )) {
    await t.test(name, async t =>
      bounded(t, maxBytes, async () => {
        const store = new MemoryStore<unknown>({ maxCount: 1e6, maxBytes, ttlMs: 60_000, ttlFrom: 'use' })
        await times(count, index => store.set(key(index), value(index), grouped ? { group: `group ${index}` } : {}))
        return store
      }),
    )
  }
})
