/** Value tests: what a single value of a request must be. Rules of all kinds, filters and verifications share them. */
import { isTooExpensive, type StepBudget } from '../contract/budgets.ts'
import { asBoolean, below, InputProblem, rejectUnknownKeys } from './input-problem.ts'
import { deepEqual, own, type Json, type JsonObject } from '../contract/json.ts'
import { compileJsonSchema, MAX_JSON_SCHEMA, storedJsonSchema } from './checked-schema.ts'
import { sharedPattern, storedPattern, type LinearPattern } from './linear-pattern.ts'
import { isRecord } from '../contract/record.ts'
import { TextSearch } from './text-search.ts'

/** Maximum length of a pattern. */
export const MAX_PATTERN = 1000
/** Texts of one `contains`. */
const MAX_PARTS = 50
/** Values of one `in`. */
const MAX_LISTED = 1000
/** Tests of one `any`, `all`, `some_values` or `all_values`, and levels of tests within tests. */
const MAX_TESTS = 20
const MAX_LEVELS = 4
/** Patterns look at this many characters at the beginning of a value. */
const MAX_PATTERN_TEXT = 65_536
/** Steps of a test, and characters of texts that are compared, or changed in case, in one. */
const TEST = 3
const COMPARED = 20
const FOLDED = 0.6

/** How values are compared: texts of headers, queries and bodies as text, values of JSON by type. */
export type Comparison = 'text' | 'json'

export interface ValueTest {
  /** As written, for explanations. */
  readonly expected: Json
  /** Number of tests in it. */
  readonly count: number
  /** Whether one of the values passes; without values, whether their absence does. Throws `TooExpensive` if the budget has too few steps. */
  holds(values: readonly Json[], steps: StepBudget): boolean
  /** What the named groups of its patterns capture in a value that passes. */
  captures(value: string, steps: StepBudget): ReadonlyMap<string, string>
}

type Check = (value: Json | undefined, steps: StepBudget) => boolean
interface Reading {
  comparison: Comparison
  ignoresCase: boolean
  at: string
  checks: StepBudget | null
  isTrusted: boolean
  /** Levels of tests around this one. */
  level: number
  /** Patterns whose named groups are captured. */
  patterns: LinearPattern[]
  /** Counts the tests. */
  counted: { tests: number }
}

const OPERATORS: Record<string, (operand: Json, reading: Reading) => Check> = {
  equals: (operand, reading) => present(equalTo(operand, reading)),
  not(operand, reading) {
    const test = readOperand(operand, { ...reading, patterns: [] })
    return (value, steps) => value === undefined || !test(value, steps)
  },
  any(operand, reading) {
    const tests = readList(operand, { ...reading, patterns: [] })
    return (value, steps) => tests.some(test => test(value, steps))
  },
  all(operand, reading) {
    const tests = readList(operand, reading)
    return (value, steps) => tests.every(test => test(value, steps))
  },
  contains(operand, reading) {
    const operands = Array.isArray(operand) ? operand : [operand]
    if (operands.length === 0 || operands.length > MAX_PARTS)
      throw new InputProblem(reading.at, `expected a text, or a list of 1 to ${MAX_PARTS}`)
    if (reading.comparison === 'text') operands.forEach(item => requireText(item, reading))
    const parts = operands.every(isScalar) ? operands.map(item => new TextSearch(folded(textOf(item)!, reading))) : null
    const areItems = reading.comparison === 'json' ? operands.map(item => equalTo(item, reading)) : null
    const isItem = reading.comparison === 'json' && Array.isArray(operand) ? equalTo(operand, reading) : null
    return present((value, steps) => {
      if (Array.isArray(value))
        return (
          areItems !== null &&
          (areItems.every(isOne => value.some(item => isOne(item, steps))) ||
            (isItem !== null && value.some(item => isItem(item, steps))))
        )
      if (parts === null || typeof value !== 'string') return false
      const text = fold(value, reading, steps)
      return parts.every(part => part.isIn(text, steps))
    })
  },
  starts_with: (operand, reading) => textual(operand, reading, (text, part) => text.startsWith(part)),
  ends_with: (operand, reading) => textual(operand, reading, (text, part) => text.endsWith(part)),
  matches: readPattern,
  in(operand, reading) {
    if (!Array.isArray(operand) || operand.length === 0 || operand.length > MAX_LISTED)
      throw new InputProblem(reading.at, `expected a list of 1 to ${MAX_LISTED} values`)
    const tests = operand.map((item, index) => equalTo(item, { ...reading, at: `${reading.at}[${index}]` }))
    return present((value, steps) => tests.some(test => test(value, steps)))
  },
  exists(operand, { at }) {
    const isExpected = asBoolean(operand, at)
    return value => (value !== undefined) === isExpected
  },
  gt: (operand, reading) => numeric(operand, reading, (a, b) => a > b),
  gte: (operand, reading) => numeric(operand, reading, (a, b) => a >= b),
  lt: (operand, reading) => numeric(operand, reading, (a, b) => a < b),
  lte: (operand, reading) => numeric(operand, reading, (a, b) => a <= b),
  multiple_of(operand, reading) {
    if (typeof operand !== 'number' || !Number.isInteger(operand) || operand < 1)
      throw new InputProblem(reading.at, 'expected a whole number of at least 1')
    return numeric(operand, reading, (value, divisor) => value % divisor === 0)
  },
  schema: readSchema,
}
/** Tests of all values of a name: only at the top of a test. */
const OF_VALUES = ['some_values', 'all_values'] as const
const KEYS = [...Object.keys(OPERATORS), ...OF_VALUES, 'ignore_case']
const NESTED_KEYS = [...Object.keys(OPERATORS), 'ignore_case']
/** The operators that `ignore_case` concerns. */
const TEXTUAL = new Set([
  'equals',
  'not',
  'any',
  'all',
  'contains',
  'starts_with',
  'ends_with',
  'matches',
  'in',
  ...OF_VALUES,
])

/** The keys of a value test. */
export const VALUE_TEST_KEYS: readonly string[] = KEYS

export interface ValueTestOptions {
  comparison: Comparison
  /** Compares without case even if the test does not say so. */
  ignoresCase?: boolean
  /** What checking patterns and queries may take; null if they were checked before, when the test was stored. */
  checks: StepBudget | null
  /** The test comes from the operator: patterns and schemas may be larger. */
  isTrusted?: boolean
}

/** Whether a value is written as a test, such as `{"in": […]}`, and not as the value to be equal to. */
export function isValueTest(value: Json): value is JsonObject {
  if (!isRecord(value)) return false
  const keys = Object.keys(value)
  return keys.length > 0 && keys.every(key => KEYS.includes(key))
}

/** Reads a value test. Throws an `InputProblem`, and `TooExpensive` if the budget has too few steps. */
export function readValueTest(
  value: Json,
  at: string,
  { comparison, ignoresCase = false, checks, isTrusted = false }: ValueTestOptions,
): ValueTest {
  if (Array.isArray(value))
    throw new InputProblem(at, 'expected a text, a number, true, false, null, or an object such as {"in": […]}')
  const patterns: LinearPattern[] = []
  const counted = { tests: 0 }
  const reading = { comparison, ignoresCase, at, checks, isTrusted, level: 0, patterns, counted }
  const ofValues = isRecord(value) ? readTestsOfValues(value as JsonObject, reading) : []
  const test = readTest(value, reading)
  return {
    expected: value,
    count: Math.max(1, counted.tests),
    holds: (values, steps) =>
      (test === null || holdsForAny(test, values, steps)) && ofValues.every(one => one(values, steps)),
    captures: (text, steps) => capturesOf(patterns, text, steps),
  }
}

/** A value, or tests that must all hold; null if there are only tests of several values. */
function readTest(value: Json, reading: Reading): Check | null {
  if (!isRecord(value)) {
    reading.counted.tests++
    return present(equalTo(value, reading))
  }
  const { at, level } = reading
  rejectUnknownKeys(value, level === 0 ? KEYS : NESTED_KEYS, at)
  const names = Object.keys(value).filter(name => name !== 'ignore_case')
  if (names.length === 0) throw new InputProblem(at, `expected at least one of ${KEYS.slice(0, -1).join(', ')}`)
  const inner = withCase(value, reading)
  if (own(value, 'ignore_case') === true && !names.some(name => TEXTUAL.has(name)))
    throw new InputProblem(below(at, 'ignore_case'), `expected one of ${[...TEXTUAL].join(', ')} with it`)
  const operators = names.filter(name => Object.hasOwn(OPERATORS, name))
  if (operators.length === 0) return null
  const before = reading.counted.tests
  const checks = operators.map(name => OPERATORS[name]!(value[name]!, { ...inner, at: below(at, name) }))
  if (reading.counted.tests === before) reading.counted.tests++
  return (tested, steps) => checks.every(check => check(tested, steps))
}

function withCase(value: JsonObject, reading: Reading): Reading {
  const ignore = own(value, 'ignore_case')
  const ignoresCase = ignore !== undefined && asBoolean(ignore, below(reading.at, 'ignore_case'))
  return { ...reading, ignoresCase: ignoresCase || reading.ignoresCase }
}

/** An operand that is a value, or a test of its own. */
function readOperand(operand: Json, reading: Reading): Check {
  if (reading.level >= MAX_LEVELS) throw new InputProblem(reading.at, `expected at most ${MAX_LEVELS} levels of tests`)
  const inner = { ...reading, level: reading.level + 1 }
  if (isRecord(operand) && (reading.comparison === 'text' || isValueTest(operand))) return readTest(operand, inner)!
  reading.counted.tests++
  return present(equalTo(operand, inner))
}

function readList(operand: Json, reading: Reading): Check[] {
  if (!Array.isArray(operand) || operand.length === 0 || operand.length > MAX_TESTS)
    throw new InputProblem(reading.at, `expected a list of 1 to ${MAX_TESTS} values or tests`)
  return operand.map((item, index) => readOperand(item, { ...reading, at: below(reading.at, index) }))
}

type ValuesCheck = (values: readonly Json[], steps: StepBudget) => boolean

/** Tests of all values of a name, such as those of a header with several lines. */
function readTestsOfValues(value: JsonObject, reading: Reading): ValuesCheck[] {
  return OF_VALUES.filter(name => value[name] !== undefined).map(name => {
    const tests = readList(value[name]!, { ...withCase(value, reading), at: below(reading.at, name), patterns: [] })
    if (name === 'some_values') return (values, steps) => tests.every(test => values.some(item => test(item, steps)))
    return (values, steps) => values.length === tests.length && canAssign(tests, values, steps)
  })
}

/** Whether each test is passed by another value (augmenting paths of a bipartite graph). */
function canAssign(tests: readonly Check[], values: readonly Json[], steps: StepBudget): boolean {
  const passes = tests.map(test => values.map(item => test(item, steps)))
  const testOf = new Map<number, number>()
  const assign = (test: number, tried: Set<number>): boolean => {
    for (const place of values.keys()) {
      steps.take(1)
      if (!passes[test]![place] || tried.has(place)) continue
      tried.add(place)
      const other = testOf.get(place)
      if (other !== undefined && !assign(other, tried)) continue
      testOf.set(place, test)
      return true
    }
    return false
  }
  return tests.every((_test, index) => assign(index, new Set()))
}

function holdsForAny(test: Check, values: readonly Json[], steps: StepBudget): boolean {
  return values.length === 0 ? test(undefined, steps) : values.some(value => test(value, steps))
}

function capturesOf(patterns: readonly LinearPattern[], text: string, steps: StepBudget): ReadonlyMap<string, string> {
  const captures = new Map<string, string>()
  for (const pattern of patterns)
    for (const [name, part] of pattern.groups(text.slice(0, MAX_PATTERN_TEXT), steps)) captures.set(name, part)
  return captures
}

/** The values of a fact of a request: those of a list, or a single one. */
export function valuesOf(value: Json | undefined): readonly Json[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value]
}

/** A test that a text passes if it has this beginning, or is equal to it; for fields where `gpt-4*` is a prefix. */
export function readWildcardTest(
  value: Json,
  at: string,
  options: Pick<ValueTestOptions, 'checks' | 'isTrusted'>,
): ValueTest {
  if (typeof value !== 'string' || !value.endsWith('*'))
    return readValueTest(value, at, { comparison: 'json', ...options })
  const test = readValueTest({ starts_with: value.slice(0, -1) }, at, { comparison: 'json', ...options })
  return { ...test, expected: value }
}

function present(check: (value: Json, steps: StepBudget) => boolean): Check {
  return (value, steps) => {
    steps.take(TEST)
    return value !== undefined && check(value, steps)
  }
}

function equalTo(operand: Json, reading: Reading): (value: Json, steps: StepBudget) => boolean {
  if (reading.comparison === 'text') {
    if (!isScalar(operand)) throw new InputProblem(reading.at, 'expected a text, a number, true, false or null')
    return equalText(folded(textOf(operand)!, reading), reading)
  }
  if (typeof operand !== 'string' || !reading.ignoresCase) return (value, steps) => deepEqual(value, operand, steps)
  const isEqual = equalText(operand.toLowerCase(), reading)
  return (value, steps) => typeof value === 'string' && isEqual(value, steps)
}

function equalText(wanted: string, reading: Reading): (value: Json, steps: StepBudget) => boolean {
  return (value, steps) => {
    const text = textOf(value)
    if (text === null) return false
    steps.take(TEST + Math.min(text.length, wanted.length) / COMPARED)
    return fold(text, reading, steps) === wanted
  }
}

function textual(operand: Json, reading: Reading, test: (text: string, part: string) => boolean): Check {
  const part = folded(requireText(operand, reading), reading)
  return present((value, steps) => {
    const text = textOf(value)
    if (text === null) return false
    steps.take(part.length / COMPARED)
    return test(fold(text, reading, steps), part)
  })
}

function readPattern(operand: Json, reading: Reading): Check {
  const isShort = typeof operand === 'string' && (reading.isTrusted || operand.length <= MAX_PATTERN)
  const pattern = isShort ? patternOf(operand, reading) : undefined
  if (pattern === undefined)
    throw new InputProblem(
      reading.at,
      `expected a regular expression in RE2 syntax (no look-around, no back-references) of at most ${MAX_PATTERN} characters`,
    )
  reading.patterns.push(pattern)
  return present((value, steps) => {
    const text = textOf(value)
    return text !== null && pattern.test(text.slice(0, MAX_PATTERN_TEXT), steps)
  })
}

function patternOf(source: string, { checks, ignoresCase, isTrusted }: Reading): LinearPattern | undefined {
  if (checks === null) return storedPattern(source, { ignoresCase })
  return sharedPattern(source, checks, { ignoresCase, isLarge: isTrusted })
}

function readSchema(operand: Json, { at, checks, isTrusted }: Reading): Check {
  try {
    const schema =
      checks === null
        ? storedJsonSchema(operand)
        : compileJsonSchema(operand, checks, { maxCharacters: isTrusted ? Infinity : MAX_JSON_SCHEMA })
    return present((value, steps) => schema.accepts(value, steps))
  } catch (error) {
    if (isTooExpensive(error)) throw error
    throw new InputProblem(at, (error as Error).message)
  }
}

function numeric(operand: Json, { at }: Reading, test: (value: number, limit: number) => boolean): Check {
  if (typeof operand !== 'number') throw new InputProblem(at, 'expected a number')
  return present((value, steps) => {
    steps.take(TEST)
    const number = numberOf(value)
    return number !== null && test(number, operand)
  })
}

function requireText(operand: Json, { at }: Reading): string {
  if (typeof operand === 'string') return operand
  if (typeof operand === 'number') return String(operand)
  throw new InputProblem(at, 'expected a text')
}

function fold(text: string, reading: Reading, steps: StepBudget): string {
  if (reading.ignoresCase) steps.take(text.length / FOLDED)
  return folded(text, reading)
}

function folded(text: string, { ignoresCase }: Reading): string {
  return ignoresCase ? text.toLowerCase() : text
}

function isScalar(value: Json): value is string | number | boolean | null {
  return typeof value !== 'object' || value === null
}

/** A scalar as text; null for objects and lists. */
function textOf(value: Json): string | null {
  if (typeof value === 'string') return value
  return isScalar(value) ? String(value) : null
}

function numberOf(value: Json): number | null {
  if (typeof value === 'number') return value
  return typeof value === 'string' && value.length <= 400 && /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(value.trim())
    ? Number(value)
    : null
}

/** A test that holds if a value is there or not. */
export function presenceTest(isExpected: boolean): ValueTest {
  return {
    expected: isExpected,
    count: 1,
    holds: values => values.length > 0 === isExpected,
    captures: () => NO_CAPTURES,
  }
}

const NO_CAPTURES: ReadonlyMap<string, string> = new Map()
