/** Evaluates conditions on many requests without blocking others, however many ask for it. */
import { Pacer, StepBudget, type SvcBudgets } from '../contract/budgets.ts'
import { PendingFacts } from '../match/pending-facts.ts'

/** A run over many requests may take the steps of this many evaluations. */
const EVALUATIONS_PER_RUN = 100
/** Steps of reading a request. */
const REQUEST = 200

/** An evaluation, and what it waits for. */
interface Evaluation<T> {
  readonly item: T
  readonly steps: StepBudget
  read: Promise<void> | null
}

export type EvaluationBudgets = Pick<SvcBudgets, 'evaluation' | 'steps' | 'turn' | 'workMs'>

/** What a run over many requests may take, stored ones and those that come later. */
export class EvaluationRun {
  readonly #evaluations: Evaluations
  readonly #left: StepBudget

  constructor(evaluations: Evaluations, budget: StepBudget) {
    this.#evaluations = evaluations
    this.#left = budget
  }

  /**
   * Calls `visit` for each item with the budget of its evaluation, until the signal aborts; again, if it waits for facts
   * (`PendingFacts`), so it changes nothing before it has evaluated. Throws `TooExpensive` if one evaluation, or all of the run,
   * take too many steps.
   */
  async each<T>(items: Iterable<T>, visit: (item: T, steps: StepBudget) => void, signal?: AbortSignal): Promise<void> {
    const iterator = items[Symbol.iterator]()
    let waiting: Evaluation<T> | null = null
    for (let isDone = false; !isDone; ) {
      isDone = await this.#evaluations.inTurn(pacer => {
        do {
          let evaluation = waiting
          if (evaluation === null) {
            const next = iterator.next()
            if (next.done === true || signal?.aborted === true) return true
            evaluation = { item: next.value, steps: this.#evaluations.budget(), read: null }
          }
          waiting = this.#evaluate(evaluation, visit) ? null : evaluation
        } while (waiting === null && !pacer.isDue)
        return false
      })
      await (waiting as Evaluation<T> | null)?.read
    }
  }

  /** False if it has to be repeated after what it waits for. */
  #evaluate<T>(evaluation: Evaluation<T>, visit: (item: T, steps: StepBudget) => void): boolean {
    const { steps } = evaluation
    const before = steps.left
    try {
      visit(evaluation.item, steps)
      evaluation.read = null
    } catch (error) {
      if (!(error instanceof PendingFacts)) throw error
      evaluation.read = error.read
    }
    this.#left.take(REQUEST + before - steps.left)
    return evaluation.read === null
  }
}

/**
 * Runs take turns, of which each is short and the only one in its turn of the event loop: what other requests wait for does
 * not depend on the number of runs.
 */
export class Evaluations {
  readonly #budgets: EvaluationBudgets

  constructor(budgets: EvaluationBudgets) {
    this.#budgets = budgets
  }

  run(): EvaluationRun {
    return new EvaluationRun(this, new StepBudget(this.#budgets.steps * EVALUATIONS_PER_RUN))
  }

  budget(): StepBudget {
    return this.#budgets.evaluation()
  }

  /** Calls `work` when it is its turn; it must return when the pacer is due. */
  async inTurn<T>(work: (pacer: Pacer) => T): Promise<T> {
    const pacer = new Pacer(this.#budgets.workMs)
    await pacer.pause()
    await this.#budgets.turn()
    return work(pacer)
  }
}
