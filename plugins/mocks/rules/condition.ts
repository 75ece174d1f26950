/** Compiles conditions of rules to functions that test requests. */
import { isTooExpensive, type StepBudget } from 'svc/plugin'
import { compileJsonPath, isRecord, linearPattern, takeSize, TextSearch } from 'svc/toolkit'
import { ApiDocument } from '../document/api-document.ts'
import type { Bounds } from '../bounds.ts'
import { deepEqual, own, ownText, type Json, type JsonObject } from '../document/json.ts'
import { pointerTokens, valueAt } from '../document/json-pointer.ts'
import { SchemaSet } from '../schema/schema-set.ts'
import type { Problem } from './outcome.ts'
import type { RequestScope } from './request-scope.ts'

/** The parts of a request that conditions can test. */
export interface ConditionScope extends RequestScope {
  violations: number
  /** What the conditions of all rules may take. */
  steps: StepBudget
}

/** Throws `TooExpensive` if the budget of the scope has too few steps. */
export type Condition = (scope: ConditionScope) => boolean

/** Steps of a condition, and of testing a value. */
const CONDITION = 50
const VALUE = 5

const PLACES = ['path', 'query', 'header', 'cookie', 'body', 'method', 'session', 'state', 'count', 'violations']
const NAMED = ['path', 'query', 'header', 'cookie', 'state']
const KEYS = new Set(['in', 'name', 'op', 'value', 'pointer', 'jsonpath'])

/** Compiles a condition. Throws `TooExpensive` if the budget has too few steps for checking it. */
export function readCondition(
  value: Json,
  bounds: Bounds,
  checks: StepBudget,
): { condition: Condition } | { problem: Problem } {
  if (!isRecord(value)) return wrong('', 'expected an object')
  const unknown = Object.keys(value).find(key => !KEYS.has(key))
  if (unknown !== undefined) return wrong(unknown.slice(0, 64), `unknown key (known: ${[...KEYS].join(', ')})`)
  const place = ownText(value, 'in')
  if (place === undefined || !PLACES.includes(place)) return wrong('in', `expected one of ${PLACES.join(', ')}`)
  if (NAMED.includes(place) && (ownText(value, 'name') ?? '') === '') return wrong('name', `"${place}" requires a name`)
  const source =
    place === 'body' ? readBodySource(value, checks) : { values: sourceOf(place, ownText(value, 'name') ?? '') }
  if ('problem' in source) return source
  const test = readTest(value, place === 'body', bounds, checks)
  if ('problem' in test) return test
  return {
    condition(scope) {
      scope.steps.take(CONDITION)
      return test.test(source.values(scope), scope.steps)
    },
  }
}

function wrong(at: string, message: string): { problem: Problem } {
  return { problem: { at, message } }
}

/** The values that a condition tests; empty if absent. */
type Source = (scope: ConditionScope) => Json[]

function sourceOf(place: string, name: string): Source {
  const some = (value: Json | undefined): Json[] => (value === undefined ? [] : [value])
  switch (place) {
    case 'path':
      return ({ path }) => some(path.get(name))
    case 'query':
      return ({ query }) => query.filter(([key]) => key === name).map(([, value]) => value)
    case 'header':
      return ({ header }) => some(header(name))
    case 'cookie':
      return ({ cookies }) => some(cookies.get(name))
    case 'state':
      return ({ state }) => (Object.hasOwn(state, name) ? some(state[name]) : [])
    case 'method':
      return ({ method }) => [method]
    case 'session':
      return ({ session }) => [session]
    case 'count':
      return ({ count }) => [count]
    default:
      return ({ violations }) => [violations]
  }
}

function readBodySource(value: JsonObject, checks: StepBudget): { values: Source } | { problem: Problem } {
  const jsonpath = own(value, 'jsonpath')
  if (jsonpath !== undefined) {
    if (typeof jsonpath !== 'string' || jsonpath.length > 512)
      return wrong('jsonpath', 'expected a JSONPath of at most 512 characters')
    try {
      const query = compileJsonPath(jsonpath, checks)
      return {
        values: scope => {
          const body = scope.body()
          return body === undefined ? [] : query.values(body, scope.steps)
        },
      }
    } catch (error) {
      if (isTooExpensive(error)) throw error
      return wrong('jsonpath', (error as Error).message.slice(0, 200))
    }
  }
  const pointer = own(value, 'pointer') ?? ''
  const tokens = typeof pointer === 'string' ? pointerTokens(pointer) : undefined
  if (!tokens) return wrong('pointer', 'expected a JSON pointer such as /items/0/sku, or an empty string')
  return {
    values: scope => {
      const body = scope.body()
      const found = body === undefined ? undefined : valueAt(body, tokens)
      return found === undefined ? [] : [found]
    },
  }
}

type Test = { test(values: Json[], steps: StepBudget): boolean } | { problem: Problem }

const NUMERIC: Record<string, (a: number, b: number) => boolean> = {
  gt: (a, b) => a > b,
  gte: (a, b) => a >= b,
  lt: (a, b) => a < b,
  lte: (a, b) => a <= b,
}
const TEXTUAL: Record<string, (text: string, part: string) => boolean> = {
  starts_with: (text, part) => text.startsWith(part),
  ends_with: (text, part) => text.endsWith(part),
}
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

function readTest(condition: JsonObject, isBody: boolean, bounds: Bounds, checks: StepBudget): Test {
  const op = own(condition, 'op') ?? 'eq'
  const value = own(condition, 'value')
  if (typeof op !== 'string' || !OPERATORS.includes(op)) return wrong('op', `expected one of ${OPERATORS.join(', ')}`)
  if (op === 'exists') return { test: values => values.length > 0 }
  if (op === 'absent') return { test: values => values.length === 0 }
  if (value === undefined) return wrong('value', `the operator "${op}" requires a value`)
  const equal = (a: Json, b: Json, steps: StepBudget): boolean =>
    isBody ? deepEqual(a, b, steps) : plainText(a, steps) === plainText(b, steps)
  const any = (test: (actual: Json, steps: StepBudget) => boolean): Test => ({
    test: (values, steps) =>
      values.some(actual => {
        steps.take(VALUE)
        return test(actual, steps)
      }),
  })
  const numeric = NUMERIC[op]
  const textual = TEXTUAL[op]
  if (numeric) {
    const limit = toNumber(value)
    return limit === null
      ? wrong('value', 'expected a number')
      : any(actual => numeric(toNumber(actual) ?? Number.NaN, limit))
  }
  if (textual)
    return typeof value === 'string'
      ? any((actual, steps) => textual(plainText(actual, steps), value))
      : wrong('value', 'expected a string')
  switch (op) {
    case 'eq':
      return any((actual, steps) => equal(actual, value, steps))
    case 'ne':
      // An absent value differs from every value.
      return { test: (values, steps) => !values.some(actual => equal(actual, value, steps)) }
    case 'in':
      return Array.isArray(value)
        ? any((actual, steps) => value.some(entry => equal(actual, entry, steps)))
        : wrong('value', 'expected a list')
    case 'contains':
      return readContains(value)
    case 'every':
      return Number.isInteger(value) && Number(value) > 0
        ? any(actual => (toNumber(actual) ?? Number.NaN) % Number(value) === 0)
        : wrong('value', 'expected a positive integer')
    case 'matches':
      return readPattern(value, checks)
    default:
      return readSchema(value, bounds)
  }
}

function readContains(value: Json): Test {
  const search = new TextSearch(typeof value === 'string' ? value : JSON.stringify(value))
  return {
    test: (values, steps) =>
      values.some(actual =>
        Array.isArray(actual)
          ? actual.some(entry => deepEqual(entry, value, steps))
          : typeof actual === 'string' && search.isIn(actual, steps),
      ),
  }
}

function readPattern(value: Json, checks: StepBudget): Test {
  const pattern = typeof value === 'string' ? linearPattern(value, checks) : undefined
  return pattern
    ? { test: (values, steps) => values.some(actual => pattern.test(plainText(actual, steps), steps)) }
    : wrong('value', 'expected a regular expression in RE2 syntax, without look-around and back-references')
}

function readSchema(value: Json, bounds: Bounds): Test {
  if (!isRecord(value)) return wrong('value', 'expected a JSON Schema')
  const schemas = new SchemaSet(new ApiDocument(value, bounds))
  const problem = schemas.compileError(value, 'request')
  return problem === null
    ? { test: (values, steps) => values.some(actual => schemas.accepts(value, actual, 'request', steps)) }
    : wrong('value', problem)
}

function plainText(value: Json, steps: StepBudget): string {
  if (typeof value === 'object') takeSize(value, steps)
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function toNumber(value: Json): number | null {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : null
}
