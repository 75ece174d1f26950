/** W3C Trace Context: reads the trace of a request, and prints the response header. */
import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { trimCharacters } from '../fields/trim.ts'

/** A valid `traceparent`, with the accompanying `tracestate`. */
export interface TraceParent {
  /** 32 hex digits. */
  traceId: string
  /** 16 hex digits: the span of the caller. */
  spanId: string
  /** Whether the caller records the trace. */
  sampled: boolean
  /** Members of `tracestate` as received; null if absent or invalid. */
  state: string | null
}

/** The position of a request in its trace. */
export interface TraceContext {
  traceId: string
  /** The span of the request itself. */
  spanId: string
  /** Null if the trace begins here. */
  parentSpanId: string | null
  sampled: boolean
  state: string | null
}

/**
 * `version "-" trace-id "-" parent-id "-" trace-flags`; later versions may append fields (Trace Context, 3.2.2 and 4).
 */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/
const MEMBER = /^[a-z0-9][a-z0-9_\-*/@]{0,255}=[ -+\--<>-~]{0,255}[!-+\--<>-~]$/
const MAX_MEMBERS = 32

/** Null if the header is absent, repeated or invalid; the request then starts a new trace (Trace Context, 4.3). */
export function readTraceParent(headers: IncomingHttpHeaders): TraceParent | null {
  const value = headers.traceparent
  const match = typeof value === 'string' ? TRACEPARENT.exec(value) : null
  if (match === null) return null
  const [, version, traceId, spanId, flags, more] = match
  if (version === '00' && more !== undefined) return null
  return {
    traceId: traceId!,
    spanId: spanId!,
    sampled: (Number.parseInt(flags!, 16) & 1) === 1,
    state: readState(headers.tracestate),
  }
}

/**
 * A list that violates the grammar is dropped as a whole, and the trace continues without it (Trace Context, 3.3.1).
 */
function readState(value: string | string[] | undefined): string | null {
  if (value === undefined) return null
  const members = String(value)
    .split(',')
    .map(member => trimCharacters(member, ' \t'))
    .filter(member => member !== '')
  const keys = new Set(members.map(member => member.split('=', 1)[0]))
  const isValid =
    members.length > 0 &&
    members.length <= MAX_MEMBERS &&
    keys.size === members.length &&
    members.every(member => MEMBER.test(member))
  return isValid ? members.join(',') : null
}

/** The trace context of a request that is not recorded: it continues the trace of its caller or starts a new one. */
export function joinTrace(parent: TraceParent | null): TraceContext {
  return {
    traceId: parent?.traceId ?? randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    parentSpanId: parent?.spanId ?? null,
    sampled: parent?.sampled ?? false,
    state: parent?.state ?? null,
  }
}

/** Value of `traceparent` in a request that the span of a request sends (Trace Context, 3.2). */
export function printTraceParent({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`
}

/**
 * Value of `traceresponse` (Trace Context Level 2 draft, "Traceresponse Header"): the trace and the span of the
 * response.
 */
export const printTraceResponse = printTraceParent
