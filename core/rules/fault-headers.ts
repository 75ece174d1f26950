/** Faults requested by header: `X-Svc-Delay`, `X-Svc-Abort` and `X-Svc-Fail`. */
import { STATUS_CODES } from 'node:http'
import type { AbortKind } from '../contract/plugin.ts'

/** The accepted values of each header, for the response to a value that cannot be parsed. */
export const EXPECTED = {
  delay: 'expected whole milliseconds, such as 250',
  abort: 'expected reset, close, empty, truncate, bad-chunk or garbage, with or without :<percent>',
  fail: 'expected a status from 400 to 599, with or without :<percent>',
} as const

/** Whether an `X-Svc-Delay` value is a number of milliseconds. */
export function isDelay(value: string): boolean {
  return /^\d+$/.test(value.trim())
}

/** Milliseconds of an `X-Svc-Delay` value, capped at `capMs`; 0 if it is absent or not a whole number. */
export function parseDelay(value: string | undefined, capMs: number): number {
  return value !== undefined && isDelay(value) ? Math.min(Number(value.trim()), capMs) : 0
}

export interface Fail {
  /** 400 to 599. */
  status: number
  /** Percentage of requests that fail, 0 to 100. */
  percent: number
}

/** Ways to break a connection, ordered by how much of the response is sent before. */
export const CONNECTION_FAULTS: readonly AbortKind[] = ['reset', 'close', 'empty', 'truncate', 'bad-chunk', 'garbage']
export type ConnectionFault = AbortKind

export interface Abort {
  fault: ConnectionFault
  /** Percentage of requests that are aborted, 0 to 100. */
  percent: number
}

/**
 * Parses an `X-Svc-Abort` value: `<fault>` or `<fault>:<percent>`, case-insensitive, optionally followed by `%`. Null
 * if it is absent or invalid.
 */
export function parseAbort(value: string | undefined): Abort | null {
  if (value === undefined) return null
  const match = /^([a-z-]{1,16})(?:[ \t]*:[ \t]*(\d{1,3})(?:[ \t]*%)?)?$/i.exec(value.trim())
  if (match === null) return null
  const fault = CONNECTION_FAULTS.find(name => name === match[1]!.toLowerCase())
  const percent = match[2] === undefined ? 100 : Number(match[2])
  return fault !== undefined && percent <= 100 ? { fault, percent } : null
}

/** The body of which an aborted response sends a part. */
export function abortedBody(fault: ConnectionFault, percent: number): Buffer {
  return Buffer.from(
    JSON.stringify({
      error: 'injected fault',
      abort: fault,
      percent,
      injected_by: 'X-Svc-Abort',
      note: 'the connection breaks before this point',
    }),
  )
}

/**
 * Parses an `X-Svc-Fail` value: `<status>` or `<status>:<percent>`, optionally followed by `%`. Null if it is absent or
 * invalid.
 */
export function parseFail(value: string | undefined): Fail | null {
  const read = readShare(value)
  return read !== null && /^[45]\d\d$/.test(read.what) ? { status: Number(read.what), percent: read.percent } : null
}

/** Parses the same with one of `words` instead of the status. */
export function parseFailWord(
  value: string | undefined,
  words: readonly string[],
): { word: string; percent: number } | null {
  const read = readShare(value)
  return read !== null && words.includes(read.what) ? { word: read.what, percent: read.percent } : null
}

/** `<what>` or `<what>:<percent>`, optionally followed by `%`. */
function readShare(value: string | undefined): { what: string; percent: number } | null {
  const match = /^([a-z0-9_-]{1,40})(?:[ \t]*:[ \t]*(\d{1,3})(?:[ \t]*%)?)?$/.exec(value?.trim() ?? '')
  if (match === null) return null
  const percent = match[2] === undefined ? 100 : Number(match[2])
  return percent <= 100 ? { what: match[1]!, percent } : null
}

/** The accepted values of `X-Svc-Fail` on routes of a plugin that declares these words. */
export function expectedFail(words: readonly string[]): string {
  return words.length === 0 ? EXPECTED.fail : `${EXPECTED.fail}; or a word: ${words.join(', ')}`
}

/**
 * Whether this request is affected; each request is decided independently. `random` returns a number from 0 to below 1.
 */
export function rollPercent(percent: number, random: () => number = Math.random): boolean {
  return percent >= 100 || random() * 100 < percent
}

/** Body of an injected failure. */
export function injectedFaultBody(
  status: number,
  percent: number,
  injectedBy = 'X-Svc-Fail',
): { error: string; status: number; reason: string; percent: number; injected_by: string } {
  return {
    error: 'injected fault',
    status,
    reason: STATUS_CODES[status] ?? 'Error',
    percent,
    injected_by: injectedBy,
  }
}
