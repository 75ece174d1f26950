/** Faults on demand: headers of a request that make the instance slow, fail it or break its connection. */
import type { NameValue } from '../protocol/http.ts'

/** As their headers have them; empty: none. */
export interface Faults {
  /** Milliseconds. */
  delay: string
  /** `503`, or `503:50` for half of the requests. */
  fail: string
  /** `reset`, or `reset:50`. */
  abort: string
}

export const NO_FAULTS: Faults = { delay: '', fail: '', abort: '' }

/** In the order in which they act. */
export const FAULT_HEADERS: readonly (readonly [field: keyof Faults, name: string])[] = [
  ['delay', 'X-Svc-Delay'],
  ['abort', 'X-Svc-Abort'],
  ['fail', 'X-Svc-Fail'],
]

/** Ways to break a connection, in the words of the header. */
export const ABORT_KINDS = ['reset', 'close', 'empty', 'truncate', 'bad-chunk'] as const

/** The headers of those that are set. */
export function faultHeaders(faults: Faults): NameValue[] {
  return FAULT_HEADERS.filter(([field]) => faults[field].trim() !== '').map(([field, name]) => ({
    name,
    value: faults[field].trim(),
  }))
}

/** `503:50` as its two parts; without a percentage it is 100. */
export function splitFault(text: string): { kind: string; percent: string } {
  const [kind = '', percent = '100'] = text.split(':')
  return { kind: kind.trim(), percent: percent.replace('%', '').trim() }
}

/** The two parts as the header has them. */
export function joinFault({ kind, percent }: { kind: string; percent: string }): string {
  return kind === '' ? '' : percent === '100' || percent === '' ? kind : `${kind}:${percent}`
}
