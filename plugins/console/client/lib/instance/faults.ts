/** Faults on demand: request headers that delay a request, make it fail or abort its connection. */
import type { NameValue } from '../protocol/http.ts'

/** Values of the fault headers; empty: not sent. */
export interface Faults {
  /** Milliseconds. */
  delay: string
  /** `503`, or `503:50` for half of the requests. */
  fail: string
  /** `reset`, or `reset:50`. */
  abort: string
}

export const NO_FAULTS: Faults = { delay: '', fail: '', abort: '' }

/** In the order in which the instance applies them. */
export const FAULT_HEADERS: readonly (readonly [field: keyof Faults, name: string])[] = [
  ['delay', 'X-Svc-Delay'],
  ['abort', 'X-Svc-Abort'],
  ['fail', 'X-Svc-Fail'],
]

/** Ways to abort a connection, as values of the header. */
export const ABORT_KINDS = ['reset', 'close', 'empty', 'truncate', 'bad-chunk'] as const

/** The headers of all faults that are set. */
export function faultHeaders(faults: Faults): NameValue[] {
  return FAULT_HEADERS.filter(([field]) => faults[field].trim() !== '').map(([field, name]) => ({
    name,
    value: faults[field].trim(),
  }))
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
