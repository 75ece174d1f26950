/** Faults and responses on demand: request headers that delay a request, make it fail, abort its connection or choose its response. */
import type { PluginRecord } from 'svc/plugin'
import { parseJson, type NameValue } from '../protocol/http.ts'

/** Values of the fault headers; empty: not sent. */
export interface Faults {
  /** Milliseconds. */
  delay: string
  /** `503`, or a word that the plugin of the route declares; `503:50` for half of the requests. */
  fail: string
  /** `reset`, or `reset:50`. */
  abort: string
  /** A status, or the response as JSON. */
  answer: string
  /** A content coding. */
  encoding: string
}

export const NO_FAULTS: Faults = { delay: '', fail: '', abort: '', answer: '', encoding: '' }

/** In the order in which the instance applies them. */
export const FAULT_HEADERS: readonly (readonly [field: keyof Faults, name: string])[] = [
  ['delay', 'X-Svc-Delay'],
  ['abort', 'X-Svc-Abort'],
  ['fail', 'X-Svc-Fail'],
  ['answer', 'X-Svc-Answer'],
  ['encoding', 'X-Svc-Encoding'],
]

/** Content codings of responses, and those that are wrong on purpose. */
export const ENCODINGS = ['gzip', 'deflate', 'br', 'zstd', 'gzip-mislabeled', 'gzip-twice', 'gzip-cut'] as const

/** Ways to abort a connection, as values of the header. */
export const ABORT_KINDS = ['reset', 'close', 'empty', 'truncate', 'bad-chunk', 'garbage'] as const

/** The headers of all faults that are set. */
export function faultHeaders(faults: Faults): NameValue[] {
  return FAULT_HEADERS.filter(([field]) => faults[field].trim() !== '').map(([field, name]) => ({
    name,
    value: field === 'answer' ? headerText(faults.answer) : faults[field].trim(),
  }))
}

/** JSON on one line of ASCII, as a header value must be; another text as it is. */
export function headerText(text: string): string {
  const value = parseJson(text)
  if (value === undefined) return text.trim()
  return JSON.stringify(value).replaceAll(/[^ -~]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** A failure that an enabled plugin declares for its routes. */
export interface DeclaredFault {
  word: string
  status: number
  /** Title of the plugin. */
  title: string
}

/** The failures that enabled plugins declare, by word. */
export function declaredFaults(plugins: readonly Pick<PluginRecord, 'state' | 'title' | 'faults'>[]): DeclaredFault[] {
  return plugins
    .filter(({ state }) => state === 'enabled')
    .flatMap(({ title, faults }) => Object.entries(faults).map(([word, { status }]) => ({ word, status, title })))
    .sort((a, b) => (a.word < b.word ? -1 : 1))
}

/** Splits `503:50` into its two parts. The default percentage is 100. */
export function splitFault(text: string): { kind: string; percent: string } {
  const [kind = '', percent = '100'] = text.split(':')
  return { kind: kind.trim(), percent: percent.replace('%', '').trim() }
}

/** Joins the two parts into a header value. */
export function joinFault({ kind, percent }: { kind: string; percent: string }): string {
  return kind === '' ? '' : percent === '100' || percent === '' ? kind : `${kind}:${percent}`
}
