/** What an operation runs with: its context, and the faults inside its answer. */
import type { FastifyRequest, OutputBudget } from 'svc/plugin'
import type { FaultPlan } from '../faults/plan.ts'
import type { Graph } from '../types.ts'

export interface Run {
  /** What resolvers get as context. */
  context: object
  /** Null: none. */
  faults: FaultPlan | null
  /** Whether the answer has a trace (`extensions.ftv1`). */
  isTraced: boolean
  /** Aborts when the client leaves. A function, because a signal costs more than a small operation. */
  signal(): AbortSignal | undefined
  /** What faults may add to an answer. */
  output(): OutputBudget
  maxDelayMs: number
  /** Whether the client takes an answer in parts: what `@defer` and `@stream` hold back comes later. */
  takesParts: boolean
  /** Fields that are resolved for one answer; infinite: they are not counted. */
  maxFields: number
  request: FastifyRequest
  /** Runs around the operation; undefined: it is executed. */
  around: Graph['around']
  /** Set by `around`: another status of the response over HTTP. */
  response: { status: number | null }
}
