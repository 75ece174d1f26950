/** Conditions on JSON bodies: `json` and `like`. */
import { deepEqual, own } from '../contract/json.ts'
import type { Json } from '../contract/json.ts'
import { isNestedWithin } from '../toolkit/json-depth.ts'
import { isTooExpensive } from '../contract/budgets.ts'
import type { StepBudget } from '../contract/budgets.ts'
import { compileJsonPath, storedJsonPath } from '../toolkit/json-path.ts'
import { escapeToken, pointerTokens, valueAt } from '../toolkit/json-pointer.ts'
import { isRecord } from '../contract/record.ts'
import { shownValue, valuePart } from './part.ts'
import type { Difference, Part } from './part.ts'
import { below, InputProblem } from '../toolkit/input-problem.ts'
import { readValueTest } from './value-test.ts'
import type { ValueTestOptions } from './value-test.ts'

const MAX_LIKE_DEPTH = 50
/** Steps of each member of the value that the body must contain. */
const MEMBER = 30

/** A condition on the value at a JSON pointer or the values of a JSONPath. */
export function readJsonPart(
  path: string,
  value: Json,
  at: string,
  { checks }: Pick<ValueTestOptions, 'checks'>,
): Part {
  const test = readValueTest(value, below(at, path), { comparison: 'json', checks })
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
    needsBody: true,
    holds: subject => firstDifference(value, subject.json(), '', subject.steps) === null,
    differences(subject) {
      const found = firstDifference(value, subject.json(), '', subject.steps)
      return found === null ? [] : [found]
    },
  }
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
