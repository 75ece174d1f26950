/**
 * The rules of sessions, filled with the data that costs the most memory per byte of text: the store "session-rules".
 * Runs alone: it measures the heap.
 */
import t from 'tap'
import { ruleBoundsOf } from '../../../core/rules/bounds.ts'
import { sessionRuleStoreBounds } from '../../../core/rules/rule-book.ts'
import { MemoryStore } from '../../../core/state/state-registry.ts'
import { bounded, MIB, record, times } from '../../support/store-memory.ts'

t.test('rules of sessions [HARD-12]', async t => {
  const bounds = {
    ...sessionRuleStoreBounds(ruleBoundsOf({ publicMode: false, maxDelayMs: 30_000 })),
    maxBytes: 16 * MIB,
  }
  await bounded(t, bounds.maxBytes, async () => {
    const store = new MemoryStore(bounds)
    await times(5000, index =>
      store.set(`session ${index}`, {
        rules: Array.from({ length: 10 }, (_, place) => ({
          id: `rule ${place}`,
          rule: { then: { respond: { body: record(index + place) as never } } },
          createdAt: index,
          expiresAt: null,
        })),
      }),
    )
    return store
  })
})
