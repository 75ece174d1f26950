/** Conditions on JSON bodies: `json` and `like`. */
import { deepEqual, own } from '../contract/json.ts'
import type { Json } from '../contract/json.ts'
import { isNestedWithin } from '../contract/json-depth.ts'
import { compileJsonPath } from '../contract/json-path.ts'
import { escapeToken, pointerTokens, valueAt } from '../contract/json-pointer.ts'
import { isRecord } from '../contract/record.ts'
import { shownValue, valuePart } from './part.ts'
import type { Difference, Part } from './part.ts'
import { below, InputProblem } from '../contract/input-problem.ts'
import { readValueTest } from './value-test.ts'

const MAX_LIKE_DEPTH = 50

/** A condition on the value at a JSON pointer or the values of a JSONPath. */
export function readJsonPart(path: string, value: Json, at: string): Part {
  const test = readValueTest(value, below(at, path), { comparison: 'json' })
  const select = readSelection(path, below(at, path))
  return valuePart(`json.${path.slice(0, 200)}`, test, {
    needsBody: true,
    values(subject) {
      const body = subject.json()
      return body === undefined ? [] : select(body)
    },
  })
}

function readSelection(path: string, at: string): (body: Json) => readonly Json[] {
  if (path.startsWith('$')) {
    try {
      const query = compileJsonPath(path)
      return body => query.values(body)
    } catch (error) {
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
    holds: subject => firstDifference(value, subject.json(), '') === null,
    differences(subject) {
      const found = firstDifference(value, subject.json(), '')
      return found === null ? [] : [found]
    },
  }
}

function firstDifference(wanted: Json, got: Json | undefined, pointer: string): Difference | null {
  const difference = { at: `like${pointer === '' ? '' : `.${pointer}`}`, expected: wanted, got: shownValue(got) }
  if (Array.isArray(wanted)) {
    if (!Array.isArray(got)) return difference
    return firstOf(wanted.map((item, index) => () => firstDifference(item, got[index], `${pointer}/${index}`)))
  }
  if (isRecord(wanted)) {
    if (!isRecord(got)) return difference
    return firstOf(
      Object.entries(wanted).map(
        ([key, member]) =>
          () =>
            firstDifference(member, own(got, key), `${pointer}/${escapeToken(key)}`),
      ),
    )
  }
  return deepEqual(wanted, got) ? null : difference
}

function firstOf(compare: (() => Difference | null)[]): Difference | null {
  for (const next of compare) {
    const difference = next()
    if (difference !== null) return difference
  }
  return null
}
