/** Reads numbers, flags and other plain values from paths and queries, in the same way on all routes. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { invalidParameter } from './http-error.ts'

/** True for `1`, `true`, `yes` and `on` in any case, otherwise false. */
export function isTruthy(value: string | undefined | null): boolean {
  return value != null && /^(?:1|true|yes|on)$/i.test(value.trim())
}

/** Parses a non-negative integer of decimal digits, otherwise returns null. Values above 2^53 are not exact. */
export function parseInteger(text: string): number | null {
  return /^\d+$/.test(text) ? Number(text) : null
}

/** Parses a non-negative decimal such as `2`, `1.25` or `.5`, otherwise returns null. */
export function parseDecimal(text: string): number | null {
  return /^(?:\d+(?:\.\d+)?|\.\d+)$/.test(text) ? Number(text) : null
}

/** The query string as received, without `?`. */
export function rawQuery(request: FastifyRequest): string {
  const target = request.raw.url ?? ''
  const start = target.indexOf('?')
  return start === -1 ? '' : target.slice(start + 1)
}

/** The decoded query parameters in order, including repeated ones (WHATWG URL, 5.1). */
export function readQuery(request: FastifyRequest): URLSearchParams {
  return new URLSearchParams(rawQuery(request))
}

/** The decoded query parameters as an object, with arrays for repeated keys. Keys such as `__proto__` are safe. */
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
 * An object without inherited members, for keys that come from input: `__proto__` and `constructor` are ordinary keys.
 * V8 keeps it in fast mode, unlike an object created by `Object.create(null)`.
 */
export function emptyRecord<T>(): Record<string, T> {
  return new BareRecord() as Record<string, T>
}

/** A function, since the prototype of a class can't be replaced. */
const BareRecord = function () {} as unknown as new () => object
BareRecord.prototype = Object.create(null)

export interface NumberParameter<Default> {
  /** Value if the parameter is absent. */
  fallback: Default
  /** Smallest valid value. Default: 0. */
  min?: number
  /** Largest valid value. Default: no limit. */
  max?: number
}

/** The first value of a query parameter as an integer. Throws `invalidParameter` if it is not an integer or out of bounds. */
export function integerParameter<Default>(
  query: URLSearchParams,
  name: string,
  bounds: NumberParameter<Default>,
): number | Default {
  return numberParameter(query, name, bounds, parseInteger, 'an integer')
}

/** Like `integerParameter`, for decimals such as `1.25`. */
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

/**
 * Id of the last event that the client received (WHATWG HTML, 9.2.4): the header `Last-Event-ID`, otherwise `last_event_id`
 * or `lastEventId` of the query, by which polyfills of `EventSource` resume. Empty if there is none.
 */
export function lastEventIdOf(request: FastifyRequest): string {
  const header = request.headers['last-event-id']
  if (typeof header === 'string' && header !== '') return header
  const query = readQuery(request)
  return query.get('last_event_id') ?? query.get('lastEventId') ?? ''
}

/** Whether a flag is set: as a key without a value (`?jitter`) or with a true value. The first occurrence counts. */
export function isFlagSet(request: FastifyRequest, name: string): boolean {
  const value = readQuery(request).get(name)
  if (value !== '') return isTruthy(value)
  return (
    rawQuery(request)
      .split('&')
      .find(pair => pair === name || pair === `${name}=`) === name
  )
}

/** Limits a requested count to `cap`. If the count is reduced, the response gets `X-Svc-Capped: <cap>`. */
export function capCount(reply: FastifyReply, count: number, cap: number): number {
  if (count <= cap) return count
  reply.header('X-Svc-Capped', String(cap))
  return cap
}

/** Input as quoted text for an error message, truncated to 100 characters. */
export function quoteInput(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)
}

/**
 * A value of parsed JSON or YAML as short text: primitives as they are, arrays as `[…]`, objects as `{…}`. Use it instead
 * of `String`, which throws for deeply nested arrays and for objects with a `toString` that is not a function.
 */
export function shownText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  return Array.isArray(value) ? '[…]' : '{…}'
}
