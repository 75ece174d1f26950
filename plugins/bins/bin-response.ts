/** The configurable response of a bin. */
import { quoteInput } from 'svc/plugin'
import { headerProblem, isRecord } from 'svc/toolkit'
import { invalidBin } from './errors.ts'
import type { BinLimits } from './limits.ts'

/** The configuration, as clients send and receive it. */
export interface BinResponse {
  status: number
  /** Names are in lower case. */
  headers: Record<string, string>
  /** Null for the default body. */
  body: string | null
  delay_ms: number
}

const MAX_HEADERS = 20
const MAX_BODY_BYTES = 16_384
const MEMBERS = new Set(['status', 'headers', 'body', 'delay_ms'])

/** Reads the configuration in a request's body; throws `invalid_bin` for the first invalid member. */
export function readBinResponse(input: Record<string, unknown>, limits: BinLimits): BinResponse {
  const unknown = Object.keys(input).find(key => !MEMBERS.has(key))
  if (unknown !== undefined)
    throw invalidBin(`unknown member ${quoteInput(unknown)} (expected status, headers, body or delay_ms)`)
  return {
    status: readInteger(input, 'status', 200, 200, 599),
    headers: readHeaders(input.headers),
    body: readBody(input.body),
    delay_ms: readInteger(input, 'delay_ms', 0, 0, limits.max_delay_ms),
  }
}

function readInteger(input: Record<string, unknown>, name: string, fallback: number, min: number, max: number): number {
  const value = input[name]
  if (value === undefined) return fallback
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value
  throw invalidBin(`invalid ${name} (expected an integer from ${min} to ${max})`)
}

function readHeaders(input: unknown): Record<string, string> {
  const headers: Record<string, string> = Object.create(null)
  if (input === undefined) return headers
  if (!isRecord(input)) throw invalidBin('invalid headers (expected an object with string values)')
  const pairs = Object.entries(input)
  if (pairs.length > MAX_HEADERS) throw invalidBin(`too many headers: ${pairs.length} (at most ${MAX_HEADERS})`)
  for (const [name, value] of pairs) {
    if (typeof value !== 'string') throw invalidBin(`invalid value of header ${quoteInput(name)} (expected a string)`)
    const problem = headerProblem(name, value)
    if (problem === 'name') throw invalidBin(`invalid header name ${quoteInput(name)} (expected a token)`)
    if (problem === 'reserved')
      throw invalidBin(`the header ${quoteInput(name)} cannot be set: it affects the connection or the whole origin`)
    if (problem === 'value')
      throw invalidBin(
        `invalid value of header ${quoteInput(name)} (expected printable ASCII characters, spaces or tabs)`,
      )
    headers[name.toLowerCase()] = value
  }
  return headers
}

function readBody(input: unknown): string | null {
  if (input === undefined || input === null) return null
  const body = typeof input === 'string' ? input : toJson(input)
  const bytes = Buffer.byteLength(body)
  if (bytes > MAX_BODY_BYTES) throw invalidBin(`the body is too large: ${bytes} bytes (at most ${MAX_BODY_BYTES})`)
  return body
}

/** Deeply nested JSON can be parsed, but overflows the stack when it is serialized again. */
function toJson(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    throw invalidBin('the body is nested too deeply')
  }
}

/** Media type of a configured body without a `content-type` header. */
export function mediaTypeOf(body: string): string {
  try {
    JSON.parse(body)
    return 'application/json'
  } catch {
    return 'text/plain; charset=utf-8'
  }
}
