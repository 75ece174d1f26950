/** LiteLLM's generic guardrail API. */
import type { Json, JsonObject } from 'svc/plugin'
import { isRecord, jsonReply, object, TEXT } from 'svc/toolkit'
import { flagsOf } from '../findings.ts'
import { type GuardAnswer, type GuardCall, type GuardFacade, GuardProblem } from './facade.ts'
import { mapMessages, maskedText, textsOf, summaryOf } from './texts.ts'

const PATH = '/beta/litellm_basic_guardrail_api'

async function answer({ body, examine, output }: GuardCall): Promise<GuardAnswer> {
  const { input_type: type, additional_provider_specific_params: given } = body
  if (type !== 'request' && type !== 'response') throw new GuardProblem('input_type must be request or response')
  const texts = textsIn(body)
  const findings = await examine([...texts, ...argumentsOf(body.tool_calls)])
  const { reason } = summaryOf(findings)
  const blocksPersonalData = isRecord(given) && given.pii === 'block'
  const isPersonal = findings.some(({ entities }) => entities.length > 0)
  if (findings.some(found => flagsOf(found).length > 0) || (blocksPersonalData && isPersonal))
    return { decision: 'block', reason, body: { action: 'BLOCKED', blocked_reason: reason } }
  // Of a tool call nothing can be replaced.
  const ofTexts = findings.slice(0, texts.length)
  if (!ofTexts.some(({ entities }) => entities.length > 0))
    return { decision: 'allow', reason: null, body: { action: 'NONE' } }
  const masked = ofTexts.map(maskedText)
  output.takeJson(masked)
  return { decision: 'redact', reason, body: { action: 'GUARDRAIL_INTERVENED', texts: masked } }
}

/** `texts`; without them, those of `structured_messages`. */
function textsIn({ texts, structured_messages: messages }: JsonObject): string[] {
  if (texts === undefined || texts === null) return textsOf(map => mapMessages(messages, map))
  if (!Array.isArray(texts) || !texts.every(text => typeof text === 'string'))
    throw new GuardProblem('texts must be a list of strings')
  return texts as string[]
}

function argumentsOf(calls: Json | undefined): string[] {
  if (!Array.isArray(calls)) return []
  return calls.flatMap(call => {
    const text = isRecord(call) && isRecord(call.function) ? call.function.arguments : undefined
    return typeof text === 'string' ? [text] : []
  })
}

export const LITELLM: GuardFacade = {
  name: 'litellm',
  title: "LiteLLM's generic guardrail API",
  error: (status, message) => ({ error: { message, type: 'guardrail_error', code: String(status) } }),
  routes: [
    {
      path: PATH,
      summary: 'Check the texts of a request or a response',
      example: { name: 'Blocked', body: { input_type: 'request', texts: ['a cheap bomb'], request_data: {} } },
      reply: jsonReply(
        object({ action: TEXT }, { blocked_reason: TEXT, texts: { type: 'array', items: TEXT } }),
        'LitellmGuard',
      ),
      answer,
    },
  ],
}
