/** Owns the JSON-RPC error codes of the protocol, and the classes of errors. */

import { StateUnavailable } from 'svc/plugin'

/** Codes of JSON-RPC 2.0 (section 5.1) and of MCP, and two own codes outside the reserved range. */
export const CODES = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  sessionNotFound: -32001,
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
  scopeMissing: 403,
  cancelled: 499,
} as const

/** Details of an error, in addition to its code and message. */
export interface RpcErrorDetails {
  data?: unknown
  /** HTTP status of an error of the transport; absent for errors of a handler, which are sent with status 200. */
  status?: number
  headers?: Record<string, string>
}

/** A JSON-RPC error: `{"error": {code, message, data}}`. */
export class RpcError extends Error {
  readonly code: number
  readonly data: unknown
  readonly status: number | undefined
  readonly headers: Record<string, string>

  constructor(code: number, message: string, details: RpcErrorDetails = {}) {
    super(message)
    this.code = code
    this.data = details.data
    this.status = details.status
    this.headers = details.headers ?? {}
  }
}

/** A failure of the state store as an error of the protocol; other errors stay as they are. */
export function withStateError(error: unknown): unknown {
  if (!(error instanceof StateUnavailable)) return error
  const isFull = error.code === 'STATE_FULL'
  return new RpcError(CODES.internal, `The state store is ${isFull ? 'full' : 'unavailable'}`, {
    status: 503,
    headers: { 'X-Svc-State-Store': isFull ? 'full' : 'away', 'Retry-After': isFull ? '5' : '1' },
  })
}

/** An error of the transport: code -32600 with the given HTTP status. */
export function transportError(status: number, message: string, headers?: Record<string, string>): RpcError {
  return new RpcError(CODES.invalidRequest, message, headers ? { status, headers } : { status })
}

/** Invalid parameters (-32602, with HTTP status 200). */
export function invalidParams(message: string, data?: unknown): RpcError {
  return new RpcError(CODES.invalidParams, message, { data })
}

export function methodNotFound(method: string): RpcError {
  return new RpcError(CODES.methodNotFound, `Method not found: ${shorten(method)}`)
}

/** A failure to report in a tool result (`isError`). */
export class ToolFailure extends Error {}

/** The client canceled the request, so no response is sent. */
export class Cancelled extends Error {
  constructor() {
    super('cancelled')
  }
}

/** A text from the client, truncated for error messages. */
export function shorten(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
