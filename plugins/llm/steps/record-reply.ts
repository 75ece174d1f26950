/** Records, metrics and the ledger: what a call was, and what it cost. */
import type { ModelCall } from '../call/model-call.ts'
import type { CallServices } from '../call/services.ts'
import { countServed } from './count-served.ts'
import { endedCall, type Outcome } from './ended-call.ts'
import { countFault, noteFault } from './fault.ts'
import { recordOf } from './recording.ts'
import { describeSpan } from './span.ts'

/** Records the reply before it is sent, and counts it. */
export function recordReply(call: ModelCall, services: CallServices): boolean {
  const { streamed, instance, parsed } = call
  if (streamed?.breaksAfter !== undefined) noteFault(streamed.fault!, call)
  if (!call.isCounted) return true
  call.recorded = recordOf(call, call.whole?.rendered.status ?? 200)
  if (call.recorded !== null) services.records.add(call.recorded)
  countFault(call, services)
  if (call.recorded !== null && call.entry.isMetered && call.fault !== 'prompt_filter') {
    const { prompt_tokens: prompt, completion_tokens: completion } = call.recorded
    services.metrics.served(instance.name, parsed?.model ?? '', call.isStream, prompt, completion)
  }
  return true
}

/** The response has ended: the ledger and the metrics count it, and its buckets are paid. */
export function enterInLedger(call: ModelCall, { ledger, genAi }: CallServices, outcome: Outcome): void {
  const ended = endedCall(call, outcome)
  describeSpan(call, outcome, ended)
  genAi.ended(call, ended)
  if (call.load !== null) countServed(call, ended, outcome.reply === 'sent' ? call.result : null)
  settleLimits(call, ended.prompt_tokens, ended.completion_tokens)
  call.admission?.finish(ended.prompt_tokens, ended.completion_tokens)
  call.admission = null
  ledger.add(ended)
}

/** What is sent from now on says what is left after the call; the head of a stream is sent before, with what was left then. */
export function settleLimits(call: ModelCall, prompt: number, completion: number): void {
  if (call.admission !== null) call.rateLimits = call.admission.stateAfter(prompt, completion)
}

/** The request is not a call of the model: what was reserved is returned. */
export function returnReserved(call: ModelCall): void {
  call.admission?.finish(0, 0)
  if (call.load !== null) countServed(call, null, null)
}
