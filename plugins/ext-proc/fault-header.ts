/** The header `X-Svc-Proc` of the checked request: what the client of a gateway asks the processor to do. */
import { type Phase, PHASES } from './phase.ts'

export const PROC_HEADER = 'X-Svc-Proc'
/** For messages, behind the names of the processors. */
export const FAULT_VALUES =
  'immediate:<status>, slow:<ms>[@phase], hang[@phase], error[@phase], close[@phase], wrong-phase, twice, grow:<bytes>, bad-header, more-time:<ms>'

export type ProcFault =
  /** In place of the processor. */
  | { kind: 'immediate'; status: number }
  | { kind: 'grow'; bytes: number }
  | { kind: 'bad-header' }
  /** Besides the processor. `phase` null: the first message. */
  | { kind: 'slow'; ms: number; phase: Phase | null }
  | { kind: 'hang' | 'error' | 'close'; phase: Phase | null }
  | { kind: 'wrong-phase' | 'twice' }
  | { kind: 'more-time'; ms: number }

/** Null for any other value; `maxGrow` are bytes. */
export function parseFault(text: string, maxGrow: number): ProcFault | null {
  const [, word, value, at] = /^([a-z-]+)(?::(\d{1,9}))?(?:@([a-z_]+))?$/.exec(text.trim()) ?? []
  if (word === undefined) return null
  const number = value === undefined ? null : Number(value)
  const phase = PHASES.find(one => one === at) ?? null
  if (at !== undefined && phase === null) return null
  switch (word) {
    case 'slow':
      return number === null ? null : { kind: word, ms: number, phase }
    case 'hang':
    case 'error':
    case 'close':
      return number === null ? { kind: word, phase } : null
  }
  if (phase !== null) return null
  switch (word) {
    case 'immediate':
      return number !== null && number >= 200 && number <= 599 ? { kind: word, status: number } : null
    case 'grow':
      return number !== null && number >= 1 && number <= maxGrow ? { kind: word, bytes: number } : null
    case 'more-time':
      return number !== null && number >= 1 ? { kind: word, ms: number } : null
    case 'bad-header':
    case 'wrong-phase':
    case 'twice':
      return number === null ? { kind: word } : null
    default:
      return null
  }
}
