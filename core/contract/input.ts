/** Owns how plain values in paths and queries are read: the same numbers, flags and refusals on every route. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { invalidParameter } from './http-error.ts'

/** `1,true,yes,on` in any case are true, all else is false. */
export function isTruthy(value: string | undefined | null): boolean {
  return value != null && /^(?:1|true|yes|on)$/i.test(value.trim())
}

/** Non-negative integer of decimal digits alone, leading zeros allowed; null otherwise. Beyond 2^53 it is not exact. */
export function parseInteger(text: string): number | null {
  return /^\d+$/.test(text) ? Number(text) : null
}

/** Non-negative decimal such as `2`, `1.25` or `.5`; null otherwise. */
export function parseDecimal(text: string): number | null {
  return /^(?:\d+(?:\.\d+)?|\.\d+)$/.test(text) ? Number(text) : null
}

/** The query as received, without `?`. */
export function rawQuery(request: FastifyRequest): string {
  const target = request.raw.url ?? ''
  const start = target.indexOf('?')
  return start === -1 ? '' : target.slice(start + 1)
}

/** The query, form-decoded in order, repeats kept (WHATWG URL, 5.1); its `get` answers the first value. */
export function readQuery(request: FastifyRequest): URLSearchParams {
  return new URLSearchParams(rawQuery(request))
}

/** A raw query as an object: form-decoded, repeated keys as arrays; any key is an ordinary one, `__proto__` too. */
export function queryRecord(query: string): Record<string, string | string[]> {
  const record = emptyRecord<string | string[]>()
  if (query === '') return record
  for (const [key, value] of new URLSearchParams(query)) {
    const before = record[key]
    if (before === undefined) record[key] = value
    else if (Array.isArray(before)) before.push(value)
    else record[key] = [before, value]
  }
  return record
}

/**
 * An object without inherited members, for names that come from input: `__proto__` and `constructor` are ordinary keys.
 * Unlike what `Object.create(null)` makes, the engine keeps it in its fast form.
 */
export function emptyRecord<T>(): Record<string, T> {
  return new BareRecord() as Record<string, T>
}

/** A function, since the prototype of a class can't be replaced. */
const BareRecord = function () {} as unknown as new () => object
BareRecord.prototype = Object.create(null)

export interface NumberParameter<Default> {
  /** Value when the parameter is absent. */
  fallback: Default
  /** Smallest value taken. Default 0. */
  min?: number
  /** Largest value taken. Default: none. */
  max?: number
}

/** First value of a query parameter as an integer; throws `invalid_parameter` when it is none or out of bounds. */
export function integerParameter<Default>(
  query: URLSearchParams,
  name: string,
  bounds: NumberParameter<Default>,
): number | Default {
  return numberParameter(query, name, bounds, parseInteger, 'an integer')
}

/** The same for a decimal such as `1.25`. */
export function decimalParameter<Default>(
  query: URLSearchParams,
  name: string,
  bounds: NumberParameter<Default>,
): number | Default {
  return numberParameter(query, name, bounds, parseDecimal, 'a decimal')
}

function numberParameter<Default>(
  query: URLSearchParams,
  name: string,
  { fallback, min = 0, max = Infinity }: NumberParameter<Default>,
  parse: (text: string) => number | null,
  kind: string,
): number | Default {
  const text = query.get(name)
  if (text === null) return fallback
  const value = parse(text)
  if (value !== null && value >= min && value <= max) return value
  const range = max === Infinity ? `of at least ${min}` : `from ${min} to ${max}`
  throw invalidParameter(name, `invalid ${name} ${quoteInput(text)} (expected ${kind} ${range})`)
}

/** Whether a flag is set: the bare key (`?jitter`), or one of the true values; its first occurrence counts. */
export function isFlagSet(request: FastifyRequest, name: string): boolean {
  const value = readQuery(request).get(name)
  if (value !== '') return isTruthy(value)
  return (
    rawQuery(request)
      .split('&')
      .find(pair => pair === name || pair === `${name}=`) === name
  )
}

/** The count that is served, at most `cap`; when that is less than asked for, `X-Svc-Capped: <cap>` says so. */
export function capCount(reply: FastifyReply, count: number, cap: number): number {
  if (count <= cap) return count
  reply.header('X-Svc-Capped', String(cap))
  return cap
}

/** Input in quotes for an error sentence, cut at 100 characters. */
export function quoteInput(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)
}

/**
 * A value of parsed JSON or YAML as text: what is no object as it is, lists and objects as `[…]` and `{…}`. `String` throws
 * for an object whose `toString` is no function, and for lists in lists by the thousand.
 */
export function shownText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  return Array.isArray(value) ? '[…]' : '{…}'
}
