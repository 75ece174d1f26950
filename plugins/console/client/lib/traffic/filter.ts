/**
 * The filter syntax of the live traffic. All terms must match; `name:value` matches one part, `-` negates, quotes allow
 * spaces: `method:POST status:5xx -path:/ai header:via=1.1 body:"two words" session:a ip:10. anything`.
 */
import type { Entry } from '../protocol/http.ts'
import { tagsOf } from './tags.ts'

export type Predicate = (entry: Entry) => boolean

/** A parsed filter. Invalid terms are reported in `problems` and ignored. */
export interface Filter {
  matches: Predicate
  problems: string[]
}

interface Term {
  isNegated: boolean
  name: string | null
  value: string
}

const PARTS: Record<string, (value: string) => Predicate | string> = {
  method: value => entry => entry.method.toLowerCase() === value,
  status: statusTerm,
  path: value => entry => entry.uri.toLowerCase().includes(value),
  header: headerTerm,
  body: value => entry => (entry.body ?? '').toLowerCase().includes(value),
  session: value => entry => (entry.session ?? '').toLowerCase() === value,
  ip: value => entry => entry.client_ip.toLowerCase().startsWith(value),
  rule: value => entry => (entry.rule ?? '').toLowerCase() === value,
  // Instance IDs may be shortened on the page.
  replica: value => entry => (entry.replica ?? '').toLowerCase().startsWith(value),
  tag: value => entry =>
    tagsOf(entry).some(({ text }) => text.toLowerCase().includes(value)) ||
    entry.tags.some(tag => tag.toLowerCase().includes(value)),
  id: value => entry => entry.id === value || entry.request_id.toLowerCase() === value,
  after: value => timeTerm(value, (at, wanted) => at >= wanted),
  before: value => timeTerm(value, (at, wanted) => at < wanted),
  // A minimum in milliseconds: `slow:500`.
  slow: value =>
    /^\d+$/.test(value) ? entry => entry.latency_ms >= Number(value) : `slow:${value} is not a number of milliseconds`,
}

/** All names in the filter syntax, for its help. */
export const FILTER_NAMES = Object.keys(PARTS)

/** Parses a filter. An empty text matches everything. */
export function parseFilter(text: string): Filter {
  const problems: string[] = []
  const predicates: Predicate[] = []
  for (const { isNegated, name, value } of readTerms(text)) {
    const predicate = name === null ? anywhere(value.toLowerCase()) : PARTS[name]!(value.toLowerCase())
    if (typeof predicate === 'string') problems.push(predicate)
    else predicates.push(isNegated ? entry => !predicate(entry) : predicate)
  }
  // The list renders many times per second, so each entry is matched only once.
  const results = new WeakMap<Entry, boolean>()
  function matches(entry: Entry): boolean {
    const known = results.get(entry) ?? predicates.every(predicate => predicate(entry))
    results.set(entry, known)
    return known
  }
  return { matches, problems }
}

/** Splits at spaces outside quotes. An unknown name before a colon is part of the text (a URL, a time). */
function readTerms(text: string): Term[] {
  const terms: Term[] = []
  for (const [word] of text.matchAll(/(?:[^\s"]|"[^"]*"?)+/g)) {
    const isNegated = word.startsWith('-') && word.length > 1
    const positive = isNegated ? word.slice(1) : word
    const colon = positive.indexOf(':')
    const name = colon > 0 ? positive.slice(0, colon).toLowerCase() : null
    const isPart = name !== null && Object.hasOwn(PARTS, name)
    const value = (isPart ? positive.slice(colon + 1) : positive).replaceAll('"', '')
    // A name without a value, or a lone `-`, is still being typed.
    if (value !== '' && word !== '-') terms.push({ isNegated, name: isPart ? name : null, value })
  }
  return terms
}

function anywhere(value: string): Predicate {
  return entry =>
    entry.uri.toLowerCase().includes(value) ||
    entry.method.toLowerCase() === value ||
    String(entry.status) === value ||
    (entry.session ?? '').toLowerCase().includes(value) ||
    entry.headers.some(header => header.name.includes(value) || header.value.toLowerCase().includes(value)) ||
    (entry.body ?? '').toLowerCase().includes(value)
}

/** `503`, `5xx`, `5`, `>=400`, `<300`. */
function statusTerm(value: string): Predicate | string {
  const range = /^([1-5])(?:xx?)?$/.exec(value)
  if (range) return entry => Math.floor(entry.status / 100) === Number(range[1])
  const bound = /^([<>]=?)?(\d{3})$/.exec(value)
  if (bound === null) return `status:${value} is not a status (503), a class (5xx) or a comparison (>=400)`
  const wanted = Number(bound[2])
  switch (bound[1]) {
    case '<':
      return entry => entry.status < wanted
    case '<=':
      return entry => entry.status <= wanted
    case '>':
      return entry => entry.status > wanted
    case '>=':
      return entry => entry.status >= wanted
    default:
      return entry => entry.status === wanted
  }
}

/** A local time of today: `14:05`, `14:05:30`. */
function timeTerm(value: string, holds: (at: number, wanted: number) => boolean): Predicate | string {
  const [, hours, minutes, seconds = '0'] = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(value) ?? []
  if (hours === undefined || minutes === undefined) return `${value} is not a time of day (14:05:30)`
  const wanted = new Date().setHours(Number(hours), Number(minutes), Number(seconds), 0)
  return entry => holds(Date.parse(entry.timestamp), wanted)
}

/** The filter limited to a period, in milliseconds since 1970; replaces an earlier period. */
export function withPeriod(text: string, from: number, to: number): string {
  const time = (at: number): string => new Date(at).toTimeString().slice(0, 8)
  const rest = text.replace(/(?:^|\s)(?:after|before):\S*/g, '').trim()
  return `${rest} after:${time(from)} before:${time(to)}`.trim()
}

/** `x-kong` (prefix of a name), `via=1.1` (name and part of the value). */
function headerTerm(value: string): Predicate {
  const equals = value.indexOf('=')
  if (equals === -1) return entry => entry.headers.some(({ name }) => name.startsWith(value))
  const [name, wanted] = [value.slice(0, equals), value.slice(equals + 1)]
  return entry => entry.headers.some(header => header.name === name && header.value.toLowerCase().includes(wanted))
}
