/** The results of a batch: when there are some, and how many of its items the plan makes fail. */
import t from 'tap'
import { DEFAULT_PLAN } from '../../../plugins/llm/state/batch-plan.ts'
import type { ItemResult, ResultFormat } from '../../../plugins/llm/state/batch-results.ts'
import { BatchStore, type Batch } from '../../../plugins/llm/state/batches.ts'
import type { RouteInput } from '../../../plugins/llm/types.ts'
import { pluginState } from '../../support/plugin-state.ts'

const TOTAL = 10
const input = {
  runItem: () => Promise.resolve({ status: 200, body: {}, requestId: 'r' }),
} as unknown as RouteInput

async function resultsOf(errors: number, { id = 'b', after = DEFAULT_PLAN.ms } = {}): Promise<ItemResult[] | null> {
  const store = new BatchStore(pluginState({ publicMode: false }).svc, 1000, { maxBytes: 1_000_000 })
  const plan = { ...DEFAULT_PLAN, errors }
  const owner = { provider: 'openai', session: 's' }
  const batch: Batch = await store.create(owner, { id, plan, total: TOTAL, isInvalid: false, data: {} })
  const items = Array.from({ length: TOTAL }, () => ({ path: '/x', body: {} }))
  let seen: ItemResult[] | null = null
  const results: ItemResult[] = []
  const format: ResultFormat = {
    lineOf(result) {
      results.push(result)
      return { file: 'output', value: result }
    },
    finish() {
      seen = results
      return Promise.resolve({})
    },
  }
  const shown = await store.withResults(batch, input, () => Promise.resolve(items), format, batch.createdAt + after)
  t.equal(shown.results === null, seen === null)
  return seen
}

t.test('a batch has results exactly when the state that is shown has ended [LLMN-163]', async t => {
  t.equal(await resultsOf(0, { after: DEFAULT_PLAN.ms - 1 }), null)
  t.equal((await resultsOf(0))?.length, TOTAL)
})

t.test('errors=p is exactly that percentage, of other items in each batch [LLMN-163]', async t => {
  const failing = async (errors: number, id: string): Promise<number[]> =>
    ((await resultsOf(errors, { id })) ?? []).filter(({ kind }) => kind === 'failed').map(({ index }) => index)
  for (const errors of [0, 10, 20, 50, 100])
    for (const id of ['one', 'two', 'three', 'four'])
      t.equal((await failing(errors, id)).length, (TOTAL * errors) / 100, `${errors} percent of ${id}`)
  t.same(await failing(30, 'one'), await failing(30, 'one'))
  t.notSame(await failing(30, 'one'), await failing(30, 'three'))
})
