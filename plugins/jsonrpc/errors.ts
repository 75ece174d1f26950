/** Owns the errors of JSON-RPC 2.0, section 5.1. */

/** The `error` member of a reply. */
export interface RpcErrorObject {
  /** A number, or an exact one that a caller asked for. */
  code: unknown
  message: string
  data?: unknown
}

/** What a method throws instead of answering. */
export class RpcError extends Error {
  readonly object: RpcErrorObject
  constructor(object: RpcErrorObject) {
    super(object.message)
    this.object = object
  }
}

/** Names of the methods, in the order in which they are listed. */
export const METHOD_NAMES = ['echo', 'add', 'subtract', 'sleep', 'error'] as const
export type MethodName = (typeof METHOD_NAMES)[number]

/** The text is no JSON. */
export const PARSE_ERROR: RpcErrorObject = { code: -32700, message: 'Parse error' }
/** The JSON is no request. */
export const INVALID_REQUEST: RpcErrorObject = { code: -32600, message: 'Invalid Request' }
/** The reply could not be written. */
export const INTERNAL_ERROR: RpcErrorObject = { code: -32603, message: 'Internal error' }

export function methodNotFound(method: string): RpcErrorObject {
  return { code: -32601, message: 'Method not found', data: { method, available: METHOD_NAMES } }
}

export function invalidParams(what: string): RpcError {
  return new RpcError({ code: -32602, message: `Invalid params: ${what}` })
}
