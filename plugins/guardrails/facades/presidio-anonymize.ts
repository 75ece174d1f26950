/** Presidio's anonymizer: replaces what an analyzer has found. */
import { createHash } from 'node:crypto'
import type { Json, JsonObject } from 'svc/plugin'
import { isRecord, jsonReply, list, object, TEXT } from 'svc/toolkit'
import { codePointLength, unitIndex } from '../code-points.ts'
import type { GuardAnswer, GuardCall, GuardRoute } from './facade.ts'
import { plain } from './presidio-analyze.ts'
import { invalid, readResults, type Result, withoutConflicts } from './presidio-results.ts'

/** Makes the text in place of another. */
type Operator = (text: string, type: string) => string

const OPERATORS = ['replace', 'redact', 'mask', 'hash', 'keep']
const HASHES = ['sha256', 'sha512']
const DEFAULT = 'DEFAULT'
/** Bytes. */
const MIN_SALT = 16

function anonymize({ body, output, steps }: GuardCall): GuardAnswer {
  const { text } = body
  if (typeof text !== 'string') throw invalid('Invalid input, text is required')
  const operators = operatorsOf(body.anonymizers)
  const given = readResults(body.analyzer_results, codePointLength(text))
  const toUnit = unitsOf(text, given)
  const isBlank = (start: number, end: number): boolean => {
    steps.take(end - start)
    return /^ +$/.test(text.slice(toUnit(start), toUnit(end)))
  }
  const results = withoutConflicts(given, isBlank).sort((a, b) => b.start - a.start || b.end - a.end)
  // From the end of the text to its beginning. Of two that overlap, the earlier one ends where the other begins.
  const pieces: string[] = []
  const items: (JsonObject & { start: number; end: number })[] = []
  let untouched = text.length
  let pointsBehind = 0
  const keep = (from: number): void => {
    const kept = text.slice(from, untouched)
    output.takeText(kept)
    pieces.push(kept)
    pointsBehind += codePointLength(kept)
    untouched = from
  }
  for (const { start, end, type } of results) {
    const { name, operator } = operators.get(type) ?? operators.get(DEFAULT)!
    const [from, to] = [toUnit(start), toUnit(end)]
    steps.take(to - from)
    if (to < untouched) keep(to)
    const replacement = operator(text.slice(from, to), type)
    output.takeJson({ item: type, name, replacement, again: replacement })
    pieces.push(replacement)
    const behind = pointsBehind
    pointsBehind += codePointLength(replacement)
    items.push({ start: pointsBehind, end: behind, entity_type: type, text: replacement, operator: name })
    untouched = from
  }
  keep(0)
  const length = pointsBehind
  return {
    decision: items.length > 0 ? 'redact' : 'allow',
    reason: items.length > 0 ? `anonymized: ${items.length} items` : null,
    body: {
      text: pieces.reverse().join(''),
      // Their places were counted from the end.
      items: items.map(item => ({ ...item, start: length - item.start, end: length - item.end })),
    },
  }
}

/** The UTF-16 indexes of the places of results; other places are not known. */
function unitsOf(text: string, results: readonly Result[]): (point: number) => number {
  const next = unitIndex(text)
  const points = [...new Set(results.flatMap(({ start, end }) => [start, end]))].sort((a, b) => a - b)
  const units = new Map(points.map(point => [point, next(point)]))
  return point => units.get(point)!
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
      return { name, operator: (_text, type) => text || `<${type}>` }
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
      const salt = optionalText(given, 'salt')
      if (salt !== undefined && Buffer.byteLength(salt) < MIN_SALT)
        throw invalid(`Invalid parameter, salt must have at least ${MIN_SALT} bytes`)
      // The service draws a salt if none is given; here the same text has the same hash.
      const hash = createHash(algorithm)
      const salted = salt ?? ''
      return {
        name,
        operator: text =>
          hash
            .copy()
            .update(text + salted)
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
