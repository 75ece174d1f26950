/** Rules as the control plane shows them. */
import type { JsonObject } from '../contract/json.ts'
import { isExhausted, nextStep, type RuleCount } from './counting.ts'
import type { RuleEntry } from './rule-entry.ts'

/** A rule with its state. `own` are the counters of the caller's session, `sum` those of all. */
export function viewRule(entry: RuleEntry, { sum, own }: { sum: RuleCount; own: RuleCount }): JsonObject {
  const { rule } = entry
  return {
    ...rule.asJson,
    scope: entry.session === null ? 'instance' : 'session',
    session: entry.session,
    source: entry.source,
    file: entry.file,
    line: entry.line,
    matches: sum.matches,
    hits: sum.hits,
    step: rule.isSequence ? nextStep(rule, own.hits) : null,
    state: !rule.isEnabled ? 'disabled' : isExhausted(rule, own.hits) ? 'exhausted' : 'active',
    last_hit_at: timeOf(sum.lastHitAt),
    created_at: timeOf(entry.createdAt),
    expires_at: timeOf(entry.expiresAt),
  }
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
