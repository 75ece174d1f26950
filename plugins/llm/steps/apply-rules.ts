/** Applies the rules that are stored on the instance to a call: failures and replies in the provider's format. */
import type { MessageRule, ProtocolFacts, RuleMessage, RuleOutcome } from 'svc/plugin'
import type { MatchFacts } from 'svc/toolkit'
import type { FixedReply, ModelCall } from '../call/model-call.ts'
import type { CallServices } from '../call/services.ts'
import { ProviderError } from '../contract/errors.ts'
import type { Parsed } from '../contract/parsed.ts'
import type { ErrorKind } from '../contract/provider.ts'
import { exactDetails, type FaultParser } from '../headers/faults.ts'
import { factsOf, handledFacts } from '../testing/protocol.ts'
import { chatResultOf, fits, readReply } from '../testing/reply.ts'
import { embedResultOf } from '../testing/reply-vectors.ts'
import { LLM_STEP, type LlmStep } from '../testing/llm-step.ts'
import { countFault } from './fault.ts'
import { idsOf } from '../validation/violations.ts'
import { violationsOf } from './validate.ts'

/**
 * Applies the rules that are stored on the instance. A requested fault takes precedence over them. False: a rule has
 * answered. Throws the failure of a rule.
 */
export function applyRules(call: ModelCall, services: CallServices): boolean | Promise<boolean> {
  if (call.entry.rules === 'message' && !services.messageSteps.areNone) return applyMessageStep(call, services)
  return applyStored(call, services)
}

/** The step of a message that somebody knows, or the rules that are stored. */
async function applyMessageStep(call: ModelCall, services: CallServices): Promise<boolean> {
  const text = await textOfMessage(call)
  const found = text === null ? null : await services.messageSteps.find(text, call.request)
  if (found === null) return applyStored(call, services)
  call.inner!.isCounted = false
  if (found.close !== null) {
    // What follows is sent to a socket that is closed.
    call.recipient!.close?.(found.close.code, found.close.reason)
    return true
  }
  if (found.step === null) return true
  const { svc, request } = call
  const outcome = await svc.http.applyRulesToMessage(
    request,
    { ...messageOf(call)!, step: found.step },
    factsFor(call, services),
  )
  return outcome === null || act(outcome, call, services)
}

/** The texts of the conversation; null: the route reports what is wrong with the message. */
async function textOfMessage(call: ModelCall): Promise<string | null> {
  try {
    const parsed = await call.parse()
    return parsed.op === 'chat' ? JSON.stringify(parsed.request.messages) : null
  } catch {
    return null
  }
}

function applyStored(call: ModelCall, services: CallServices): boolean | Promise<boolean> {
  if (call.requestedFault !== null) return true
  const { svc, request, reply } = call
  const facts = factsFor(call, services)
  const message = messageOf(call)
  const applying =
    message === null
      ? svc.http.applyRules(request, reply, facts)
      : svc.http.applyRulesToMessage(request, message, facts)
  return applying === null || applying.then(outcome => act(outcome, call, services))
}

/** The call as conditions of rules see it, if it is within the request; null for the request. */
export function messageOf({ url, body, entry }: ModelCall): RuleMessage | null {
  return entry.rules === 'request' ? null : { method: 'POST', url, body, canAbort: entry.rules === 'message' }
}

async function act(outcome: RuleOutcome | MessageRule, call: ModelCall, services: CallServices): Promise<boolean> {
  if (outcome.kind === 'answered') return false
  call.ruleOutcome = outcome
  call.rule = outcome.rule
  if (outcome.kind === 'fail') throw failureOfRule(outcome, services.faults)
  useLlmStep(call, outcome)
  if (call.entry.rules === 'message' && 'delayMs' in outcome && outcome.delayMs > 0)
    await call.recipient!.wait(outcome.delayMs)
  if (outcome.kind === 'abort') {
    call.fault = 'abort'
    call.faultSource = `rule ${outcome.rule}`
    countFault(call, services)
    call.recipient!.abort()
  }
  return true
}

/** What the key `llm` of the rule says. */
function useLlmStep(call: ModelCall, outcome: RuleOutcome | MessageRule): void {
  for (const { name, value } of ('also' in outcome && outcome.also) || []) {
    if (name !== LLM_STEP) continue
    const { strictness, shape } = value as LlmStep
    if (strictness !== null) call.strictnessOfRule = strictness
    if (shape !== null) call.shapeOfRule = shape
  }
}

function factsFor(call: ModelCall, services: CallServices): ProtocolFacts {
  const read = async (): Promise<Parsed | null> => {
    try {
      return call.route.parse === undefined ? handledFacts(call.route, call.query) : await call.parse()
    } catch {
      // The route reports what is wrong with the request, unless a rule acts on it.
      return null
    }
  }
  return {
    protocol: 'llm',
    read: async (): Promise<readonly MatchFacts[]> => [
      factsOf(call, await read(), () => idsOf(violationsOf(call, services))),
    ],
    steps: [LLM_STEP],
    async takesReply(step) {
      const parsed = await read()
      return parsed !== null && fits(readReply(step, ''), parsed.op)
    },
  }
}

/** The failure in the provider's format: of a kind, or with a status. */
function failureOfRule(
  { rule, status, word, message, type, code, retryAfterSecs }: Extract<RuleOutcome, { kind: 'fail' }>,
  faults: FaultParser,
): ProviderError {
  const fault = faults.parse(word ?? String(status))
  return new ProviderError((fault?.kind ?? 'server_error') as ErrorKind, {
    injected: fault?.label ?? 'server_error',
    source: `rule ${rule}`,
    ...(word !== null && fault?.status === undefined ? {} : { status: fault?.status ?? status }),
    ...(fault === null ? {} : exactDetails(fault)),
    ...(message === null ? {} : { message, isExact: true as const }),
    ...(type === null ? {} : { type }),
    ...(code === null ? {} : { code }),
    ...(retryAfterSecs === null ? {} : { retryAfterSecs }),
  })
}

/** The reply of a rule; null if it does not fit the request. */
export async function replyOfRule(
  { rule, reply, lookUp }: Extract<RuleOutcome, { kind: 'reply' }>,
  { output, ignore }: ModelCall,
  parsed: Parsed,
): Promise<FixedReply | null> {
  const fixed = readReply(reply, '')
  const own = { pace: {}, shape: null, fault: null }
  if (fixed.kind === 'embedding')
    return parsed.op === 'embed'
      ? { ...own, result: embedResultOf(fixed.vectors, parsed, { mode: 'rule', output }) }
      : null
  if (fixed.kind === 'count')
    return parsed.op === 'count' ? { ...own, result: { op: 'count', promptTokens: fixed.tokens } } : null
  if (parsed.op !== 'chat') return null
  return {
    result: await chatResultOf(fixed, parsed, { lookUp, output, ignore }),
    pace: fixed.stream,
    shape: fixed.shape,
    fault: fixed.break && { ...fixed.break, source: `rule ${rule}` },
  }
}
