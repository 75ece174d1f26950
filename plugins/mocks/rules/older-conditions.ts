/** The older spelling of conditions, a list `when`, and its translation into the language of rules (`match`). */
import { isRecord, isValueTest, toRe2Syntax } from 'svc/toolkit'
import { own, ownText, setOwn, type Json, type JsonObject } from '../document/json.ts'
import type { Problem } from './outcome.ts'

const PLACES = ['path', 'query', 'header', 'cookie', 'body', 'method', 'session', 'state', 'count', 'violations']
const NAMED = ['path', 'query', 'header', 'cookie', 'state']
const KEYS = new Set(['in', 'name', 'op', 'value', 'pointer', 'jsonpath'])
const OPERATORS = [
  'eq',
  'ne',
  'in',
  'contains',
  'starts_with',
  'ends_with',
  'matches',
  'exists',
  'absent',
  'gt',
  'gte',
  'lt',
  'lte',
  'every',
  'schema',
]
const NUMERIC = ['gt', 'gte', 'lt', 'lte']
/** Values of one `in`, and tests of one `any`, in the language of rules. */
const MAX_LISTED = 1000
const MAX_ALTERNATIVES = 20
/** A test that nothing passes. */
const NEVER = { all: [{ exists: true }, { exists: false }] }

/** Translates one condition into a match with this condition. */
export function translateCondition(value: Json): { match: JsonObject } | { problem: Problem } {
  if (!isRecord(value)) return wrong('', 'expected an object')
  const unknown = Object.keys(value).find(key => !KEYS.has(key))
  if (unknown !== undefined) return wrong(unknown.slice(0, 64), `unknown key (known: ${[...KEYS].join(', ')})`)
  const place = ownText(value, 'in')
  if (place === undefined || !PLACES.includes(place)) return wrong('in', `expected one of ${PLACES.join(', ')}`)
  const name = ownText(value, 'name') ?? ''
  if (NAMED.includes(place) && name === '') return wrong('name', `"${place}" requires a name`)
  const path = place === 'body' ? bodyPath(value) : { path: null }
  if ('problem' in path) return path
  const test = testOf(value, place === 'body')
  if ('problem' in test) return test
  const condition = (one: Json): JsonObject => conditionOf(place, name, path.path, one)
  // Nothing equal to the value, of several values.
  if (own(value, 'op') === 'ne' && isMultiple(place, path.path)) return { match: { none: [condition(test.equal!)] } }
  return { match: condition(test.test) }
}

/** What is wrong with a value that the language of rules does not accept, at the key of the older spelling. */
export function placeOfValue(value: Json): string {
  return isRecord(value) && own(value, 'jsonpath') !== undefined && own(value, 'op') !== 'matches'
    ? 'jsonpath'
    : 'value'
}

/** Joins matches with one condition each: all of them hold, or any of them. */
export function joinMatches(matches: readonly JsonObject[], isAny: boolean): JsonObject {
  if (isAny && matches.length > 1) return { any: [...matches] }
  const joined: JsonObject = {}
  const rest: JsonObject[] = []
  for (const match of matches) if (!addTo(joined, match)) rest.push(match)
  return rest.length === 0 ? joined : { ...joined, any: [joinMatches(rest, false)] }
}

function wrong(at: string, message: string): { problem: Problem } {
  return { problem: { at, message } }
}

function conditionOf(place: string, name: string, path: string | null, test: Json): JsonObject {
  const named = (key: string, member: string): JsonObject => {
    const tests: JsonObject = {}
    setOwn(tests, member, test)
    return { [key]: tests }
  }
  if (place === 'body') return named('json', path!)
  if (place === 'path') return named('path_params', name)
  if (NAMED.includes(place)) return named(place, place === 'header' ? name.toLowerCase() : name)
  return { [place]: place === 'method' && !isRecord(test) ? { equals: test } : test }
}

/** Several values can be at the place. */
function isMultiple(place: string, path: string | null): boolean {
  return place === 'query' || (place === 'body' && path!.startsWith('$'))
}

function bodyPath(value: JsonObject): { path: string } | { problem: Problem } {
  const jsonpath = own(value, 'jsonpath')
  if (jsonpath !== undefined)
    return typeof jsonpath === 'string' && jsonpath.length <= 512
      ? { path: jsonpath }
      : wrong('jsonpath', 'expected a JSONPath of at most 512 characters')
  const pointer = own(value, 'pointer') ?? ''
  return typeof pointer === 'string' && /^(?:\/(?:[^~]|~[01])*)?$/s.test(pointer)
    ? { path: pointer }
    : wrong('pointer', 'expected a JSON pointer such as /items/0/sku, or an empty string')
}

type Test = { test: Json; equal?: Json } | { problem: Problem }

function testOf(condition: JsonObject, isJson: boolean): Test {
  const op = own(condition, 'op') ?? 'eq'
  const value = own(condition, 'value')
  if (typeof op !== 'string' || !OPERATORS.includes(op)) return wrong('op', `expected one of ${OPERATORS.join(', ')}`)
  if (op === 'exists' || op === 'absent') return { test: { exists: op === 'exists' } }
  if (value === undefined) return wrong('value', `the operator "${op}" requires a value`)
  // Values of headers and parameters are texts, and lists and objects are compared as their JSON text.
  const operand = (one: Json): Json => (isJson || typeof one !== 'object' ? one : JSON.stringify(one))
  const equal = isRecord(operand(value)) || Array.isArray(operand(value)) ? { equals: operand(value) } : operand(value)
  if (NUMERIC.includes(op)) {
    const limit = toNumber(value)
    return limit === null ? wrong('value', 'expected a number') : { test: { [op]: limit } }
  }
  switch (op) {
    case 'eq':
      return { test: equal }
    case 'ne':
      return { test: { not: isValueTest(equal) ? equal : operand(value) }, equal }
    case 'in':
      return Array.isArray(value) ? { test: listed(value.map(operand)) } : wrong('value', 'expected a list')
    case 'contains':
      return { test: containing(value, isJson) }
    case 'every':
      return Number.isInteger(value) && Number(value) > 0
        ? { test: { multiple_of: value } }
        : wrong('value', 'expected a positive integer')
    case 'matches':
      return typeof value === 'string'
        ? { test: { matches: toRe2Syntax(value) } }
        : wrong('value', 'expected a regular expression in RE2 syntax, without look-around and back-references')
    case 'schema':
      return isRecord(value)
        ? { test: { schema: withExclusiveBounds(value) } }
        : wrong('value', 'expected a JSON Schema')
    default:
      return typeof value === 'string' ? { test: { [op]: value } } : wrong('value', 'expected a string')
  }
}

function listed(values: readonly Json[]): Json {
  if (values.length === 0) return NEVER
  if (values.length <= MAX_LISTED) return { in: [...values] }
  const parts = Array.from({ length: Math.ceil(values.length / MAX_LISTED) }, (_, index) => ({
    in: values.slice(index * MAX_LISTED, (index + 1) * MAX_LISTED),
  }))
  return { any: parts.slice(0, MAX_ALTERNATIVES) }
}

/** In a text, the JSON text of another value is searched. */
function containing(value: Json, isJson: boolean): Json {
  if (typeof value === 'string') return { contains: value }
  const inText = { contains: JSON.stringify(value) }
  return isJson ? { any: [{ contains: [value] }, inText] } : inText
}

/** Schemas of OpenAPI 3.0 say `exclusiveMinimum: true` next to `minimum`. */
function withExclusiveBounds(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withExclusiveBounds)
  if (!isRecord(schema)) return schema
  const copy: JsonObject = {}
  for (const [key, member] of Object.entries(schema)) {
    const bound = key === 'exclusiveMinimum' ? 'minimum' : key === 'exclusiveMaximum' ? 'maximum' : null
    if (bound === null || typeof member !== 'boolean') setOwn(copy, key, withExclusiveBounds(member))
    else if (member && typeof schema[bound] === 'number') copy[key] = schema[bound]
  }
  return copy
}

function toNumber(value: Json): number | null {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : null
}

/** Adds a match with one condition; false if the other conditions leave no place for it. */
function addTo(joined: JsonObject, match: JsonObject): boolean {
  const [key, condition] = Object.entries(match)[0]!
  const known = own(joined, key)
  if (key === 'none') {
    const list = Array.isArray(known) ? known : []
    if (list.length === MAX_ALTERNATIVES) return false
    joined.none = [...list, ...(condition as Json[])]
    return true
  }
  if (known === undefined) {
    joined[key] = condition
    return true
  }
  if (!isRecord(condition) || !isRecord(known) || isValueTest(condition)) {
    joined[key] = both(known, condition)
    return true
  }
  const [name, test] = Object.entries(condition as JsonObject)[0]!
  const before = own(known as JsonObject, name)
  if (before !== undefined && isMultiple(key === 'json' ? 'body' : key, name)) {
    const tests = bothOfSeveral(before, test)
    if (tests === null) return false
    joined[key] = { ...(known as JsonObject), [name]: tests }
    return true
  }
  const copy: JsonObject = { ...(known as JsonObject) }
  setOwn(copy, name, before === undefined ? test : both(before, test))
  joined[key] = copy
  return true
}

/** Two tests that one value must pass. */
function both(one: Json, other: Json): Json {
  const [first, second] = [asTest(one), asTest(other)]
  if (Object.keys(first).every(key => !Object.hasOwn(second, key))) return { ...first, ...second }
  const list = Array.isArray(first.all) && Object.keys(first).length === 1 ? first.all : [one]
  return list.length < MAX_ALTERNATIVES ? { all: [...list, other] } : { all: [one, other] }
}

/** Two tests that may be passed by different values; null if absence passes one of them. */
function bothOfSeveral(one: Json, other: Json): Json | null {
  const absent = (test: Json): boolean => isRecord(test) && own(test, 'exists') === false
  if (absent(one) || absent(other)) return null
  const list = isRecord(one) && Array.isArray(one.some_values) ? one.some_values : [one]
  return list.length < MAX_ALTERNATIVES ? { some_values: [...list, other] } : null
}

function asTest(value: Json): JsonObject {
  return isValueTest(value) ? value : { equals: value }
}
