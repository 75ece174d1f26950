/** Matches: conditions on a request, joined by and. Rules, filters, waits and verifications share them. */
import { isToken } from '../fields/token.ts'
import type { StepBudget } from '../contract/budgets.ts'
import { readFieldTest, type FieldTest } from '../toolkit/field-tests.ts'
import { asObject, below, InputProblem, rejectUnknownKeys } from '../toolkit/input-problem.ts'
import type { Json, JsonObject } from '../contract/json.ts'
import { isRecord } from '../contract/record.ts'
import { unknownName } from '../toolkit/unknown-name.ts'
import { readValueTest } from '../toolkit/value-test.ts'
import { readBodyParts } from './body-parts.ts'
import { readHeadParts, readNamed, some } from './head-parts.ts'
import { PART_STEPS, simplePart, valuePart, type Difference, type Part } from './part.ts'
import { readPathPattern, rejectUnseenPath, segmentsOfPath } from './path-pattern.ts'
import { readProtocolPart } from './protocol-part.ts'
import type { ProtocolRegistry } from './protocols.ts'
import type { MatchSubject } from './subject.ts'

export type { Difference } from './part.ts'

export interface Match {
  /** Upper-case methods; null for all. */
  readonly methods: readonly string[] | null
  /** Literal segments with which the path begins; requests whose path begins with none of them never match. */
  readonly prefixes: readonly (readonly string[])[]
  readonly needsBody: boolean
  /** Number of conditions. */
  readonly count: number
  /** The protocols with conditions. */
  readonly protocols: readonly string[]
  /** The facts of protocols that the conditions test, such as `service.phase`. */
  readonly tested: readonly string[]
  /** The protocol among them whose requests are within others; null: the match is for requests that arrive. */
  readonly messages: string | null
  /** Conditions on the states of scenarios, which do not belong to the request. */
  readonly scenarios: readonly FieldTest[]
  /** Whether the conditions hold that need no body. Evaluations throw `TooExpensive` if the subject has too few steps. */
  headHolds(subject: MatchSubject): boolean
  /** Whether all conditions hold. */
  holds(subject: MatchSubject): boolean
  /** The segments that the template of the path captures, by name, or the groups of its pattern. */
  captures(subject: MatchSubject): ReadonlyMap<string, string>
  /** The conditions that do not hold. */
  explain(subject: MatchSubject): { matched: number; of: number; differences: Difference[] }
}

type Protocols = Pick<ProtocolRegistry, 'names' | 'find'>

/** A fact that only one kind of subject has: a single value, or values by name. */
export type OwnFact = 'value' | 'named'

export interface MatchOptions {
  protocols: Protocols
  /** Maximum number of conditions. */
  maxTests: number
  /** Whether `status`, `rule` and `since` are allowed: for captured requests only. */
  isFilter?: boolean
  /** Whether `scenario` is allowed: in rules only. */
  hasScenarios?: boolean
  /** What checking the conditions may take; null if they were checked before, when they were stored. */
  checks: StepBudget | null
  /** The conditions come from the operator: patterns and schemas may be larger. */
  isTrusted?: boolean
  /** Whether a rule can act on a path. */
  isSeen?(path: string): boolean
  /** Further keys, for facts that only these subjects have. */
  own?: Readonly<Record<string, OwnFact>>
  /** The subject is a request of a plugin, which has the captured segments of its path: their names are not checked. */
  hasCaptures?: boolean
}

const KEYS = [
  'method',
  'path',
  'path_params',
  'url',
  'scheme',
  'host',
  'header',
  'query',
  'cookie',
  'body',
  'body_base64',
  'json',
  'like',
  'json_equals',
  'json_schema',
  'form',
  'any',
  'none',
  'session',
  'client_ip',
]
const FILTER_KEYS = ['status', 'rule', 'since']
const MAX_ALTERNATIVES = 20
const MAX_LEVELS = 4
const MAX_SCENARIO = 64
const NO_CAPTURES: ReadonlyMap<string, string> = new Map()

/** The condition on the path, and what it captures. */
interface PathCondition {
  readonly part: Part
  readonly prefix: readonly string[]
  /** Names of what is captured; null if any name can be. */
  readonly names: readonly string[] | null
  captures(subject: MatchSubject): ReadonlyMap<string, string>
}

/** Reads a match. Throws an `InputProblem`, and `TooExpensive` if checking it takes too many steps. */
export function readMatch(value: unknown, at: string, options: MatchOptions): Match {
  const read = readWithin(value, at, options, { path: null, level: 0 })
  if (read.tests > options.maxTests)
    throw new InputProblem(at, `expected at most ${options.maxTests} conditions, got ${read.tests}`)
  return read.match
}

interface Surroundings {
  /** The condition on the path of the match around this one. */
  path: PathCondition | null
  level: number
}

function readWithin(
  value: unknown,
  at: string,
  options: MatchOptions,
  around: Surroundings,
): { match: Match; tests: number } {
  const given = asObject(value, at, 'expected an object with conditions')
  rejectUnknown(given, at, options)
  const methods = given.method === undefined ? null : readMethods(given.method, below(at, 'method'), options)
  const ownPath = given.path === undefined ? null : readPath(given.path, below(at, 'path'), options)
  const path = ownPath ?? around.path
  const parts: Part[] = []
  if (methods !== null) parts.push(methods.part)
  if (ownPath !== null) parts.push(ownPath.part)
  const alternatives = given.any === undefined ? [] : readMatches(given.any, below(at, 'any'))
  const exclusions = given.none === undefined ? [] : readMatches(given.none, below(at, 'none'))
  for (const [key, condition] of Object.entries(given))
    parts.push(...readKey(key, condition, below(at, key), path, options))
  if (alternatives.length > 0) parts.push(nestedPart('any', given.any!, alternatives))
  if (exclusions.length > 0) parts.push(nestedPart('none', given.none!, exclusions))
  const count = parts.reduce((sum, part) => sum + part.count, 0)
  const head = parts.filter(({ needsBody }) => !needsBody)
  const body = parts.filter(({ needsBody }) => needsBody)
  const headHolds = (subject: MatchSubject): boolean => head.every(part => part.holds(subject))
  const nested = [...alternatives, ...exclusions]
  const scenarios = readScenarios(given.scenario, below(at, 'scenario'), options)
  const named = [
    ...Object.keys(given).filter(key => options.protocols.names.includes(key)),
    ...nested.flatMap(one => one.match.protocols),
  ]
  const tested = [
    ...named.flatMap(name => (isRecord(given[name]) ? Object.keys(given[name]).map(fact => `${name}.${fact}`) : [])),
    ...nested.flatMap(one => one.match.tested),
  ]
  const match: Match = {
    methods: methods?.names ?? methodsOf(alternatives),
    prefixes: ownPath === null ? prefixesOf(Object.keys(given), alternatives, options.protocols) : [ownPath.prefix],
    needsBody: body.length > 0,
    count: count + scenarios.length,
    protocols: named,
    tested,
    messages: named.find(name => options.protocols.find(name)?.messages != null) ?? null,
    scenarios,
    headHolds,
    holds(outer) {
      const subject = subjectFor(match.messages, outer)
      return headHolds(subject) && body.every(part => part.holds(subject))
    },
    captures: subject => path?.captures(subject) ?? subject.facts.captures ?? NO_CAPTURES,
    explain(outer) {
      const subject = subjectFor(match.messages, outer)
      const differences = parts.flatMap(part => part.differences(subject))
      return { matched: count - differences.length, of: count, differences }
    },
  }
  const tests = parts.reduce((sum, part) => sum + part.tests, 0) + sumOf(scenarios.map(({ test }) => test.count))
  return { match, tests }

  function readMatches(list: Json, place: string): { match: Match; tests: number }[] {
    if (!Array.isArray(list) || list.length === 0 || list.length > MAX_ALTERNATIVES)
      throw new InputProblem(place, `expected a list of 1 to ${MAX_ALTERNATIVES} matches`)
    if (around.level === MAX_LEVELS) throw new InputProblem(place, `expected at most ${MAX_LEVELS} levels of matches`)
    return list.map((one, index) =>
      readWithin(one, below(place, index), { ...options, hasScenarios: false }, { path, level: around.level + 1 }),
    )
  }
}

/** Conditions on a request within another one look at that request, where a captured one has it. */
function subjectFor(messages: string | null, subject: MatchSubject): MatchSubject {
  return messages === null ? subject : (subject.within(messages) ?? subject)
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}

function nestedPart(key: 'any' | 'none', expected: Json, nested: readonly { match: Match; tests: number }[]): Part {
  const matches = nested.map(({ match }) => match)
  return simplePart(key, expected, {
    needsBody: matches.some(({ needsBody }) => needsBody),
    tests: Math.max(1, sumOf(nested.map(({ tests }) => tests))),
    holds(subject) {
      subject.steps.take(PART_STEPS)
      const isAny = matches.some(match => match.holds(subject))
      return key === 'any' ? isAny : !isAny
    },
  })
}

/** The methods of the alternatives; null for all. */
function methodsOf(alternatives: readonly { match: Match }[]): readonly string[] | null {
  const methods: string[] = []
  for (const { match } of alternatives) {
    if (match.methods === null) return null
    methods.push(...match.methods)
  }
  return methods.length === 0 ? null : methods
}

/** Without a path, the paths of a protocol that the request must have, or of the alternatives; otherwise any. */
function prefixesOf(
  keys: readonly string[],
  alternatives: readonly { match: Match }[],
  protocols: Protocols,
): readonly (readonly string[])[] {
  const paths = keys.map(key => protocols.find(key)?.paths).find(own => own != null)
  if (paths !== undefined && paths !== null) return [...new Set(paths)].map(segmentsOfPath)
  return alternatives.length === 0 ? [[]] : alternatives.flatMap(({ match }) => match.prefixes)
}

function rejectUnknown(given: JsonObject, at: string, options: MatchOptions): void {
  const { protocols, isFilter = false, hasScenarios = false, own = {} } = options
  const wrong = isFilter ? undefined : Object.keys(given).find(key => FILTER_KEYS.includes(key))
  if (wrong !== undefined)
    throw new InputProblem(below(at, wrong), `${wrong} is a condition of filters and verifications, not of rules`)
  if (given.scenario !== undefined && !hasScenarios)
    throw new InputProblem(below(at, 'scenario'), 'scenario is a condition at the top of the match of a rule')
  const known = [...KEYS, ...Object.keys(own), ...protocols.names]
  rejectUnknownKeys(given, [...known, ...(hasScenarios ? ['scenario'] : []), ...(isFilter ? FILTER_KEYS : [])], at)
}

function readKey(key: string, value: Json, at: string, path: PathCondition | null, options: MatchOptions): Part[] {
  const { protocols, checks, isTrusted = false, own = {} } = options
  switch (key) {
    case 'method':
    case 'path':
    case 'any':
    case 'none':
    case 'scenario':
      return []
    case 'path_params':
      return readPathParams(value, at, path, options)
  }
  if (Object.hasOwn(own, key)) return readOwn(key, own[key]!, value, at, options)
  return (
    readHeadParts(key, value, at, { checks, isTrusted }) ??
    readBodyParts(key, value, at, { checks, isTrusted }) ?? [
      readProtocolPart(protocols.find(key)!, value, at, { checks, isTrusted }),
    ]
  )
}

/** Conditions on facts that only these subjects have. */
function readOwn(
  key: string,
  fact: OwnFact,
  value: Json,
  at: string,
  { checks, isTrusted = false }: MatchOptions,
): Part[] {
  const part = (name: string, test: Json, place: string): Part =>
    valuePart(
      name === '' ? key : `${key}.${name}`,
      readValueTest(test, place, { comparison: 'text', checks, isTrusted }),
      {
        values: ({ facts }) => some(facts.own?.(key, name)),
      },
    )
  return fact === 'named' ? readNamed(value, at, part) : [part('', value, at)]
}

function readPathParams(value: Json, at: string, path: PathCondition | null, options: MatchOptions): Part[] {
  const { checks, isTrusted = false, hasCaptures = false } = options
  if (path === null && !hasCaptures)
    throw new InputProblem(at, 'path_params needs a path that captures segments, such as /orders/{id}')
  const names = path?.names ?? null
  return readNamed(value, at, (name, test, place) => {
    if (names !== null && !names.includes(name)) {
      const { message, remedy } = unknownName('segment', name, names)
      throw new InputProblem(place, message, remedy)
    }
    return valuePart(`path_params.${name}`, readValueTest(test, place, { comparison: 'text', checks, isTrusted }), {
      values: subject => some((path?.captures(subject) ?? subject.facts.captures)?.get(name)),
    })
  })
}

function readMethods(
  value: Json,
  at: string,
  { checks, isTrusted = false }: MatchOptions,
): { names: readonly string[] | null; part: Part } {
  if (isRecord(value)) {
    const test = readValueTest(value, at, { comparison: 'text', ignoresCase: true, checks, isTrusted })
    return { names: null, part: valuePart('method', test, { values: ({ method }) => [method] }) }
  }
  const list = Array.isArray(value) ? value : [value]
  if (
    list.length === 0 ||
    list.length > 50 ||
    !list.every(name => typeof name === 'string' && name.length <= 40 && isToken(name))
  )
    throw new InputProblem(at, 'expected a method such as POST, or a list of methods')
  const names = list.map(name => (name as string).toUpperCase())
  const part = simplePart('method', value, {
    holds({ method, steps }) {
      steps.take(PART_STEPS)
      return names.includes(method.toUpperCase())
    },
    got: ({ method }) => method,
  })
  return { names, part }
}

/** A template of the path, or a test of the decoded path, whose named groups are captured. */
function readPath(value: Json, at: string, options: MatchOptions): PathCondition {
  const { checks, isTrusted = false, isFilter = false, hasCaptures = false, isSeen } = options
  if (isRecord(value)) {
    const test = readValueTest(value, at, { comparison: 'text', checks, isTrusted })
    return {
      prefix: [],
      names: null,
      part: valuePart('path', test, { values: ({ path }) => [path] }),
      captures: ({ path, steps }) => test.captures(path, steps),
    }
  }
  const pattern = readPathPattern(value, at)
  if (!isFilter && !hasCaptures) rejectUnseenPath(pattern, at, isSeen)
  const { prefix, names } = pattern
  const part = simplePart('path', pattern.text, {
    holds({ segments, steps }) {
      steps.take(PART_STEPS + pattern.comparisons(segments.length))
      return pattern.match(segments) !== null
    },
    got: ({ path }) => path.slice(0, 200),
  })
  return { prefix, names, part, captures: ({ segments }) => pattern.match(segments) ?? NO_CAPTURES }
}

function readScenarios(value: Json | undefined, at: string, { checks }: MatchOptions): readonly FieldTest[] {
  if (value === undefined) return []
  const entries = Object.entries(asObject(value, at, 'expected an object of names of scenarios and tests'))
  if (entries.length === 0) throw new InputProblem(at, 'expected at least one scenario')
  return entries.map(([name, test]) => {
    if (name === '' || name.length > MAX_SCENARIO)
      throw new InputProblem(below(at, name), `expected a name of 1 to ${MAX_SCENARIO} characters`)
    return { name, test: readFieldTest({ description: '' }, test, below(at, name), { checks }) }
  })
}
