/** Matches: conditions on a request, joined by and. Rules, filters, waits and verifications share them. */
import { isToken } from '../fields/token.ts'
import type { StepBudget } from '../contract/budgets.ts'
import type { Json, JsonObject } from '../contract/json.ts'
import { readJsonPart, readLikePart } from './json-parts.ts'
import { PART_STEPS, valuePart } from './part.ts'
import type { Difference, Part } from './part.ts'
import { readPathPattern, segmentsOfPath } from './path-pattern.ts'
import type { PathPattern } from './path-pattern.ts'
import { asObject, below, InputProblem, rejectUnknownKeys } from '../toolkit/input-problem.ts'
import type { ProtocolRegistry } from './protocols.ts'
import { readProtocolPart } from './protocol-part.ts'
import type { MatchSubject } from './subject.ts'
import { readValueTest } from './value-test.ts'
import type { ValueTest } from './value-test.ts'

export type { Difference } from './part.ts'

export interface Match {
  /** Upper-case methods; null for all. */
  readonly methods: readonly string[] | null
  readonly path: PathPattern | null
  /** Literal segments with which the path begins; requests whose path begins with none of them never match. */
  readonly prefixes: readonly (readonly string[])[]
  readonly needsBody: boolean
  /** Number of conditions. */
  readonly count: number
  /** The protocols with conditions. */
  readonly protocols: readonly string[]
  /** Whether the conditions hold that need no body. Evaluations throw `TooExpensive` if the subject has too few steps. */
  headHolds(subject: MatchSubject): boolean
  /** Whether all conditions hold. */
  holds(subject: MatchSubject): boolean
  /** The segments that the template of the path captures, by name. */
  captures(subject: MatchSubject): ReadonlyMap<string, string>
  /** The conditions that do not hold. */
  explain(subject: MatchSubject): { matched: number; of: number; differences: Difference[] }
}

export interface MatchOptions {
  protocols: ProtocolRegistry
  /** Maximum number of conditions. */
  maxTests: number
  /** Whether `status`, `rule` and `since` are allowed: for captured requests only. */
  isFilter?: boolean
  /** What checking the conditions may take; null if they were checked before, when they were stored. */
  checks: StepBudget | null
}

const KEYS = ['method', 'path', 'host', 'header', 'query', 'cookie', 'body', 'json', 'like', 'session', 'client_ip']
const FILTER_KEYS = ['status', 'rule', 'since']
/** Steps of each name and value of the header lines, and the characters of a URL for one step. */
const HEADER = 0.5
const QUERY = 10
const NO_CAPTURES: ReadonlyMap<string, string> = new Map()

/** Reads a match. Throws an `InputProblem`, and `TooExpensive` if checking it takes too many steps. */
export function readMatch(value: unknown, at: string, options: MatchOptions): Match {
  const given = asObject(value, at, 'expected an object with conditions')
  rejectUnknown(given, at, options)
  const methods = given.method === undefined ? null : readMethods(given.method, below(at, 'method'))
  const path = given.path === undefined ? null : readPathPattern(given.path, below(at, 'path'))
  const parts: Part[] = []
  if (methods !== null) parts.push(methodPart(methods, given.method!))
  if (path !== null) parts.push(pathPart(path))
  for (const [key, condition] of Object.entries(given)) parts.push(...readKey(key, condition, below(at, key), options))
  const count = parts.reduce((sum, part) => sum + part.count, 0)
  if (count > options.maxTests)
    throw new InputProblem(at, `expected at most ${options.maxTests} conditions, got ${count}`)
  const head = parts.filter(({ needsBody }) => !needsBody)
  const body = parts.filter(({ needsBody }) => needsBody)
  const headHolds = (subject: MatchSubject): boolean => head.every(part => part.holds(subject))
  return {
    methods,
    path,
    prefixes: path === null ? prefixesOf(Object.keys(given), options.protocols) : [path.prefix],
    needsBody: body.length > 0,
    count,
    protocols: Object.keys(given).filter(key => options.protocols.names.includes(key)),
    headHolds,
    holds: subject => headHolds(subject) && body.every(part => part.holds(subject)),
    captures: subject => path?.match(subject.segments) ?? NO_CAPTURES,
    explain(subject) {
      const differences = parts.flatMap(part => part.differences(subject))
      return { matched: count - differences.length, of: count, differences }
    },
  }
}

/** Without a path, the paths of a protocol that the request must have; otherwise any. */
function prefixesOf(keys: readonly string[], protocols: ProtocolRegistry): string[][] {
  const paths = keys.map(key => protocols.find(key)?.paths).find(own => own != null)
  return paths === undefined || paths === null ? [[]] : [...new Set(paths)].map(segmentsOfPath)
}

function rejectUnknown(given: JsonObject, at: string, { protocols, isFilter = false }: MatchOptions): void {
  const wrong = isFilter ? undefined : Object.keys(given).find(key => FILTER_KEYS.includes(key))
  if (wrong !== undefined)
    throw new InputProblem(below(at, wrong), `${wrong} is a condition of filters and verifications, not of rules`)
  rejectUnknownKeys(given, [...KEYS, ...protocols.names, ...(isFilter ? FILTER_KEYS : [])], at)
}

function readKey(key: string, value: Json, at: string, { protocols, checks }: MatchOptions): Part[] {
  const readText = (test: Json, place: string, ignoresCase = false): ValueTest =>
    readValueTest(test, place, { comparison: 'text', ignoresCase, checks })
  switch (key) {
    case 'method':
    case 'path':
      return []
    case 'host':
      return [valuePart(key, readText(value, at, true), { values: ({ host }) => some(host) })]
    case 'header':
      return readNamed(value, at, (name, test, place) => {
        if (!isToken(name)) throw new InputProblem(place, 'expected the name of a header')
        const lower = name.toLowerCase()
        return valuePart(`header.${lower}`, readText(test, place), {
          values(subject) {
            subject.steps.take(subject.facts.rawHeaders.length * HEADER)
            return subject.headerValues(lower)
          },
        })
      })
    case 'query':
      return readNamed(value, at, (name, test, place) =>
        valuePart(`query.${name}`, readText(test, place), {
          values(subject) {
            subject.steps.take(subject.url.length / QUERY)
            return subject.queryValues(name)
          },
        }),
      )
    case 'cookie':
      return readNamed(value, at, (name, test, place) =>
        valuePart(`cookie.${name}`, readText(test, place), { values: subject => some(subject.cookie(name)) }),
      )
    case 'body':
      return [bodyPart(value, readText(value, at))]
    case 'json':
      return readNamed(value, at, (path, test) => readJsonPart(path, test, at, { checks }))
    case 'like':
      return [readLikePart(value, at)]
    case 'session':
      return [valuePart(key, readText(value, at), { values: ({ facts }) => some(facts.session ?? undefined) })]
    case 'client_ip':
      return [valuePart(key, readText(value, at), { values: ({ facts }) => [facts.clientIp] })]
    case 'status':
      return [valuePart(key, readText(value, at), { values: ({ facts }) => some(facts.status) })]
    case 'rule':
      return [valuePart(key, readText(value, at), { values: ({ facts }) => some(facts.rule ?? undefined) })]
    case 'since':
      return [sincePart(value, at)]
    default:
      return [readProtocolPart(protocols.find(key)!, value, at, { checks })]
  }
}

function some(value: Json | undefined): readonly Json[] {
  return value === undefined ? [] : [value]
}

/** An object of names to tests. */
function readNamed(value: Json, at: string, read: (name: string, test: Json, at: string) => Part): Part[] {
  const entries = Object.entries(asObject(value, at, 'expected an object of names and tests'))
  if (entries.length === 0) throw new InputProblem(at, 'expected at least one name')
  return entries.map(([name, test]) => read(name, test, below(at, name)))
}

function readMethods(value: Json, at: string): string[] {
  const list = Array.isArray(value) ? value : [value]
  if (
    list.length === 0 ||
    list.length > 50 ||
    !list.every(name => typeof name === 'string' && name.length <= 40 && isToken(name))
  )
    throw new InputProblem(at, 'expected a method such as POST, or a list of methods')
  return list.map(name => (name as string).toUpperCase())
}

function methodPart(methods: readonly string[], expected: Json): Part {
  const holds = ({ method, steps }: MatchSubject): boolean => {
    steps.take(PART_STEPS)
    return methods.includes(method.toUpperCase())
  }
  return {
    count: 1,
    needsBody: false,
    holds,
    differences: subject => (holds(subject) ? [] : [{ at: 'method', expected, got: subject.method }]),
  }
}

function pathPart(path: PathPattern): Part {
  const holds = ({ segments, steps }: MatchSubject): boolean => {
    steps.take(PART_STEPS + segments.length)
    return path.match(segments) !== null
  }
  return {
    count: 1,
    needsBody: false,
    holds,
    differences: subject =>
      holds(subject) ? [] : [{ at: 'path', expected: path.text, got: subject.path.slice(0, 200) }],
  }
}

/** A body that is not UTF-8 has no text: it exists, and nothing else is known of it. */
function bodyPart(value: Json, test: ValueTest): Part {
  return {
    count: 1,
    needsBody: true,
    holds: subject => holdsForBody(subject),
    differences: subject =>
      holdsForBody(subject)
        ? []
        : [
            {
              at: 'body',
              expected: test.expected,
              got: subject.facts.body.length === 0 ? null : (subject.text() ?? '').slice(0, 200),
            },
          ],
  }

  function holdsForBody(subject: MatchSubject): boolean {
    const { facts, steps } = subject
    if (facts.body.length === 0) return test.holds(undefined, steps)
    const text = subject.text()
    return text === null ? isExistence(value) && test.holds('', steps) : test.holds(text, steps)
  }
}

function isExistence(value: Json): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).join() === 'exists'
}

function sincePart(value: Json, at: string): Part {
  if (typeof value !== 'string' || value === '' || value.length > 64)
    throw new InputProblem(at, 'expected the id of an entry, or a time such as 2026-03-14T12:00:00Z')
  const holds = ({ facts, steps }: MatchSubject): boolean => {
    steps.take(PART_STEPS)
    return facts.isSince?.(value) ?? false
  }
  return {
    count: 1,
    needsBody: false,
    holds,
    differences: subject => (holds(subject) ? [] : [{ at: 'since', expected: value, got: null }]),
  }
}
