/** Portkey's webhook guardrail. */
import type { Json, JsonObject } from 'svc/plugin'
import { BOOLEAN, isRecord, jsonReply, object, RECORD } from 'svc/toolkit'
import { type GuardAnswer, type GuardCall, type GuardFacade, GuardProblem } from './facade.ts'
import { mapChoices, mapContent, mapMessages, masking, textsOf, summaryOf } from './texts.ts'

/** The member that says whether the texts may pass. */
const PASSES = 'verdict' // language: Portkey's name
const SIDES = { beforeRequestHook: 'request', afterRequestHook: 'response' } as const

async function answer({ body, examine, output }: GuardCall): Promise<GuardAnswer> {
  const { eventType: event = 'beforeRequestHook' } = body
  if (typeof event !== 'string' || !Object.hasOwn(SIDES, event))
    throw new GuardProblem(`eventType must be one of ${Object.keys(SIDES).join(', ')}`)
  const side = SIDES[event as keyof typeof SIDES]
  const given = body[side]
  if (!isRecord(given)) throw new GuardProblem(`${side} must be an object`)
  const { json, text } = given as JsonObject
  const texts = textsOf(map => mapJson(json, map))
  const findings = await examine(texts.length === 0 && typeof text === 'string' ? [text] : texts)
  const { flags, types, reason } = summaryOf(findings)
  const data = { flags, personal_data: types }
  if (flags.length > 0) return { decision: 'block', reason, body: { [PASSES]: false, data } }
  if (types.length === 0 || texts.length === 0)
    return { decision: 'allow', reason: null, body: { [PASSES]: true, data } }
  const masked = mapJson(json, masking(findings))!
  output.takeJson(masked)
  return { decision: 'redact', reason, body: { [PASSES]: true, data, transformedData: { [side]: { json: masked } } } }
}

/** The body of a call of a model, or its answer, with its texts replaced. */
function mapJson(json: Json | undefined, map: (text: string) => string): Json | undefined {
  if (!isRecord(json)) return undefined
  const given = json as JsonObject
  const { messages, choices, content, prompt, input } = given
  const lists = (value: Json | undefined): Json | undefined =>
    Array.isArray(value) && value.every(item => typeof item === 'string')
      ? value.map(item => map(item as string))
      : typeof value === 'string'
        ? map(value)
        : mapMessages(value, map)
  return {
    ...given,
    ...(messages === undefined ? {} : { messages: mapMessages(messages, map)! }),
    ...(choices === undefined ? {} : { choices: mapChoices(choices, map)! }),
    ...(content === undefined ? {} : { content: mapContent(content, map)! }),
    ...(prompt === undefined ? {} : { prompt: lists(prompt)! }),
    ...(input === undefined ? {} : { input: lists(input)! }),
  }
}

export const PORTKEY: GuardFacade = {
  name: 'portkey',
  title: "Portkey's webhook",
  error: (_status, message) => ({ error: message }),
  routes: [
    {
      path: '',
      summary: 'Check a request or a response',
      example: {
        name: 'Personal data',
        body: {
          eventType: 'beforeRequestHook',
          request: { json: { messages: [{ role: 'user', content: 'Mail post@example.org' }] }, text: '' },
          response: { json: {}, text: '' },
        },
      },
      reply: jsonReply(object({ [PASSES]: BOOLEAN, data: RECORD }, { transformedData: RECORD }), 'PortkeyGuard'),
      answer,
    },
  ],
}
