/** Implements `svc.budgets`. */
import type { AnyRequest } from '../../contract/http.ts'
import { MemoryPool, OutputBudget, Pacer, StepBudget } from '../../contract/budgets.ts'
import type { Budgets, SvcBudgets } from '../../contract/budgets.ts'
import { contextOf } from '../../http/request/context.ts'
import { WorkTurns } from './work-turns.ts'

/** A step is worth about 10 ns. */
const STEPS_PER_MS = 100_000

/** One for the process: large answers to all requests share its memory. */
export function createBudgets(budgets: Budgets): SvcBudgets {
  const turns = new WorkTurns(budgets.workMs * STEPS_PER_MS)
  const answers = new MemoryPool(budgets.unsentTotalBytes)
  const detachedOutput = (): OutputBudget => new OutputBudget(budgets.outputBytes, answers)
  return {
    ...budgets,
    detachedOutput,
    output(request: AnyRequest) {
      const context = contextOf(request)
      if (context.output === null) {
        context.output = detachedOutput()
        if (context.closed) context.output.release()
      }
      return context.output
    },
    evaluation: () => new StepBudget(budgets.steps, turns),
    turn: () => turns.forEvaluation(),
    pacer: () => new Pacer(budgets.workMs, () => turns.next()),
  }
}
