/** The processors, which decide when neither a rule nor a header does. */
import type { Plan } from '../plan.ts'

export interface Processor {
  name: string
  summary: string
  /** The plan of one stream. */
  open(): Omit<Plan, 'by'>
}
