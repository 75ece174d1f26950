/** Conditions on named facts of a request, such as those of a protocol: `{"model": "gpt-4*", "turn": {"gte": 2}}`. */
import type { StepBudget } from '../contract/budgets.ts'
import { asObject, below, InputProblem, rejectUnknownKeys } from './input-problem.ts'
import { isRecord } from '../contract/record.ts'
import type { Json, JsonObject } from '../contract/json.ts'
import { pointerTokens, valueAt } from './json-pointer.ts'
import type { MatchFacts, MatchField } from '../contract/testing.ts'
import { nearest } from './nearest.ts'
import { unknownName } from './unknown-name.ts'
import {
  presenceTest,
  readValueTest,
  readWildcardTest,
  valuesOf,
  type ValueTest,
  type ValueTestOptions,
} from './value-test.ts'

export interface FieldTest {
  readonly name: string
  readonly test: ValueTest
}

const NO_CAPTURES: ReadonlyMap<string, string> = new Map()

type Options = Pick<ValueTestOptions, 'checks' | 'isTrusted'>

/** Reads the conditions. Throws an `InputProblem`, and `TooExpensive` if the budget has too few steps. */
export function readFieldTests(
  fields: Readonly<Record<string, MatchField>>,
  value: Json,
  at: string,
  options: Options,
): readonly FieldTest[] {
  const given = asObject(value, at)
  rejectUnknownKeys(given, Object.keys(fields), at)
  return Object.entries(given).map(([name, test]) => ({
    name,
    test: readFieldTest(fields[name]!, test, below(at, name), options),
  }))
}

/** The conditions that do not hold. A fact that is a list has several values. Throws `TooExpensive`. */
export function failedTests(tests: readonly FieldTest[], facts: MatchFacts, steps: StepBudget): FieldTest[] {
  return tests.filter(({ name, test }) => !test.holds(valuesOf(facts[name]), steps))
}

/** Reads the condition of one fact. Throws an `InputProblem`. */
export function readFieldTest(
  { kind = 'test', words }: MatchField,
  value: Json,
  at: string,
  options: Options,
): ValueTest {
  if (kind === 'boolean' || (kind === 'presence' && typeof value === 'boolean')) {
    if (typeof value !== 'boolean') throw new InputProblem(at, 'expected true or false')
    return kind === 'presence' ? presenceTest(value) : readValueTest(value, at, { comparison: 'json', ...options })
  }
  if (kind === 'members') return readMembersTest(value, at, options)
  if (kind === 'wildcard') return readWildcardTest(value, at, options)
  if (typeof kind === 'string') {
    if (words !== undefined) rejectUnknownWords(value, words(), at)
    return readValueTest(value, at, { comparison: 'json', ...options })
  }
  if (typeof value !== 'string' || !kind.includes(value))
    throw new InputProblem(at, `expected one of ${kind.join(', ')}`)
  return readValueTest(value, at, { comparison: 'json', ...options })
}

/** Throws for a word that the fact never is, so that the test could not hold: with the nearest one that it can be. */
function rejectUnknownWords(value: Json, known: readonly string[], at: string): void {
  if (typeof value === 'string') {
    if (known.includes(value)) return
    const { message, remedy } = unknownName('value', value, known)
    const isGuessed = nearest(value, known) !== undefined
    throw new InputProblem(
      at,
      isGuessed || known.length === 0 ? message : `${message}, expected one of ${known.join(', ')}`,
      remedy,
    )
  }
  if (!isRecord(value) || value.ignore_case === true) return
  const { equals, in: listed } = value as JsonObject
  if (typeof equals === 'string') rejectUnknownWords(equals, known, below(at, 'equals'))
  if (Array.isArray(listed))
    for (const [index, word] of listed.entries())
      if (typeof word === 'string') rejectUnknownWords(word, known, below(below(at, 'in'), index))
}

/** Tests of the members of a value, by JSON pointer: the value has to meet all of them. */
function readMembersTest(value: Json, at: string, options: Options): ValueTest {
  const tests = Object.entries(asObject(value, at, 'expected an object of JSON pointers and tests')).map(
    ([pointer, test]) => {
      const tokens = pointerTokens(pointer)
      if (tokens === undefined)
        throw new InputProblem(below(at, pointer), 'expected a JSON pointer such as /input/name')
      return { tokens, test: readValueTest(test, below(at, pointer), { comparison: 'json', ...options }) }
    },
  )
  if (tests.length === 0) throw new InputProblem(at, 'expected at least one JSON pointer')
  return {
    expected: value,
    count: tests.reduce((sum, { test }) => sum + test.count, 0),
    holds(values, steps) {
      const subjects: readonly (Json | undefined)[] = values.length === 0 ? [undefined] : values
      return subjects.some(subject =>
        tests.every(({ tokens, test }) => {
          const found = subject === undefined ? undefined : valueAt(subject, tokens)
          return test.holds(found === undefined ? [] : [found], steps)
        }),
      )
    },
    captures: () => NO_CAPTURES,
  }
}
