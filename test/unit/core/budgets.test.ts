/** Budgets: what multiplies is paid for before it is made. */
import t from 'tap'
import { MemoryPool, OutputBudget, Pacer, StepBudget } from '../../../core/contract/budgets.ts'
import { expandText, expandValue } from '../../../core/toolkit/references.ts'
import { createBudgets } from '../../../core/host/svc/budgets.ts'

const MIB = 1024 * 1024
const DEFAULTS = {
  outputBytes: 16 * MIB,
  steps: 5_000_000,
  unsentStreamBytes: MIB / 4,
  unsentClientBytes: 4 * MIB,
  unsentTotalBytes: 64 * MIB,
  http2Streams: 256,
  workMs: 20,
}

t.test('an answer takes at most its limit, and a refused step takes nothing', async t => {
  const output = new OutputBudget(100)
  output.take(60)
  t.throws(() => output.take(41), { code: 'SVC_OUTPUT_TOO_LARGE' })
  t.equal(output.left, 40)
  t.throws(() => output.take(NaN), { code: 'SVC_OUTPUT_TOO_LARGE' })
  output.take(40)
  t.equal(output.left, 0)
})

t.test('text of a JSON document counts as it is escaped', async t => {
  const output = new OutputBudget(100)
  output.takeText('"\u0001é')
  t.equal(output.used, 2 + 6 + 2)
})

t.test('large answers share memory, and give it back', async t => {
  const pool = new MemoryPool(MIB)
  const small = new OutputBudget(16 * MIB, pool)
  small.take(60_000)
  t.equal(pool.used, 0, 'ordinary answers need none')
  const large = new OutputBudget(16 * MIB, pool)
  large.take(800_000)
  t.equal(pool.used, 800_000)
  const third = new OutputBudget(16 * MIB, pool)
  t.throws(() => third.take(300_000), { code: 'SVC_OUTPUT_UNAVAILABLE' })
  t.equal(third.used, 0)
  large.release()
  large.release()
  t.equal(pool.used, 0)
  third.take(300_000)
  t.equal(pool.used, 300_000)
})

t.test('references are paid for before they are inserted', async t => {
  const text = 'x'.repeat(100_000)
  const template = '{{prompt}}'.repeat(1000)
  t.throws(() => expandText(template, () => text, new OutputBudget(MIB)), { code: 'SVC_OUTPUT_TOO_LARGE' })
  t.throws(() => expandValue(Array(1000).fill('{{prompt}}'), () => text, new OutputBudget(MIB)), {
    code: 'SVC_OUTPUT_TOO_LARGE',
  })
  t.throws(() => expandValue([template], () => text, new OutputBudget(MIB)), { code: 'SVC_OUTPUT_TOO_LARGE' })
  const output = new OutputBudget(MIB)
  t.equal(
    expandText('a {{ b }} {{}} c{{d}}', reference => (reference === 'b' ? 'B' : undefined), output),
    'a B {{}} c',
  )
  t.equal(output.used, 10)
})

t.test('steps are used up once and for all', async t => {
  const steps = new StepBudget(10)
  steps.take(10)
  t.notOk(steps.isUsedUp)
  t.throws(() => steps.take(1), { code: 'SVC_TOO_EXPENSIVE' })
  t.ok(steps.isUsedUp)
  t.throws(() => steps.take(0), { code: 'SVC_TOO_EXPENSIVE' })
})

t.test('a pacer lets others run', async t => {
  const pacer = new Pacer(0)
  let ran = false
  setImmediate(() => (ran = true))
  t.ok(pacer.isDue)
  await pacer.pause()
  t.ok(ran)
})

t.test('an answer that nobody reads is ended for another one [UNSENT-4]', async t => {
  let unread: OutputBudget | null = null
  const budgets = createBudgets(
    { ...DEFAULTS, outputBytes: MIB, unsentTotalBytes: MIB },
    {
      endSlowest: () => {
        unread?.release()
        return unread !== null
      },
    },
  )
  const first = budgets.detachedOutput()
  first.take(800_000)
  const second = budgets.detachedOutput()
  t.throws(() => second.take(800_000), { code: 'SVC_OUTPUT_UNAVAILABLE' })
  unread = first
  second.take(800_000)
  t.equal(second.used, 800_000)
})
