/** What a step of an evaluation is worth. Measures: processor time, compared with that of a loop at the same moment. */
import t from 'tap'
import { StepBudget } from '../../../core/contract/budgets.ts'
import type { Json } from '../../../core/contract/json.ts'
import { compileJsonPath } from '../../../core/toolkit/json-path.ts'
import { sharedPattern } from '../../../core/toolkit/linear-pattern.ts'
import { TextSearch } from '../../../core/toolkit/text-search.ts'
import { slowness } from '../../support/reference-loop.ts'

/** Measurements, the best of which counts: one may be interrupted. */
const RUNS = 5

const letters = (count: number): string =>
  Array.from({ length: count }, (_, index) => 'ab'[(Math.imul(index, 2_654_435_761) >>> 13) & 1]).join('')

/** Nanoseconds of processor time for each step, as they would be on the machine that the bound was set on. */
function nsPerStep(evaluate: (steps: StepBudget) => unknown): number {
  let best = Infinity
  for (let run = 0; run < RUNS; run++) {
    const slownessBefore = slowness()
    const steps = new StepBudget(1e12)
    const before = process.cpuUsage()
    evaluate(steps)
    const { user, system } = process.cpuUsage(before)
    const relative = (slownessBefore + slowness()) / 2
    best = Math.min(best, ((user + system) * 1000) / (1e12 - steps.left) / relative)
  }
  return best
}

t.test('a step is worth about 10 ns of processor time for the worst input known [EVAL-5]', async t => {
  const text = letters(4000)
  const same = 'a'.repeat(4000)
  const list: Json = [Array.from({ length: 2000 }, () => [1]), Array.from({ length: 2000 }, () => [1]), 1, 2]
  const unlimited = StepBudget.unlimited()
  const hard = sharedPattern('[ab]*a[ab]{450}[cd]', unlimited)!
  const classes = sharedPattern('\\pL*a\\pL{400}[0-9]', unlimited)!
  const search = new TextSearch(`${'a'.repeat(250)}b${'a'.repeat(250)}`)
  const query = compileJsonPath('$[?$[0]!=$[1]]', unlimited)
  const all = compileJsonPath('$..*', unlimited)
  const cases: [name: string, evaluate: (steps: StepBudget) => unknown][] = [
    ['many states', steps => hard.test(text, steps)],
    ['one letter', steps => hard.test(same, steps)],
    ['Unicode classes', steps => classes.test(same, steps)],
    ['search', steps => search.isIn('a'.repeat(100_000), steps)],
    ['comparison', steps => query.values(list, steps)],
    ['visits', steps => all.values(list, steps)],
  ]
  for (const [name, evaluate] of cases) {
    evaluate(new StepBudget(1e12))
    const ns = nsPerStep(evaluate)
    t.ok(ns < 30, `${name}: ${ns.toFixed(1)} ns for a step`)
  }
})
