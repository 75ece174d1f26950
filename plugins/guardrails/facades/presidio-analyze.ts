/** Presidio's analyzer: `/analyze` and its lists. */
import type { Json, JsonObject } from 'svc/plugin'
import { jsonReply, list, textReply } from 'svc/toolkit'
import type { Findings } from '../findings.ts'
import { type GuardAnswer, type GuardCall, GuardProblem, type GuardRoute } from './facade.ts'

/** Names and scores of the types of personal data; other types keep their name. */
const TYPES: Readonly<Record<string, { name: string; score: number }>> = {
  EMAIL: { name: 'EMAIL_ADDRESS', score: 1 },
  PHONE: { name: 'PHONE_NUMBER', score: 0.75 },
  CREDIT_CARD: { name: 'CREDIT_CARD', score: 1 },
  SSN: { name: 'US_SSN', score: 0.85 },
  IP_ADDRESS: { name: 'IP_ADDRESS', score: 0.95 },
}
const OTHER_SCORE = 0.5
const LANGUAGE = 'en'

/** The service answers so with 500. */
const ofService = (message: string): GuardProblem => new GuardProblem(message, { status: 500 })

interface Options {
  entities: readonly string[] | null
  threshold: number
  allowed: readonly string[]
  explains: boolean
}

async function analyze({ body, examine, output }: GuardCall): Promise<GuardAnswer> {
  const { text, language } = body
  const isList = Array.isArray(text)
  const texts = isList ? text : [text]
  if (texts.length === 0 || !texts.every(one => typeof one === 'string' && one !== ''))
    throw ofService('No text provided')
  if (typeof language !== 'string' || language === '') throw ofService('No language provided')
  const options = optionsOf(body)
  const known = Object.values(TYPES).map(({ name }) => name)
  const findings = await examine(texts as string[])
  const found = new Set([...known, ...findings.flatMap(({ entities }) => entities.map(({ type }) => nameOf(type)))])
  if (language !== LANGUAGE || (options.entities !== null && !options.entities.some(name => found.has(name))))
    throw ofService('No matching recognizers were found to serve the request.')
  const results = findings.map(one => {
    const result = resultsOf(one, options)
    output.takeJson(result)
    return result
  })
  const count = results.reduce((sum, result) => sum + result.length, 0)
  return {
    decision: count > 0 ? 'redact' : 'allow',
    reason: count > 0 ? `personal data: ${count} results` : null,
    body: isList ? results : results[0]!,
  }
}

function optionsOf({
  entities,
  score_threshold: threshold,
  allow_list: allowed,
  return_decision_process: explains,
}: JsonObject): Options {
  const names = namesOf(entities, 'entities')
  if (threshold !== undefined && threshold !== null && typeof threshold !== 'number')
    throw new GuardProblem('score_threshold must be a number')
  return {
    entities: names.length === 0 ? null : names,
    threshold: threshold ?? 0,
    allowed: namesOf(allowed, 'allow_list'),
    explains: explains === true,
  }
}

function namesOf(value: Json | undefined, name: string): string[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value) || !value.every(item => typeof item === 'string'))
    throw new GuardProblem(`${name} must be a list of strings`)
  return value as string[]
}

function nameOf(type: string): string {
  return TYPES[type]?.name ?? type
}

function resultsOf({ entities }: Findings, { entities: wanted, threshold, allowed, explains }: Options): JsonObject[] {
  const allowedTexts = new Set(allowed)
  return entities.flatMap(({ type, text, start, end }) => {
    const { name, score } = TYPES[type] ?? { name: type, score: OTHER_SCORE }
    if ((wanted !== null && !wanted.includes(name)) || score < threshold || allowedTexts.has(text)) return []
    const explanation = explains
      ? { recognizer: 'SvcRecognizer', original_score: score, score, textual_explanation: 'a fixed pattern' }
      : null
    return [{ analysis_explanation: explanation, end, entity_type: name, score, start }]
  })
}

export const ANALYZER_ROUTES: readonly GuardRoute[] = [
  {
    path: '/analyze',
    summary: 'Find personal data in a text or several',
    example: { name: 'A text', body: { text: 'Mail post@example.org', language: LANGUAGE } },
    reply: jsonReply(list(), 'PresidioResults'),
    errors: { 500: { description: 'No text, no language, or no recognizer for the entities, as the service answers' } },
    answer: analyze,
  },
  {
    method: 'GET',
    path: '/supportedentities',
    summary: 'List the types of personal data',
    reply: jsonReply(list(), 'PresidioEntities'),
    answer: () => plain(Object.values(TYPES).map(({ name }) => name)),
  },
  {
    method: 'GET',
    path: '/recognizers',
    summary: 'List the recognizers',
    reply: jsonReply(list(), 'PresidioRecognizers'),
    answer: () => plain(['SvcRecognizer']),
  },
  {
    method: 'GET',
    path: '/health',
    summary: 'The health of the service',
    reply: textReply('text/plain'),
    answer: () => plain('Presidio Analyzer service is up'),
  },
]

/** An answer that decides nothing. */
export function plain(body: Json): GuardAnswer {
  return { body, decision: 'allow', reason: null }
}
