/** Implements `svc.budgets`. */
import type { AnyRequest } from '../../contract/http.ts'
import { MemoryPool, OutputBudget, StepBudget, WorkTurns } from '../../contract/budgets.ts'
import type { Budgets, SvcBudgets } from '../../contract/budgets.ts'
import { contextOf } from '../../http/request/context.ts'

/** One for the process: large answers to all requests share its memory. */
export function createBudgets(budgets: Budgets): SvcBudgets {
  const answers = new MemoryPool(budgets.unsentTotalBytes)
  const turns = new WorkTurns(budgets.workMs)
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
    evaluation: () => new StepBudget(budgets.steps),
    turn: () => turns.next(),
  }
}
