/** Judges the expectations of a step. */
import { isTooExpensive } from 'svc/plugin'
import type { Expectation, Traffic } from '../../file/demo.ts'
import { judgeAgent } from './agent.ts'
import { judgeArrivals, VerificationError } from './arrivals.ts'
import { judgeCompare } from './compare.ts'
import { judgeEvents } from './events.ts'
import { judgeCapture, judgeCost, judgeTokens, judgeVerified } from './others.ts'
import { judgeResponses } from './responses.ts'
import type { ExpectationResult, Outcome, StepEvidence } from './result.ts'

/**
 * Judges the expectations of a step at the same time, since most of it is waiting for what must not arrive. Comparisons send
 * requests, which the others must not count: they come last. Results have the order of the demo.
 */
export async function judgeAll(
  expectations: readonly Expectation[],
  evidence: StepEvidence,
  traffic: readonly Traffic[],
): Promise<ExpectationResult[]> {
  const sends = ({ test }: Expectation): boolean => test.kind === 'compare'
  const results = await Promise.all(expectations.map(one => (sends(one) ? null : judge(one, evidence, traffic))))
  for (const [index, one] of expectations.entries()) results[index] ??= await judge(one, evidence, traffic)
  return results as ExpectationResult[]
}

export async function judge(
  { test, why, soft }: Expectation,
  evidence: StepEvidence,
  traffic: readonly Traffic[],
): Promise<ExpectationResult> {
  const { verdict, expected, got, entries = [] } = await outcomeOf()
  return { kind: test.kind, verdict, expected, got, why, soft, entries }

  async function outcomeOf(): Promise<Outcome> {
    try {
      switch (test.kind) {
        case 'responses':
          return judgeResponses(test, evidence)
        case 'arrivals':
          return await judgeArrivals(test, evidence)
        case 'events':
          return judgeEvents(test, evidence)
        case 'tokens':
          return await judgeTokens(test, evidence)
        case 'cost':
          return await judgeCost(test, evidence)
        case 'agent':
          return await judgeAgent(test, evidence)
        case 'compare':
          return await judgeCompare(test, evidence, traffic)
        case 'capture':
          return judgeCapture(test, evidence)
        default:
          return await judgeVerified(test, evidence)
      }
    } catch (error) {
      if (isTooExpensive(error)) return { verdict: 'not-judged', expected: test.kind, got: 'too_expensive' }
      if (error instanceof VerificationError) return { verdict: 'not-judged', expected: test.kind, got: error.message }
      throw error
    }
  }
}
