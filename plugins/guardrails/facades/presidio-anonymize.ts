/** Presidio's anonymizer: replaces what an analyzer has found. */
import { createHash } from 'node:crypto'
import type { Json, JsonObject } from 'svc/plugin'
import { isRecord, jsonReply, list, object, TEXT } from 'svc/toolkit'
import { codePointLength, unitIndex } from '../code-points.ts'
import { type GuardAnswer, type GuardCall, GuardProblem, type GuardRoute } from './facade.ts'
import { plain } from './presidio-analyze.ts'

/** Makes the text in place of another. */
type Operator = (text: string, type: string) => string

interface Result {
  /** Code points. */
  start: number
  end: number
  type: string
  score: number
}

const OPERATORS = ['replace', 'redact', 'mask', 'hash', 'keep']
const HASHES = ['sha256', 'sha512']
const DEFAULT = 'DEFAULT'

/** Parameters that the service refuses. */
const invalid = (message: string): GuardProblem => new GuardProblem(message, { status: 422 })

function anonymize({ body, output }: GuardCall): GuardAnswer {
  const { text } = body
  if (typeof text !== 'string') throw invalid('Invalid input, text is required')
  const operators = operatorsOf(body.anonymizers)
  const results = withoutOverlaps(resultsOf(body.analyzer_results, codePointLength(text)))
  const toUnit = unitIndex(text)
  const items: JsonObject[] = []
  let anonymized = ''
  let points = 0
  let at = 0
  for (const { start, end, type } of results) {
    const { name, operator } = operators.get(type) ?? operators.get(DEFAULT)!
    const from = toUnit(start)
    const to = toUnit(end)
    const replacement = operator(text.slice(from, to), type)
    const before = text.slice(at, from)
    output.takeText(before)
    output.takeJson({ item: type, name, replacement, again: replacement })
    points += codePointLength(before)
    const length = codePointLength(replacement)
    items.push({ start: points, end: points + length, entity_type: type, text: replacement, operator: name })
    points += length
    anonymized += before + replacement
    at = to
  }
  return {
    decision: items.length > 0 ? 'redact' : 'allow',
    reason: items.length > 0 ? `anonymized: ${items.length} items` : null,
    body: { text: anonymized + text.slice(at), items: items.reverse() },
  }
}

function resultsOf(value: Json | undefined, length: number): Result[] {
  if (!Array.isArray(value)) throw invalid('Invalid input, analyzer_results must be a list')
  return value.map((item, index): Result => {
    const { start, end, entity_type: type, score = 1 } = isRecord(item) ? (item as JsonObject) : {}
    const isPlace = Number.isInteger(start) && Number.isInteger(end)
    if (!isPlace || typeof type !== 'string' || typeof score !== 'number')
      throw invalid(`Invalid input, analyzer_results[${index}] needs start, end, entity_type and score`)
    const [from, to] = [start as number, end as number]
    if (from < 0 || to < from || to > length)
      throw invalid(`Invalid analyzer result, start: ${from} and end: ${to}, while the text has ${length} characters`)
    return { start: from, end: to, type, score }
  })
}

/** In order; of results that overlap, the one with the higher score stays, else the longer one, else the first. */
function withoutOverlaps(results: readonly Result[]): Result[] {
  const kept: Result[] = []
  const inOrder = results.toSorted((a, b) => a.start - b.start)
  for (const result of inOrder) {
    const last = kept.at(-1)
    if (last === undefined || result.start >= last.end) kept.push(result)
    else if (
      result.score > last.score ||
      (result.score === last.score && result.end - result.start > last.end - last.start)
    )
      kept[kept.length - 1] = result
  }
  return kept
}

function operatorsOf(value: Json | undefined): Map<string, { name: string; operator: Operator }> {
  if (value !== undefined && value !== null && !isRecord(value))
    throw invalid('Invalid input, anonymizers must be an object')
  const operators = new Map([[DEFAULT, operatorOf({ type: 'replace' })]])
  for (const [type, given] of Object.entries((value ?? {}) as JsonObject)) {
    if (!isRecord(given)) throw invalid(`Invalid input, anonymizers.${type} must be an object`)
    operators.set(type, operatorOf(given as JsonObject))
  }
  return operators
}

function operatorOf(given: JsonObject): { name: string; operator: Operator } {
  const name = given.type ?? 'replace'
  switch (name) {
    case 'replace': {
      const text = optionalText(given, 'new_value')
      return { name, operator: (_text, type) => text ?? `<${type}>` }
    }
    case 'redact':
      return { name, operator: () => '' }
    case 'keep':
      return { name, operator: text => text }
    case 'mask':
      return { name, operator: maskOf(given) }
    case 'hash': {
      const algorithm = optionalText(given, 'hash_type') ?? HASHES[0]!
      if (!HASHES.includes(algorithm)) throw invalid(`Invalid parameter, hash_type must be one of ${HASHES.join(', ')}`)
      const salt = optionalText(given, 'salt') ?? ''
      return {
        name,
        operator: text =>
          createHash(algorithm)
            .update(salt + text)
            .digest('hex'),
      }
    }
    default:
      throw invalid(`Invalid operator class '${String(name).slice(0, 100)}', expected one of ${OPERATORS.join(', ')}`)
  }
}

function maskOf(given: JsonObject): Operator {
  const { chars_to_mask: count, from_end: fromEnd } = given
  const character = optionalText(given, 'masking_char')
  if (character === undefined || codePointLength(character) !== 1)
    throw invalid('Invalid parameter, masking_char must be a character')
  if (!Number.isInteger(count)) throw invalid('Invalid parameter, chars_to_mask must be an integer')
  if (typeof fromEnd !== 'boolean') throw invalid('Invalid parameter, from_end must be a boolean')
  return text => {
    const characters = Array.from(text)
    const masked = Math.max(0, Math.min(characters.length, count as number))
    const isMasked = (index: number): boolean => (fromEnd ? index >= characters.length - masked : index < masked)
    return characters.map((one, index) => (isMasked(index) ? character : one)).join('')
  }
}

function optionalText(given: JsonObject, name: string): string | undefined {
  const value = given[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw invalid(`Invalid parameter value for ${name}. Expecting a string`)
  return value
}

export const ANONYMIZER_ROUTES: readonly GuardRoute[] = [
  {
    path: '/anonymize',
    summary: 'Replace what an analyzer has found in a text',
    example: {
      name: 'A text',
      body: {
        text: 'Mail post@example.org',
        analyzer_results: [{ start: 5, end: 21, entity_type: 'EMAIL_ADDRESS', score: 1 }],
      },
    },
    reply: jsonReply(object({ text: TEXT, items: list() }), 'PresidioAnonymized'),
    errors: { 422: { description: 'A result or an operator is invalid' } },
    answer: anonymize,
  },
  {
    method: 'GET',
    path: '/anonymizers',
    summary: 'List the operators',
    reply: jsonReply(list(), 'PresidioOperators'),
    answer: () => plain(OPERATORS),
  },
]
