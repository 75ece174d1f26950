/** What the checks of models have in common. */
import { defineCheck, skip, type Check } from '../../catalog/check.ts'
import type { RequestSpec } from '../../client/request.ts'
import type { Action } from '../builders.ts'
import { chat } from './chat.ts'

type LlmCheck = Omit<Check, 'group' | 'since'>

/** Judges only what reached the upstream in its own format. */
export function llmCheck({ judge, when, ...check }: LlmCheck): Check {
  return defineCheck({
    ...check,
    group: 'llm',
    since: '2026.1',
    when: { ...when, judgesRefusal: true, http11: true },
    judge(evidence, facts, direct) {
      const [first] = evidence.calls
      if (evidence.calls.every(({ count }) => count === 0)) return skip(`not routed: ${first?.status ?? 'closed'}`)
      const isOther = evidence.calls.some(
        ({ arrival }) => arrival !== null && !arrival.target.includes('/chat/completions'),
      )
      if (isOther) return skip('the gateway speaks another format with the upstream')
      return judge(evidence, facts, direct)
    },
  })
}

/** A chat completion that is answered in a stream. */
export const stream = (label: string, script: () => Action[], more: Partial<RequestSpec> = {}): RequestSpec =>
  chat(label, { isStream: true, script, ...more })
