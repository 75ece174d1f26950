/** The configuration of a domain in the form of the reference service: read, and searched by the entries of a descriptor. */
import type { Json, JsonObject, StepBudget } from 'svc/plugin'
import { asBoolean, asInteger, asObject, asText, below, InputProblem, isRecord, rejectUnknownKeys } from 'svc/toolkit'
import { type ConfiguredLimit, type Entry, MAX_UINT32, UNIT_SECS, unitOf } from '../limit.ts'
import { readWildcard, type Wildcard } from './wildcard.ts'

/** A level of descriptors, by key. */
type Level = ReadonlyMap<string, KeyNodes>

interface KeyNodes {
  byValue: Map<string, Node>
  /** In the order of the file. */
  wildcards: { pattern: Wildcard; node: Node }[]
  anyValue: Node | null
}

interface Node {
  limit: ConfiguredLimit | null
  /** Counts all values of its wildcard together. */
  isShared: boolean
  below: Level
}

export interface Domain {
  name: string
  level: Level
  /** All limits, for lists. */
  limits: readonly ListedLimit[]
}

/** A limit with the entries that lead to it. */
export interface ListedLimit {
  entries: readonly { key: string; value?: string }[]
  limit: ConfiguredLimit
}

/** The limit of a descriptor. */
export interface FoundLimit {
  limit: ConfiguredLimit
  /** The entries by which it counts. */
  counted: readonly Entry[]
}

const DOMAIN_KEYS = ['domain', 'descriptors']
const DESCRIPTOR_KEYS = [
  'key',
  'value',
  'rate_limit',
  'shadow_mode',
  'quota_mode',
  'detailed_metric',
  'value_to_metric',
  'share_threshold',
  'metadata',
  'descriptors',
]
const LIMIT_KEYS = ['unit', 'requests_per_unit', 'unlimited', 'name', 'replaces']
const FLAGS = ['shadow_mode', 'quota_mode', 'detailed_metric', 'value_to_metric', 'share_threshold'] as const
const MAX_TEXT = 1000
const CONTROL = /\p{Cc}/u
/** As many as a descriptor of a call can have entries. */
const MAX_LEVELS = 50

/** Reads a domain. Throws an `InputProblem`. */
export function readDomain(value: unknown, at: string): Domain {
  const given = asObject(value, at, 'expected an object with domain and descriptors')
  rejectUnknownKeys(given, DOMAIN_KEYS, at)
  const name = asText(given.domain, below(at, 'domain'), MAX_TEXT, 1)
  if (CONTROL.test(name)) throw new InputProblem(below(at, 'domain'), 'expected a text without control characters')
  const limits: ListedLimit[] = []
  return { name, level: readLevel(given.descriptors, below(at, 'descriptors'), [], limits), limits }
}

/** The limit of a descriptor with these entries: it is at the depth of the last one. Null if there is none. */
export function findLimit({ level }: Domain, entries: readonly Entry[], steps: StepBudget): FoundLimit | null {
  const counted: Entry[] = []
  let current = level
  let node: Node | undefined
  for (const { key, value } of entries) {
    const found = find(current.get(key), value, steps)
    if (found === null) return null
    ;({ node } = found)
    counted.push({ key, value: node.isShared ? found.pattern : value })
    current = node.below
  }
  return node?.limit == null ? null : { limit: node.limit, counted }
}

function find(nodes: KeyNodes | undefined, value: string, steps: StepBudget): { node: Node; pattern: string } | null {
  if (nodes === undefined) return null
  const exact = nodes.byValue.get(value)
  if (exact !== undefined) return { node: exact, pattern: value }
  for (const { pattern, node } of nodes.wildcards)
    if (pattern.matches(value, steps)) return { node, pattern: pattern.text }
  return nodes.anyValue === null ? null : { node: nodes.anyValue, pattern: value }
}

function readLevel(value: Json | undefined, at: string, path: ListedLimit['entries'], limits: ListedLimit[]): Level {
  const level = new Map<string, KeyNodes>()
  if (value == null) return level
  if (!Array.isArray(value)) throw new InputProblem(at, 'expected a list of descriptors')
  if (path.length >= MAX_LEVELS) throw new InputProblem(at, `expected at most ${MAX_LEVELS} levels of descriptors`)
  const names = new Set<string>()
  for (const [index, item] of value.entries()) {
    const place = below(at, index)
    const given = asObject(item, place, 'expected an object with a key')
    rejectUnknownKeys(given, DESCRIPTOR_KEYS, place)
    const key = asText(given.key, below(place, 'key'), MAX_TEXT, 1)
    const text = readValue(given.value, below(place, 'value'))
    const name = text === '' ? key : `${key}_${text}`
    if (names.has(name)) throw new InputProblem(place, `the descriptor ${JSON.stringify(name)} is there twice`)
    names.add(name)
    const nodes: KeyNodes = level.get(key) ?? { byValue: new Map(), wildcards: [], anyValue: null }
    level.set(key, nodes)
    const node = readNode(given, place, [...path, text === '' ? { key } : { key, value: text }], limits)
    if (text === '') nodes.anyValue = node
    else if (text.includes('*')) nodes.wildcards.push({ pattern: readWildcard(text), node })
    else nodes.byValue.set(text, node)
  }
  return level
}

function readNode(given: JsonObject, at: string, path: ListedLimit['entries'], limits: ListedLimit[]): Node {
  for (const flag of FLAGS) if (given[flag] !== undefined) asBoolean(given[flag], below(at, flag))
  if (given.metadata !== undefined && !isRecord(given.metadata))
    throw new InputProblem(below(at, 'metadata'), 'expected an object')
  const isShared = given.share_threshold === true
  if (isShared && path.at(-1)!.value?.includes('*') !== true)
    throw new InputProblem(below(at, 'share_threshold'), 'expected a value with "*" in the same descriptor')
  const limit = given.rate_limit == null ? null : readLimit(given, below(at, 'rate_limit'))
  if (limit !== null) limits.push({ entries: path, limit })
  return { limit, isShared, below: readLevel(given.descriptors, below(at, 'descriptors'), path, limits) }
}

function readLimit({ rate_limit, shadow_mode, quota_mode }: JsonObject, at: string): ConfiguredLimit {
  const given = asObject(rate_limit, at, 'expected an object with unit and requests_per_unit')
  rejectUnknownKeys(given, LIMIT_KEYS, at)
  const isUnlimited = given.unlimited !== undefined && asBoolean(given.unlimited, below(at, 'unlimited'))
  const name = given.name === undefined ? '' : asText(given.name, below(at, 'name'), MAX_TEXT)
  const modes = { isShadow: shadow_mode === true, isQuota: quota_mode === true }
  const replaces = readReplaces(given.replaces, below(at, 'replaces'), name)
  if (isUnlimited) {
    if (given.unit !== undefined) throw new InputProblem(below(at, 'unit'), 'a limit that is unlimited has no unit')
    return { requestsPerUnit: 0, unit: null, windowSecs: 0, name, isUnlimited, replaces, ...modes }
  }
  const unit = typeof given.unit === 'string' ? unitOf(given.unit) : undefined
  if (unit === undefined)
    throw new InputProblem(below(at, 'unit'), `expected one of ${Object.keys(UNIT_SECS).join(', ').toLowerCase()}`)
  const requestsPerUnit =
    given.requests_per_unit === undefined
      ? 0
      : asInteger(given.requests_per_unit, below(at, 'requests_per_unit'), 0, MAX_UINT32)
  return { requestsPerUnit, unit, windowSecs: UNIT_SECS[unit], name, isUnlimited, replaces, ...modes }
}

/** Empty without a value. YAML may have read it as a number or a boolean. */
function readValue(value: Json | undefined, at: string): string {
  if (value == null) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return asText(value, at, MAX_TEXT)
}

function readReplaces(value: Json | undefined, at: string, own: string): string[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) throw new InputProblem(at, 'expected a list of objects with a name')
  return value.map((item, index) => {
    const place = below(at, index)
    const given = asObject(item, place, 'expected an object with a name')
    rejectUnknownKeys(given, ['name'], place)
    const name = asText(given.name, below(place, 'name'), MAX_TEXT, 1)
    if (name === own) throw new InputProblem(below(place, 'name'), 'a limit cannot replace itself')
    return name
  })
}
