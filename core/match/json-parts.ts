/** Conditions on JSON bodies: `json`, `like`, `json_equals` and `json_schema`. */
import { deepEqual, own, type Json } from '../contract/json.ts'
import { isNestedWithin } from '../toolkit/json-depth.ts'
import { isTooExpensive, type StepBudget } from '../contract/budgets.ts'
import { compileJsonPath, storedJsonPath } from '../toolkit/json-path.ts'
import { escapeToken, pointerTokens, valueAt } from '../toolkit/json-pointer.ts'
import { isRecord } from '../contract/record.ts'
import { asBoolean, asObject, below, InputProblem, rejectUnknownKeys } from '../toolkit/input-problem.ts'
import { shownValue, simplePart, valuePart, type Difference, type Part } from './part.ts'
import { readValueTest, type ValueTestOptions } from '../toolkit/value-test.ts'

const MAX_LIKE_DEPTH = 50
/** Steps of each member of the value that the body must contain. */
const MEMBER = 30

/** A condition on the value at a JSON pointer or the values of a JSONPath. */
export function readJsonPart(
  path: string,
  value: Json,
  at: string,
  { checks, isTrusted = false }: Pick<ValueTestOptions, 'checks' | 'isTrusted'>,
): Part {
  const test = readValueTest(value, below(at, path), { comparison: 'json', checks, isTrusted })
  const select = readSelection(path, below(at, path), checks)
  return valuePart(`json.${path.slice(0, 200)}`, test, {
    needsBody: true,
    values(subject) {
      const body = subject.json()
      return body === undefined ? [] : select(body, subject.steps)
    },
  })
}

function readSelection(
  path: string,
  at: string,
  checks: StepBudget | null,
): (body: Json, steps: StepBudget) => readonly Json[] {
  if (path.startsWith('$')) {
    try {
      const query = checks === null ? storedJsonPath(path) : compileJsonPath(path, checks)
      return (body, steps) => query.values(body, steps)
    } catch (error) {
      if (isTooExpensive(error)) throw error
      throw new InputProblem(at, `invalid JSONPath: ${(error as Error).message.slice(0, 200)}`)
    }
  }
  const tokens = pointerTokens(path)
  if (tokens === undefined)
    throw new InputProblem(at, 'expected a JSON pointer such as /messages/0/role, or a JSONPath such as $..name')
  return body => {
    const found = valueAt(body, tokens)
    return found === undefined ? [] : [found]
  }
}

/** The body contains this value: objects may have more members, lists more items at the end. */
export function readLikePart(value: Json, at: string): Part {
  if (!isNestedWithin(value, MAX_LIKE_DEPTH))
    throw new InputProblem(at, `expected JSON with at most ${MAX_LIKE_DEPTH} levels`)
  return {
    count: 1,
    tests: 1,
    needsBody: true,
    holds: subject => firstDifference(value, subject.json(), '', subject.steps) === null,
    differences(subject) {
      const found = firstDifference(value, subject.json(), '', subject.steps)
      return found === null ? [] : [found]
    },
  }
}

/** The body is equal to a value; with `any_order`, lists in any order; with `extra`, with more members and items. */
export function readJsonEquals(given: Json, at: string): Part {
  const options = asObject(given, at, 'expected an object with value')
  rejectUnknownKeys(options, ['value', 'any_order', 'extra'], at)
  const { value } = options
  if (value === undefined) throw new InputProblem(below(at, 'value'), 'expected any JSON')
  if (!isNestedWithin(value, MAX_LIKE_DEPTH))
    throw new InputProblem(below(at, 'value'), `expected JSON with at most ${MAX_LIKE_DEPTH} levels`)
  const anyOrder = options.any_order !== undefined && asBoolean(options.any_order, below(at, 'any_order'))
  const extra = options.extra !== undefined && asBoolean(options.extra, below(at, 'extra'))
  return simplePart('json_equals', value, {
    needsBody: true,
    holds(subject) {
      const body = subject.json()
      return body !== undefined && isLike(value, body, { anyOrder, extra }, subject.steps)
    },
    got: subject => shownValue(subject.json()),
  })
}

interface Equality {
  anyOrder: boolean
  extra: boolean
}

function isLike(wanted: Json, got: Json, equality: Equality, steps: StepBudget): boolean {
  steps.take(MEMBER)
  if (Array.isArray(wanted)) {
    if (!Array.isArray(got) || (equality.extra ? got.length < wanted.length : got.length !== wanted.length))
      return false
    return equality.anyOrder
      ? areAmong(wanted, got, equality, steps)
      : wanted.every((item, index) => isLike(item, got[index]!, equality, steps))
  }
  if (!isRecord(wanted)) return wanted === got
  if (!isRecord(got)) return false
  const keys = Object.keys(wanted)
  if (!equality.extra && Object.keys(got).length !== keys.length) return false
  return keys.every(key => {
    const member = own(got, key)
    return member !== undefined && isLike(wanted[key]!, member, equality, steps)
  })
}

/** Whether each wanted item has an item of its own (augmenting paths of a bipartite graph). */
function areAmong(wanted: readonly Json[], got: readonly Json[], equality: Equality, steps: StepBudget): boolean {
  const owners = new Map<number, number>()
  const fits = new Map<string, boolean>()
  const isFit = (one: number, other: number): boolean => {
    const key = `${one} ${other}`
    let known = fits.get(key)
    if (known === undefined) fits.set(key, (known = isLike(wanted[one]!, got[other]!, equality, steps)))
    return known
  }
  /** Without recursion: a list may have many items. */
  const assign = (first: number): boolean => {
    const from = new Map<number, number>()
    const waiting = [first]
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift())
      for (const other of got.keys()) {
        steps.take(1)
        if (from.has(other) || !isFit(one, other)) continue
        from.set(other, one)
        const owner = owners.get(other)
        if (owner !== undefined) waiting.push(owner)
        else {
          for (let place: number | undefined = other; place !== undefined; ) {
            const holder: number = from.get(place)!
            const before: number | undefined = [...owners].find(([, item]) => item === holder)?.[0]
            steps.take(owners.size)
            owners.set(place, holder)
            place = holder === first ? undefined : before
          }
          return true
        }
      }
    return false
  }
  return wanted.every((_item, index) => assign(index))
}

/** The body is valid against a JSON Schema. */
export function readSchemaPart(
  schema: Json,
  at: string,
  options: Pick<ValueTestOptions, 'checks' | 'isTrusted'>,
): Part {
  const test = readValueTest({ schema }, at, { comparison: 'json', ...options })
  return simplePart('json_schema', schema, {
    needsBody: true,
    holds(subject) {
      const body = subject.json()
      return body !== undefined && test.holds([body], subject.steps)
    },
    got: subject => shownValue(subject.json()),
  })
}

function firstDifference(wanted: Json, got: Json | undefined, pointer: string, steps: StepBudget): Difference | null {
  steps.take(MEMBER)
  const difference = (): Difference => ({
    at: `like${pointer === '' ? '' : `.${pointer}`}`,
    expected: wanted,
    got: shownValue(got),
  })
  if (Array.isArray(wanted)) {
    if (!Array.isArray(got)) return difference()
    for (const [index, item] of wanted.entries()) {
      const found = firstDifference(item, got[index], `${pointer}/${index}`, steps)
      if (found !== null) return found
    }
    return null
  }
  if (!isRecord(wanted)) return deepEqual(wanted, got, steps) ? null : difference()
  if (!isRecord(got)) return difference()
  for (const [key, member] of Object.entries(wanted)) {
    const found = firstDifference(member, own(got, key), `${pointer}/${escapeToken(key)}`, steps)
    if (found !== null) return found
  }
  return null
}
