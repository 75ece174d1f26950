/**
 * Converts OpenAPI 3.0 and 3.1 schemas to plain JSON Schema 2020-12, with references to separately registered schemas.
 */
import { isRecord } from 'svc/toolkit'
import type { ApiDocument } from '../document/api-document.ts'
import { own, ownText, setOwn, type Json, type JsonObject } from '../document/json.ts'

/** The direction of a body: `readOnly` members are not required in requests, `writeOnly` members not in responses. */
export type Direction = 'request' | 'response'

export interface ConversionContext {
  document: ApiDocument
  direction: Direction
  /**
   * The keyword for references. With `$ref`, ajv compiles the target together with the schema; with `svcRef`, lazily.
   */
  refKeyword: '$ref' | 'svcRef'
  /** The id of the target schema in the validator. */
  idOf(ref: string): string
  /** Whether a pattern is supported; others are omitted. */
  supportsPattern(pattern: string): boolean
}

const PLAIN = [
  'type',
  'enum',
  'const',
  'multipleOf',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'maxItems',
  'minItems',
  'maxContains',
  'minContains',
  'maxProperties',
  'minProperties',
  'dependentRequired',
  'format',
] as const
const SINGLE = [
  'items',
  'additionalProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
] as const
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'] as const
const MAPS = ['properties', 'patternProperties', 'dependentSchemas'] as const

/** Converts a schema of the document. Annotations and OpenAPI keywords are omitted. */
export function convertSchema(schema: Json | undefined, context: ConversionContext): Json {
  if (typeof schema === 'boolean') return schema
  if (!isRecord(schema)) return true
  const ref = ownText(schema, '$ref')
  // OpenAPI 3.0.4, 4.8.23: siblings of a reference are ignored.
  if (ref !== undefined && context.document.dialect === '3.0') return { [context.refKeyword]: context.idOf(ref) }
  const result: JsonObject = {}
  if (ref !== undefined) result[context.refKeyword] = context.idOf(ref)
  copyPlain(schema, result)
  for (const keyword of SINGLE)
    if (Object.hasOwn(schema, keyword)) result[keyword] = convertSchema(schema[keyword], context)
  for (const keyword of LISTS) {
    const list = own(schema, keyword)
    if (Array.isArray(list) && list.length > 0) result[keyword] = list.map(entry => convertSchema(entry, context))
  }
  for (const keyword of MAPS) convertMap(schema, keyword, result, context)
  convertRequired(schema, result, context)
  const alternatives = alternativesOf(result)
  if (alternatives > 0) result['svcSteps'] = alternatives
  // ajv compares each pair of items, which takes minutes for a body of a megabyte.
  if (own(schema, 'uniqueItems') === true) result['svcUniqueItems'] = true
  const pattern = ownText(schema, 'pattern')
  if (pattern !== undefined && context.supportsPattern(pattern)) result['pattern'] = pattern
  if (context.document.dialect === '3.0') convertExclusiveBounds(result)
  return own(schema, 'nullable') === true ? orNull(result) : result
}

/** Keywords that apply schemas to each item or member, or compare with each value. */
const REPEATING = [...LISTS, 'items', 'contains', 'additionalProperties', 'propertyNames', 'unevaluatedItems'] as const
/** Characters of a value that are compared in one step of the validator. */
const VALUE_CHARACTERS = 100

/** How many schemas or values a value is compared with, for the budget of a validation; 0 if it does not matter. */
function alternativesOf(schema: JsonObject): number {
  let count = 0
  for (const keyword of REPEATING) {
    const value = schema[keyword]
    if (value !== undefined) count += Array.isArray(value) ? value.length : 1
  }
  const patterns = schema['patternProperties']
  if (isRecord(patterns)) count += Object.keys(patterns).length
  for (const values of [schema['enum'], schema['const']])
    if (typeof values === 'object' && values !== null)
      count += Math.ceil(JSON.stringify(values).length / VALUE_CHARACTERS)
  return count
}

function copyPlain(schema: JsonObject, result: JsonObject): void {
  for (const keyword of PLAIN) {
    const value = own(schema, keyword)
    if (value !== undefined) result[keyword] = value
  }
  // ajv rejects an empty `enum`, which no value can match.
  if (Array.isArray(result['enum']) && result['enum'].length === 0) delete result['enum']
}

function convertMap(
  schema: JsonObject,
  keyword: (typeof MAPS)[number],
  result: JsonObject,
  context: ConversionContext,
): void {
  const map = own(schema, keyword)
  if (!isRecord(map)) return
  const converted: JsonObject = {}
  for (const [name, entry] of Object.entries(map)) {
    if (keyword === 'patternProperties' && !context.supportsPattern(name)) continue
    setOwn(converted, name, convertSchema(entry, context))
  }
  result[keyword] = converted
}

function convertRequired(schema: JsonObject, result: JsonObject, context: ConversionContext): void {
  const required = own(schema, 'required')
  if (!Array.isArray(required)) return
  const skipped = context.direction === 'request' ? 'readOnly' : 'writeOnly'
  const properties = own(schema, 'properties')
  const names = new Set(required.filter(name => typeof name === 'string'))
  result['required'] = [...names].filter(
    name => !isMarked(isRecord(properties) ? own(properties, name) : undefined, skipped, context.document),
  )
}

/** Whether a schema, or the schema it references, has `readOnly` or `writeOnly`. */
export function isMarked(schema: Json | undefined, mark: 'readOnly' | 'writeOnly', document: ApiDocument): boolean {
  if (!isRecord(schema)) return false
  return (
    own(schema, mark) === true ||
    (ownText(schema, '$ref') !== undefined && own(document.resolve(schema), mark) === true)
  )
}

/** OpenAPI 3.0 writes an exclusive bound as `minimum` with `exclusiveMinimum: true`. */
function convertExclusiveBounds(result: JsonObject): void {
  for (const [bound, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    const value = result[bound]
    if (result[exclusive] === true && typeof value === 'number') {
      result[exclusive] = value
      delete result[bound]
    } else if (typeof result[exclusive] === 'boolean') delete result[exclusive]
  }
}

function orNull(schema: JsonObject): JsonObject {
  const type = schema['type']
  if (
    typeof type === 'string' &&
    !('enum' in schema) &&
    !('const' in schema) &&
    !('allOf' in schema) &&
    !('anyOf' in schema) &&
    !('oneOf' in schema) &&
    !('$ref' in schema) &&
    !('not' in schema)
  )
    return { ...schema, type: [type, 'null'] }
  return { anyOf: [schema, { type: 'null' }] }
}
