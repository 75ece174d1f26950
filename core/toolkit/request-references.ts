/** The references that all templates share: data of the request, the session, the time, and what is drawn. */
import type { Json } from '../contract/json.ts'
import { memberAt, type LookUp, type ReferenceWords } from './references.ts'

/** Largest argument of `random.hex`, in digits. */
const MAX_HEX = 1024

/** The words of references in rules of all kinds. Plugins add their own. */
export const RULE_REFERENCES: ReferenceWords = {
  request: {
    method: 'nothing',
    path: 'any',
    url: 'nothing',
    segments: 'names',
    query: 'names',
    header: 'names',
    cookie: 'names',
    body: 'any',
    host: 'nothing',
    scheme: 'nothing',
    client_ip: 'nothing',
  },
  session: 'nothing',
  count: 'nothing',
  now: { '': 'nothing', epoch: 'nothing', epoch_ms: 'nothing' },
  uuid: 'nothing',
  random: {
    int: names =>
      rangeOf(names) === null ? 'expected two whole numbers after random.int, such as random.int.1.6' : null,
    hex: names =>
      digitsOf(names) === null ? `expected a number from 1 to ${MAX_HEX} after random.hex, such as random.hex.8` : null,
  },
}

/** A request as references see it. */
export interface ReferencedRequest {
  readonly method: string
  /** Decoded, without the query. */
  readonly path: string
  /** Path and query as received. */
  readonly url: string
  /** Decoded. */
  readonly segments: readonly string[]
  /** Lower case, without its port. */
  readonly host: string | undefined
  readonly scheme: string
  readonly clientIp: string
  /** What the path captures. */
  captures(): ReadonlyMap<string, string>
  queryValues(name: string): readonly string[]
  header(name: string): string | undefined
  cookie(name: string): string | undefined
  /** The body as JSON, preferably with the digits of long integers (`parseExactJson`), or a form as an object. */
  json(): Json | undefined
  /** The body as text; null if it is not UTF-8. */
  text(): string | null
}

export interface ReferenceFacts {
  request: ReferencedRequest
  session: string
  /** From 1. */
  count: number
  now(): Date
  uuid(): string
  /** The next number of a repeatable sequence, from 0 to below 1. */
  draw(): number
}

/** Looks up the references of `RULE_REFERENCES`. `others` finds those of further words. */
export function createLookUp(
  { request, session, count, now, uuid, draw }: ReferenceFacts,
  others: (word: string, names: readonly string[]) => Json | undefined = () => undefined,
): LookUp {
  return reference => {
    const [word = '', ...names] = reference.split('.')
    switch (word) {
      case 'request':
        return requestValue(names, request)
      case 'session':
        return session
      case 'count':
        return count
      case 'now':
        return timeOf(now(), names[0])
      case 'uuid':
        return uuid()
      case 'random':
        return drawnValue(names, draw)
      default:
        return others(word, names)
    }
  }
}

function requestValue([part, ...names]: readonly string[], request: ReferencedRequest): Json | undefined {
  const name = names.join('.')
  switch (part) {
    case 'method':
      return request.method
    case 'url':
      return request.url
    case 'host':
      return request.host
    case 'scheme':
      return request.scheme
    case 'client_ip':
      return request.clientIp
    case 'path':
      return name === '' ? request.path : request.captures().get(name)
    case 'segments':
      return /^\d{1,5}$/.test(name) ? request.segments[Number(name)] : undefined
    case 'query':
      return queryValue(names, request)
    case 'header':
      return request.header(name.toLowerCase())
    case 'cookie':
      return request.cookie(name)
    case 'body':
      return names.length === 0 ? (request.json() ?? request.text() ?? undefined) : memberAt(request.json(), names)
    default:
      return undefined
  }
}

/** The first value of a parameter, or the one with the index that follows its name. */
function queryValue(names: readonly string[], request: ReferencedRequest): string | undefined {
  const first = request.queryValues(names.join('.'))[0]
  const index = names.at(-1)!
  if (first !== undefined || names.length < 2 || !/^\d{1,5}$/.test(index)) return first
  return request.queryValues(names.slice(0, -1).join('.'))[Number(index)]
}

function timeOf(now: Date, unit: string | undefined): Json {
  if (unit === 'epoch') return Math.floor(now.getTime() / 1000)
  return unit === 'epoch_ms' ? now.getTime() : now.toISOString()
}

function drawnValue([kind, ...names]: readonly string[], draw: () => number): Json | undefined {
  if (kind === 'hex') {
    const digits = digitsOf(names) ?? 0
    return Array.from({ length: digits }, () => Math.floor(draw() * 16).toString(16)).join('')
  }
  const range = rangeOf(names)
  return kind === 'int' && range !== null ? range.from + Math.floor(draw() * (range.to - range.from + 1)) : undefined
}

function rangeOf(names: readonly string[]): { from: number; to: number } | null {
  if (names.length !== 2 || !names.every(name => /^-?\d{1,15}$/.test(name))) return null
  const [from, to] = names.map(Number) as [number, number]
  return from <= to ? { from, to } : null
}

function digitsOf(names: readonly string[]): number | null {
  const digits = names.length === 1 && /^\d{1,4}$/.test(names[0]!) ? Number(names[0]) : 0
  return digits >= 1 && digits <= MAX_HEX ? digits : null
}
