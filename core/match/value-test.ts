/** Value tests: what a single value of a request must be. */
import type { StepBudget } from '../contract/budgets.ts'
import { deepEqual, own } from '../contract/json.ts'
import type { Json } from '../contract/json.ts'
import { sharedPattern, storedPattern } from '../toolkit/linear-pattern.ts'
import type { LinearPattern } from '../toolkit/linear-pattern.ts'
import { isRecord } from '../contract/record.ts'
import { TextSearch } from '../toolkit/text-search.ts'
import { asBoolean, below, InputProblem, rejectUnknownKeys } from '../toolkit/input-problem.ts'

/** Maximum length of a pattern. */
export const MAX_PATTERN = 1000
/** Texts of one `contains`. */
const MAX_PARTS = 50
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
  /** `value` is undefined if it is absent. Throws `TooExpensive` if the budget has too few steps. */
  holds(value: Json | undefined, steps: StepBudget): boolean
}

type Check = (value: Json | undefined, steps: StepBudget) => boolean
interface Reading {
  comparison: Comparison
  ignoresCase: boolean
  at: string
  checks: StepBudget | null
}

const OPERATORS: Record<string, (operand: Json, reading: Reading) => Check> = {
  equals: (operand, reading) => present(equalTo(operand, reading)),
  not(operand, reading) {
    const equals = equalTo(operand, reading)
    return (value, steps) => value === undefined || !equals(value, steps)
  },
  contains(operand, reading) {
    const operands = Array.isArray(operand) ? operand : [operand]
    if (operands.length === 0 || operands.length > MAX_PARTS)
      throw new InputProblem(reading.at, `expected a text, or a list of 1 to ${MAX_PARTS}`)
    if (reading.comparison === 'text') operands.forEach(item => requireText(item, reading))
    const parts = operands.every(isScalar) ? operands.map(item => new TextSearch(folded(textOf(item)!, reading))) : null
    const isItem = reading.comparison === 'json' ? equalTo(operand, reading) : null
    return present((value, steps) => {
      if (Array.isArray(value)) return isItem !== null && value.some(item => isItem(item, steps))
      if (parts === null || typeof value !== 'string') return false
      const text = fold(value, reading, steps)
      return parts.every(part => part.isIn(text, steps))
    })
  },
  starts_with: (operand, reading) => textual(operand, reading, (text, part) => text.startsWith(part)),
  ends_with: (operand, reading) => textual(operand, reading, (text, part) => text.endsWith(part)),
  matches: readPattern,
  in(operand, reading) {
    if (!Array.isArray(operand) || operand.length === 0 || operand.length > 1000)
      throw new InputProblem(reading.at, 'expected a list of 1 to 1000 values')
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
}
const KEYS = [...Object.keys(OPERATORS), 'ignore_case']
/** The operators that `ignore_case` concerns. */
const TEXTUAL = new Set(['equals', 'not', 'contains', 'starts_with', 'ends_with', 'matches', 'in'])

/** The keys of a value test. */
export const VALUE_TEST_KEYS: readonly string[] = KEYS

export interface ValueTestOptions {
  comparison: Comparison
  /** Compares without case even if the test does not say so. */
  ignoresCase?: boolean
  /** What checking patterns and queries may take; null if they were checked before, when the test was stored. */
  checks: StepBudget | null
}

/** Reads a value test. Throws an `InputProblem`, and `TooExpensive` if the budget has too few steps. */
export function readValueTest(
  value: Json,
  at: string,
  { comparison, ignoresCase = false, checks: budget }: ValueTestOptions,
): ValueTest {
  if (Array.isArray(value))
    throw new InputProblem(at, 'expected a text, a number, true, false, null, or an object such as {"in": […]}')
  if (!isRecord(value)) {
    const holds = present(equalTo(value, { comparison, ignoresCase, at, checks: budget }))
    return { expected: value, holds }
  }
  rejectUnknownKeys(value, KEYS, at)
  const names = Object.keys(value).filter(name => name !== 'ignore_case')
  if (names.length === 0) throw new InputProblem(at, `expected at least one of ${KEYS.slice(0, -1).join(', ')}`)
  const ignore = own(value, 'ignore_case')
  const reading = {
    comparison,
    ignoresCase: (ignore !== undefined && asBoolean(ignore, below(at, 'ignore_case'))) || ignoresCase,
    at,
    checks: budget,
  }
  if (ignore === true && !names.some(name => TEXTUAL.has(name)))
    throw new InputProblem(below(at, 'ignore_case'), `expected one of ${[...TEXTUAL].join(', ')} with it`)
  const checks = names.map(name => OPERATORS[name]!(value[name]!, { ...reading, at: below(at, name) }))
  return { expected: value, holds: (tested, steps) => checks.every(check => check(tested, steps)) }
}

/** A test that a text passes if it has this beginning, or is equal to it; for fields where `gpt-4*` is a prefix. */
export function readWildcardTest(value: Json, at: string, options: Pick<ValueTestOptions, 'checks'>): ValueTest {
  if (typeof value !== 'string' || !value.endsWith('*'))
    return readValueTest(value, at, { comparison: 'json', ...options })
  const prefix = value.slice(0, -1)
  return {
    expected: value,
    holds(tested, steps) {
      steps.take(TEST + prefix.length / COMPARED)
      return typeof tested === 'string' && tested.startsWith(prefix)
    },
  }
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
  const source = typeof operand === 'string' && operand.length <= MAX_PATTERN ? operand : null
  const pattern = source === null ? undefined : patternOf(source, reading)
  if (pattern === undefined)
    throw new InputProblem(
      reading.at,
      `expected a regular expression in RE2 syntax (no look-around, no back-references) of at most ${MAX_PATTERN} characters`,
    )
  return present((value, steps) => {
    const text = textOf(value)
    return text !== null && pattern.test(text.slice(0, MAX_PATTERN_TEXT), steps)
  })
}

function patternOf(source: string, { checks, ignoresCase }: Reading): LinearPattern | undefined {
  return checks === null ? storedPattern(source, { ignoresCase }) : sharedPattern(source, checks, { ignoresCase })
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

/** Reads a test that holds if a value is there or not. */
export function presenceTest(isExpected: boolean): ValueTest {
  return { expected: isExpected, holds: value => (value !== undefined) === isExpected }
}
