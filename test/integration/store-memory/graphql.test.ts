/** The memory of full stores: persisted queries and documents [HARD-12]. Runs alone: it measures the heap. */
import t from 'tap'
import { MemoryStore } from '../../../core/state/state-registry.ts'
import { documentBounds } from '../../../plugins/graphql/documents/persisted-documents.ts'
import { persistedQueryBounds } from '../../../plugins/graphql/yoga/persisted-queries.ts'
import { MIB, ascii, wideFor, bounded, times } from '../../support/store-memory.ts'

t.test('graphql: svc.state "persisted-queries" [HARD-12]', async t => {
  for (const [name, text] of Object.entries({
    'two bytes a character': () => wideFor(65_000),
    'cut from large texts': (index: number) => Buffer.alloc(MIB, `${index} `).toString('latin1').slice(0, 40_000),
  })) {
    await t.test(name, async t =>
      bounded(t, 16 * MIB, async () => {
        const store = new MemoryStore<string>(persistedQueryBounds)
        await times(1_000, index => store.set(ascii(`${index}`.padStart(64, '0')), text(index)))
        return store
      }),
    )
  }
})

t.test('graphql: svc.state "documents" [HARD-12]', async t => {
  for (const [name, text] of Object.entries({
    'two bytes a character': () => wideFor(65_000),
    'cut from large texts': (index: number) => Buffer.alloc(MIB, `${index} `).toString('latin1').slice(0, 64_000),
  })) {
    await t.test(name, async t =>
      bounded(t, 40 * MIB, async () => {
        const store = new MemoryStore<string>(documentBounds)
        await times(2_500, index => store.set(ascii(`${index}`.padStart(64, '0')), text(index)))
        return store
      }),
    )
  }
})
