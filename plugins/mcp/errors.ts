/** Owns the JSON-RPC error codes of the protocol and the one class in which errors travel to the wire. */

/** Codes of JSON-RPC 2.0 (section 5.1), of the protocol's revisions, and two of our own outside the reserved range. */
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

/** How an error leaves: what it adds to code and message. */
export interface RpcErrorDetails {
  data?: unknown
  /** HTTP status of a refusal by the transport; absent for what a handler finds, which goes in-band. */
  status?: number
  headers?: Record<string, string>
}

/** An answer of the form `{"error": {code, message, data}}`. */
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

/** A refusal by the transport: code -32600, answered with the given status. */
export function refusal(status: number, message: string, headers?: Record<string, string>): RpcError {
  return new RpcError(CODES.invalidRequest, message, headers ? { status, headers } : { status })
}

/** Parameters that a handler can't use (-32602, in-band). */
export function invalidParams(message: string, data?: unknown): RpcError {
  return new RpcError(CODES.invalidParams, message, { data })
}

export function methodNotFound(method: string): RpcError {
  return new RpcError(CODES.methodNotFound, `Method not found: ${shorten(method)}`)
}

/** A failure that a tool result reports (`isError`), thrown where no result can be returned. */
export class ToolFailure extends Error {}

/** The client cancelled: nobody waits for an answer. */
export class Cancelled extends Error {
  constructor() {
    super('cancelled')
  }
}

/** A text of the client, cut so that an error message stays readable. */
export function shorten(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
