/** Amazon Comprehend's operations on personal data and toxicity (AWS JSON 1.1). */
import type { Json, JsonObject } from 'svc/plugin'
import { isRecord, jsonReply, RECORD } from 'svc/toolkit'
import { type Findings, highestSeverity } from '../findings.ts'
import { type GuardAnswer, type GuardCall, type GuardFacade, GuardProblem } from './facade.ts'

const TARGET = 'x-amz-target'
const PREFIX = 'Comprehend_20171127.'
const INVALID = 'InvalidRequestException'
const LANGUAGES = ['en', 'es']
/** Octets. */
const MAX_TEXT = 100_000
const MAX_SEGMENT = 1024
const MAX_SEGMENTS = 10
const SCORE = 0.9999
const LOWEST = 0.01
/** Severities are from 0 to this. */
const MAX_SEVERITY = 7

const TYPES: Readonly<Record<string, string>> = { CREDIT_CARD: 'CREDIT_DEBIT_NUMBER' }
/** The labels of toxicity, with the harm category that each is about. */
const LABELS: readonly (readonly [label: string, categories: readonly string[]])[] = [
  ['PROFANITY', []],
  ['HATE_SPEECH', ['Hate']],
  ['INSULT', []],
  ['GRAPHIC', []],
  ['HARASSMENT_OR_ABUSE', []],
  ['SEXUAL', ['Sexual']],
  ['VIOLENCE_OR_THREAT', ['Violence', 'SelfHarm']],
]

const refusal = (message: string, kind = INVALID): GuardProblem => new GuardProblem(message, { kind })

function answer(call: GuardCall): Promise<GuardAnswer> {
  const name = call.header(TARGET)?.slice(PREFIX.length) ?? ''
  const operation = call.header(TARGET)?.startsWith(PREFIX) && Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : null
  if (operation == null)
    throw refusal(
      `X-Amz-Target must be ${PREFIX} and one of ${Object.keys(OPERATIONS).join(', ')}`,
      'UnknownOperationException',
    )
  const { LanguageCode: language } = call.body
  if (typeof language !== 'string') throw refusal('LanguageCode is required')
  if (!LANGUAGES.includes(language))
    throw refusal(`LanguageCode must be one of ${LANGUAGES.join(', ')}`, 'UnsupportedLanguageException')
  return operation(call)
}

const OPERATIONS: Readonly<Record<string, (call: GuardCall) => Promise<GuardAnswer>>> = {
  async DetectPiiEntities(call) {
    const { entities } = await findings(call)
    const shown = entities.map(({ type, start, end }) => ({
      Score: SCORE,
      Type: typeOf(type),
      BeginOffset: start,
      EndOffset: end,
    }))
    call.output.takeJson(shown)
    return answerOf({ Entities: shown }, entities.length)
  },
  async ContainsPiiEntities(call) {
    const { entities } = await findings(call)
    const names = [...new Set(entities.map(({ type }) => typeOf(type)))]
    return answerOf({ Labels: names.map(Name => ({ Name, Score: SCORE })) }, entities.length)
  },
  async DetectToxicContent({ body, examine }) {
    const { TextSegments: segments } = body
    if (!Array.isArray(segments) || segments.length === 0 || segments.length > MAX_SEGMENTS)
      throw refusal(`TextSegments must have 1 to ${MAX_SEGMENTS} segments`)
    const texts = segments.map((segment, index) =>
      readText(
        isRecord(segment) ? (segment.Text as Json | undefined) : undefined,
        `TextSegments[${index}].Text`,
        MAX_SEGMENT,
      ),
    )
    const results = (await examine(texts)).map(toxicityOf)
    const flagged = results.some(({ Toxicity: toxicity }) => toxicity > LOWEST)
    return {
      body: { ResultList: results as unknown as Json },
      decision: flagged ? 'block' : 'allow',
      reason: flagged ? 'toxic content' : null,
    }
  },
}

async function findings({ body, examine }: GuardCall): Promise<Findings> {
  const [found] = await examine([readText(body.Text, 'Text', MAX_TEXT)])
  return found!
}

function readText(value: Json | undefined, name: string, max: number): string {
  if (typeof value !== 'string' || value === '') throw refusal(`${name} must be a non-empty string`)
  if (Buffer.byteLength(value) > max)
    throw refusal(`${name} has more than ${max} bytes`, 'TextSizeLimitExceededException')
  return value
}

function answerOf(body: JsonObject, count: number): GuardAnswer {
  return {
    body,
    decision: count > 0 ? 'redact' : 'allow',
    reason: count > 0 ? `personal data: ${count} entities` : null,
  }
}

function typeOf(type: string): string {
  return TYPES[type] ?? type
}

function toxicityOf({ harm }: Findings): { Labels: { Name: string; Score: number }[]; Toxicity: number } {
  const labels = LABELS.map(([name, categories]) => {
    const severity = Math.max(0, ...categories.map(category => highestSeverity(harm.get(category) ?? [])))
    return { Name: name, Score: severity === 0 ? LOWEST : severity / MAX_SEVERITY }
  })
  return { Labels: labels, Toxicity: Math.max(...labels.map(({ Score: score }) => score)) }
}

export const COMPREHEND: GuardFacade = {
  name: 'comprehend',
  title: 'Amazon Comprehend',
  type: 'application/x-amz-json-1.1',
  error: (status, message, kind) => ({
    __type: kind ?? (status >= 500 ? 'InternalServerException' : INVALID),
    Message: message,
  }),
  routes: [
    {
      path: '',
      summary: 'Find personal data or toxic content',
      example: {
        name: 'Personal data',
        headers: { 'X-Amz-Target': `${PREFIX}DetectPiiEntities` },
        body: { Text: 'Mail post@example.org', LanguageCode: 'en' },
      },
      reply: jsonReply(RECORD, 'ComprehendAnswer'),
      answer,
    },
  ],
}
