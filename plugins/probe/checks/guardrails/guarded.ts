/** What the checks of guardrails have in common: requests with the value that must be stopped, and whether it was. */
import type { Check, PairContext, Verdict } from '../../catalog/check.ts'
import type { Evidence } from '../../client/evidence.ts'
import {
  connectionOf,
  exchangeOf,
  replyStep,
  textOfReply,
  textOfRequest,
  type ModelCall,
} from '../../pairs/model-calls.ts'
import { modelsCheck, type Models, type ModelsCheck } from '../../pairs/models-check.ts'
import { emptyRequest } from '../../wires/neutral.ts'
import type { Part, Request } from '../../wires/types.ts'

export type GuardCheck = Omit<ModelsCheck, 'group' | 'reasonWithout' | 'plan' | 'judge'> & {
  calls(clients: Models['clients'], value: string, ask: string): readonly ModelCall[]
  judge(evidence: Evidence, clients: Models['clients'], value: string): Verdict
}

export function guardCheck({ calls, judge, when, ...rest }: GuardCheck): Check {
  return modelsCheck({
    ...rest,
    group: 'guardrails',
    when: { ...when, noDirect: true },
    plan: ({ clients, settings: { guardrails } }) => ({
      inOrder: true,
      connections: calls(clients, guardrails.value, guardrails.ask ?? '').map(one => connectionOf(one)),
    }),
    judge: (evidence, { clients, settings: { guardrails } }) => judge(evidence, clients, guardrails.value),
  })
}

export const textPart = (text: string): Part => ({ type: 'text', text })
export const QUESTION = 'Which number is on the form?'
const ANSWER_TEXT = 'The form has no number.'
export const ANSWER = replyStep({ text: ANSWER_TEXT })
/** A sentence with the value, in a prompt or a reply. */
export const withValue = (value: string): string => `The number on the form is ${value}, as it was written.`

export function question(text: string, more: Partial<Request> = {}): Request {
  return {
    ...emptyRequest(),
    turns: [{ role: 'user', parts: [textPart(text)] }],
    params: { max_tokens: 4_096 },
    ...more,
  }
}

/** A request without the value, which a gateway that guards forwards. */
export function cleanCall(context: PairContext): ModelCall {
  return { label: `clean ${context.pair.client.id}`, context, request: question(QUESTION), mode: 'plain', step: ANSWER }
}

/** A plain reply with the value. */
export function replyCall(context: PairContext, value: string): ModelCall {
  return {
    label: `reply ${context.pair.client.id}`,
    context,
    request: question(QUESTION),
    mode: 'plain',
    step: replyStep({ text: withValue(value) }),
  }
}

export function promptCall(context: PairContext, value: string): ModelCall {
  return {
    label: `prompt ${context.pair.client.id}`,
    context,
    request: question(withValue(value)),
    mode: 'plain',
    step: ANSWER,
  }
}

/** What became of the value on its way. `absent`: the way was not gone, for another reason. */
export type Fate = 'stopped' | 'masked' | 'passes' | 'absent'

/** Of a value in a request. */
export function fateInRequest(
  evidence: Evidence,
  { label, context, mode }: Pick<ModelCall, 'label' | 'context' | 'mode'>,
  value: string,
): Fate {
  const { arrivals } = exchangeOf(evidence, { label, context, mode })
  const request = arrivals.at(-1)?.request ?? null
  if (request === null) return 'stopped'
  return textOfRequest(request).includes(value) ? 'passes' : 'masked'
}

/** Of a value in a reply. */
export function fateInReply(
  evidence: Evidence,
  { label, context, mode }: Pick<ModelCall, 'label' | 'context' | 'mode'>,
  value: string,
): Fate {
  const { arrivals, received } = exchangeOf(evidence, { label, context, mode })
  if (arrivals.length === 0) return 'absent'
  const text = received?.reply == null ? null : textOfReply(received.reply)
  if (text === null) return 'stopped'
  if (text.includes(value)) return 'passes'
  return text === '' ? 'stopped' : 'masked'
}

export const isGuarded = (fate: Fate): boolean => fate === 'stopped' || fate === 'masked'

/** Whether the wire stops or masks the value in a prompt, and forwards requests without it. */
export function arePromptsGuarded(evidence: Evidence, context: PairContext, value: string): boolean {
  return isForwarded(evidence, context) && isGuarded(fateInRequest(evidence, promptCall(context, value), value))
}

/** Whether the wire stops or masks the value in a plain reply, and passes replies without it. */
export function areRepliesGuarded(evidence: Evidence, context: PairContext, value: string): boolean {
  const isOpen = fateInReply(evidence, cleanCall(context), ANSWER_TEXT) === 'passes'
  return isOpen && isGuarded(fateInReply(evidence, replyCall(context, value), value))
}

/** Whether a request without the value arrives. */
export function isForwarded(evidence: Evidence, context: PairContext): boolean {
  return fateInRequest(evidence, cleanCall(context), QUESTION) === 'passes'
}
