/** Evaluation of conditions on many requests. */
import t from 'tap'
import { StepBudget } from '../../../core/contract/budgets.ts'
import { createBudgets } from '../../../core/host/svc/budgets.ts'
import { Evaluations } from '../../../core/inspector/evaluations.ts'
import { BUDGETS } from '../../support/budgets.ts'

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index)

t.test('others run between slices, and every item is visited in order [SEE-7]', async t => {
  const evaluations = new Evaluations(createBudgets({ ...BUDGETS, workMs: 1 }))
  const visited: number[] = []
  const turns: number[] = []
  const timer = setInterval(() => turns.push(visited.length), 1)
  await evaluations.run().each([1, 2, 3, 4, 5], item => {
    visited.push(item)
    const until = performance.now() + 5
    while (performance.now() < until);
  })
  clearInterval(timer)
  t.strictSame(visited, [1, 2, 3, 4, 5])
  t.ok(
    turns.some(count => count > 0 && count < 5),
    'a timer ran in between',
  )
})

t.test('runs take turns: only one of them works in a turn of the event loop [EVAL-3]', async t => {
  const evaluations = new Evaluations(createBudgets({ ...BUDGETS, workMs: 1 }))
  const worked: number[] = []
  let isOver = false
  const count = (): void => {
    if (isOver) return
    worked.push(0)
    setImmediate(count)
  }
  const runs = numbers(8).map(() =>
    evaluations.run().each(numbers(5), () => {
      worked[worked.length - 1]!++
      const until = performance.now() + 2
      while (performance.now() < until);
    }),
  )
  count()
  await Promise.all(runs)
  isOver = true
  t.equal(
    worked.reduce((sum, items) => sum + items, 0),
    40,
  )
  t.ok(Math.max(...worked) <= 2, `at most one run in a turn: ${worked.join(' ')}`)
})

t.test('an evaluation and a whole run are bounded [EVAL-3]', async t => {
  const evaluations = new Evaluations(createBudgets({ ...BUDGETS, steps: 10_000 }))
  await t.rejects(
    evaluations.run().each([1], (_item, steps) => steps.take(10_001)),
    { code: 'SVC_TOO_EXPENSIVE' },
  )
  let visits = 0
  await t.rejects(
    evaluations.run().each(numbers(1000), (_item, steps) => {
      visits++
      steps.take(10_000)
    }),
    { code: 'SVC_TOO_EXPENSIVE' },
  )
  t.equal(visits, 99)
  await t.resolves(
    evaluations.run().each(numbers(1000), (_item, steps) => steps.take(10)),
    'the budget is one of steps, not of items',
  )
})

t.test('a run ends when its client leaves [EVAL-3]', async t => {
  const evaluations = new Evaluations(createBudgets(BUDGETS))
  const left = new AbortController()
  let visits = 0
  await evaluations.run().each(
    numbers(100),
    () => {
      if (++visits === 3) left.abort()
    },
    left.signal,
  )
  t.equal(visits, 3)
})

t.test('evaluations of requests wait when others have used up the turn [EVAL-3]', async t => {
  const budgets = createBudgets({ ...BUDGETS, workMs: 1 })
  t.equal(budgets.turn(), null)
  budgets.evaluation().take(99_000)
  t.equal(budgets.turn(), null)
  budgets.evaluation().take(2000)
  const order: number[] = []
  const evaluate = async (number: number): Promise<void> => {
    await budgets.turn()
    order.push(number)
    setImmediate(() => order.push(-1))
    budgets.evaluation().take(200_000)
  }
  await Promise.all([evaluate(1), evaluate(2), evaluate(3)])
  t.strictSame(
    order.filter(number => number > 0),
    [1, 2, 3],
  )
  t.ok(order.indexOf(-1) < order.indexOf(2), 'each has a turn of its own')
  t.equal(new StepBudget(10).left, 10)
})
