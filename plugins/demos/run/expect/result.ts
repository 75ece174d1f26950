/** What became of an expectation. */
import type { Verdict } from '../../file/demo.ts'
import type { RunContext } from '../context.ts'
import type { SentRequest } from '../sent.ts'
import type { Ledger } from './others.ts'

export interface ExpectationResult {
  kind: string
  verdict: Verdict
  /** In words. */
  expected: string
  /** In words, with numbers. */
  got: string
  why: string | null
  soft: boolean
  /** Ids of records in the inspector. */
  entries: string[]
}

export type Outcome = Pick<ExpectationResult, 'verdict' | 'expected' | 'got'> & { entries?: string[] }

/** What happened in a step, for its expectations. */
export interface StepEvidence {
  context: RunContext
  sent: readonly SentRequest[]
  /** When the step began to send, by the clock of the client. */
  startedAtMs: number
  /** The newest record of each session before the step; null: none. */
  marks: ReadonlyMap<string, string | null>
  /** The ledger of the upstream before the step; null: not asked. */
  ledgerBefore: Ledger | null
  /** Gets what a step captures. */
  capture(name: string, value: string): void
}
