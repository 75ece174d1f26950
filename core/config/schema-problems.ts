/** Turns ajv errors into problems that a reader of the file understands: one location, one sentence. */
import type { ErrorObject, ValidateFunction } from 'ajv'
import { knownKeys, remedyOf } from './remedies.ts'
import { unknownName } from '../toolkit/unknown-name.ts'

/** One problem and its location in the value. */
export interface Problem {
  path: (string | number)[]
  message: string
  /** How to fix it. */
  remedy: string
}

/** Finds the validator of a part of a schema by its JSON pointer (`#/properties/tools/items/anyOf/1`). */
export type PartValidator = (pointer: string) => ValidateFunction | undefined

/**
 * The problems described by `errors` for `value`. For a list of alternatives only the most likely alternative is
 * reported.
 */
export function problemsOf(errors: readonly ErrorObject[], value: unknown, partValidator: PartValidator): Problem[] {
  return withoutEchoes(explainAlternatives(errors, partValidator)).flatMap(error => {
    const report = { message: messageOf(error), remedy: remedyOf(error) }
    return wrongEntries(error).map(entry => ({ path: [...placeOf(error, value), ...entry], ...report }))
  })
}

/** In a list that is too long or contains duplicates, the surplus entries are wrong, not the list. */
function wrongEntries(error: ErrorObject): number[][] {
  if (error.keyword === 'uniqueItems') return [[error.params.i as number]]
  if (error.keyword !== 'maxItems') return [[]]
  const { limit } = error.params as { limit: number }
  return (error.data as unknown[]).slice(limit).map((_, index) => [limit + index])
}

/**
 * Replaces the errors of `anyOf` and `oneOf` by those of the alternative that was probably meant. ajv lists the errors
 * of all alternatives right before the error of the keyword itself, so the list is read from its end.
 */
function explainAlternatives(errors: readonly ErrorObject[], partValidator: PartValidator): ErrorObject[] {
  const explained: ErrorObject[] = []
  let covered: string | null = null
  for (const error of errors.toReversed()) {
    if (covered !== null && isWithin(error.instancePath, covered)) continue
    covered = null
    if (!isNoAlternative(error)) {
      explained.unshift(error)
      continue
    }
    covered = error.instancePath
    explained.unshift(...likeliestErrors(error, partValidator))
  }
  return explained
}

/** Whether no alternative matches. If several alternatives of a `oneOf` match, there are no other errors. */
function isNoAlternative(error: ErrorObject): boolean {
  return error.keyword === 'anyOf' || (error.keyword === 'oneOf' && error.params.passingSchemas === null)
}

function likeliestErrors(error: ErrorObject, partValidator: PartValidator): ErrorObject[] {
  const alternatives = (error.schema as unknown[]).map((_, index) =>
    errorsOfPart(partValidator(`${error.schemaPath}/${index}`), error.data),
  )
  if (alternatives.some(errors => errors.length === 0)) return [error]
  const ranked = alternatives.toSorted(
    (one, other) => unlikeliness(one) - unlikeliness(other) || one.length - other.length,
  )
  if (unlikeliness(ranked[0]!) === 2)
    return [{ ...error, keyword: 'type', params: { type: alternatives.flatMap(rootTypes) } }]
  return explainAlternatives(ranked[0]!, partValidator).map(inner => ({
    ...inner,
    instancePath: error.instancePath + inner.instancePath,
  }))
}

function errorsOfPart(validate: ValidateFunction | undefined, data: unknown): ErrorObject[] {
  if (validate === undefined) return []
  validate(structuredClone(data))
  return validate.errors ?? []
}

/** 2: another type altogether; 1: a property says that another alternative is meant; 0: likely. */
function unlikeliness(errors: ErrorObject[]): number {
  if (rootTypes(errors).length > 0) return 2
  return errors.some(
    error => (error.keyword === 'const' || error.keyword === 'enum') && error.instancePath.split('/').length <= 2,
  )
    ? 1
    : 0
}

function rootTypes(errors: ErrorObject[]): string[] {
  return errors
    .filter(error => error.keyword === 'type' && error.instancePath === '')
    .flatMap(error => error.params.type as string | string[])
}

/** Removes errors that only say that another error occurred. */
function withoutEchoes(errors: ErrorObject[]): ErrorObject[] {
  const telling = errors.filter(error => error.keyword !== 'if' && error.keyword !== 'propertyNames')
  return telling.length === 0 ? errors : telling
}

function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}/`)
}

/** Converts a JSON pointer (RFC 6901), plus the key if the key itself is wrong. List indexes become numbers. */
function placeOf(error: ErrorObject, value: unknown): (string | number)[] {
  const keys = error.instancePath
    .split('/')
    .slice(1)
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  const wrongKey = wrongKeyOf(error)
  if (wrongKey !== undefined) keys.push(wrongKey)
  let container: unknown = value
  return keys.map(key => {
    const step = Array.isArray(container) ? Number(key) : key
    container = (container as Record<string | number, unknown> | undefined)?.[step]
    return step
  })
}

/** The key that is itself wrong, as opposed to its value. */
function wrongKeyOf(error: ErrorObject): string | undefined {
  return error.propertyName ?? error.params.additionalProperty ?? error.params.unevaluatedProperty
}

const MISSING_KEY = 'missing key '

/** The missing key that such a message names; null if the message is about something else. */
export function missingKeyIn(message: string): string | null {
  return message.startsWith(MISSING_KEY) && message.endsWith('"')
    ? (JSON.parse(message.slice(MISSING_KEY.length)) as string)
    : null
}

/** One sentence. It does not contain the value, which may be a secret. */
function messageOf(error: ErrorObject): string {
  const { keyword, params } = error
  if (error.propertyName !== undefined)
    return `invalid key ${JSON.stringify(error.propertyName)}: ${expectation(error)}`
  switch (keyword) {
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return unknownName('key', wrongKeyOf(error)!, knownKeys(error)).message
    case 'required':
      return `${MISSING_KEY}${JSON.stringify(params.missingProperty)}`
    case 'dependentRequired':
      return `missing key ${JSON.stringify(params.missingProperty)}, which ${JSON.stringify(params.property)} needs`
    case 'uniqueItems':
      return `entries ${params.j} and ${params.i} are equal`
    case 'oneOf':
      return params.passingSchemas === null
        ? 'matches none of the accepted forms'
        : 'matches more than one of the accepted forms'
    case 'anyOf':
      return 'matches none of the accepted forms'
    default:
      return expectation(error)
  }
}

function expectation({ keyword, params, schema, parentSchema, data, message }: ErrorObject): string {
  switch (keyword) {
    case 'type':
      return `expected ${orList([params.type].flat())}, got ${typeName(data)}`
    case 'enum':
      return `expected ${orList((params.allowedValues as unknown[]).map(value => JSON.stringify(value)))}`
    case 'const':
      return `expected ${JSON.stringify(params.allowedValue)}`
    case 'minimum':
      return `expected at least ${schema}`
    case 'maximum':
      return `expected at most ${schema}`
    case 'exclusiveMinimum':
      return `expected more than ${schema}`
    case 'exclusiveMaximum':
      return `expected less than ${schema}`
    case 'minLength':
      return `expected at least ${count(schema, 'character')}`
    case 'maxLength':
      return `expected at most ${count(schema, 'character')}`
    case 'minItems':
      return `expected at least ${count(schema, 'entry')}`
    case 'maxItems':
      return `expected at most ${count(schema, 'entry')}`
    case 'minProperties':
      return `expected at least ${count(schema, 'key')}`
    case 'maxProperties':
      return `expected at most ${count(schema, 'key')}`
    case 'pattern':
      return Array.isArray(parentSchema?.examples)
        ? `expected text such as ${JSON.stringify(parentSchema.examples[0])}, that matches ${schema}`
        : `expected text that matches ${schema}`
    case 'format':
      return `expected ${schema} format`
    default:
      return message ?? `does not satisfy ${keyword}`
  }
}

function orList(words: string[]): string {
  const unique = [...new Set(words)]
  return unique.length < 2 ? unique.join('') : `${unique.slice(0, -1).join(', ')} or ${unique.at(-1)}`
}

function count(number: unknown, noun: string): string {
  if (number === 1) return `1 ${noun}`
  return `${number} ${noun.endsWith('y') && noun !== 'key' ? `${noun.slice(0, -1)}ies` : `${noun}s`}`
}

/** The type of a value, as named by JSON Schema. */
function typeName(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
