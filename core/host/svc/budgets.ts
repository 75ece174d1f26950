/** Implements `svc.budgets`. */
import type { AnyRequest } from '../../contract/http.ts'
import {
  MemoryPool,
  OutputBudget,
  StepBudget,
  type Budgets,
  type SharedMemory,
  type SvcBudgets,
} from '../../contract/budgets.ts'
import { contextOf } from '../../http/request/context.ts'
import { EvaluationTurns } from './evaluation-turns.ts'
import type { UnsentMemory } from '../../limits/unsent-memory.ts'

/** A step is worth about 10 ns. */
const STEPS_PER_MS = 100_000

/**
 * One for the process: large answers to all requests share its memory. If it is used up, an answer that nobody reads is
 * ended for others.
 */
export function createBudgets(budgets: Budgets, unsent?: Pick<UnsentMemory, 'endSlowest'>): SvcBudgets {
  const turns = new EvaluationTurns(budgets.workMs * STEPS_PER_MS)
  const pool = new MemoryPool(budgets.unsentTotalBytes)
  const answers: SharedMemory = {
    size: pool.size,
    take: bytes => pool.take(bytes) || (unsent?.endSlowest() === true && pool.take(bytes)),
    give: bytes => pool.give(bytes),
  }
  const detachedOutput = (limit = budgets.outputBytes): OutputBudget => new OutputBudget(limit, answers)
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
    turn: () => turns.turn(),
  }
}
