/** The services that a gateway asked about a request: what each decided. */
import type { Entry } from '../protocol/http.ts'
import type { Tone } from './tags.ts'

const GOOD = ['allow', 'ok', 'pass', 'continue']
/** The request goes on after these, too. */
const CHANGED = ['mutate', 'redact']
const BAD = ['deny', 'over', 'block']

/** Color of a decision. */
export function decisionTone(decision: string): Tone {
  if (GOOD.includes(decision)) return 'good'
  return BAD.includes(decision) ? 'bad' : 'warn'
}

/** What became of the request that a call was about, if it did not arrive. */
export function missingText(decision: string): string {
  if (BAD.includes(decision)) return 'denied, nothing arrived'
  return [...GOOD, ...CHANGED].includes(decision) ? 'nothing arrived so far' : 'nothing arrived'
}

/** The calls with what the list of an arrival does not have: their reasons, if they are known. */
export function callsOf(
  entry: Entry,
  find: (id: string) => Entry | undefined,
): { name: string; policy: string | null; decision: string; reason: string | null; ms: number; id: string }[] {
  if (entry.service !== null) {
    const { name, policy, decision, reason } = entry.service
    return [{ name, policy, decision, reason, ms: entry.latency_ms, id: entry.id }]
  }
  return entry.services.map(call => ({ ...call, reason: find(call.id)?.service?.reason ?? null }))
}
