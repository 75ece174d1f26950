/** The result of a call: the reply that the request or a rule names, or else that of the engine. */
import type { FixedReply, ModelCall } from '../call/model-call.ts'
import type { CallServices } from '../call/services.ts'
import type { Parsed, ResultOf } from '../contract/parsed.ts'
import { NO_LATENCY, readLatency } from '../streaming/pace.ts'
import { replyOfRule } from './apply-rules.ts'
import { withAudio } from './audio-tokens.ts'
import { compute } from './compute.ts'
import { noteFault, requestedFilter } from './fault.ts'

/** An exact reply comes before that of a rule. */
export function useFixedReply(call: ModelCall, services: CallServices): boolean | Promise<boolean> {
  const { exact, ruleOutcome, requestedFault } = call
  call.breaking = requestedFault
  // What the request asks for acts from here on, whatever replies.
  if (requestedFault !== null && requestedFilter(call) !== null) noteFault(requestedFault, call)
  if (exact !== null) return use(exact, call, services)
  if (ruleOutcome?.kind !== 'reply') return true
  return replyOfRule(ruleOutcome, call, call.parsed!).then(fixed => fixed === null || use(fixed, call, services))
}

function use({ result, pace, shape, fault }: FixedReply, call: ModelCall, { svc }: CallServices): boolean {
  const { instance, headers, latency } = call
  call.result = result
  call.paceOfReply = pace
  call.shapeOfReply = shape
  call.breaking ??= fault
  if (latency !== NO_LATENCY)
    call.latency = readLatency(headers, { ...instance.latency, ...pace }, svc.config.maxDelayMs)
  return true
}

/** Throws `ProviderError` for an unknown model, `RuleFault`, and what the budget of the answer throws. */
export function computeReply(call: ModelCall, { svc, limits, rules }: CallServices): boolean | Promise<boolean> {
  if (call.result !== null) return true
  const { instance, output } = call
  const computing = compute(call.parsed!, {
    instance,
    limits,
    rules,
    steps: svc.budgets.evaluation(),
    modeHeader: call.header('x-svc-mode'),
    filtered: requestedFilter(call) ?? undefined,
    output,
  })
  return computing instanceof Promise ? computing.then(result => accept(call, result)) : accept(call, computing)
}

function accept(call: ModelCall, result: ResultOf<Parsed>): boolean {
  call.result = result
  return true
}

/** A spoken reply has audio tokens. */
export function addAudioTokens(call: ModelCall): boolean {
  call.result = withAudio(call.parsed!, call.result!)
  return true
}
