/** Errors of JSON-RPC 2.0 (section 5.1). */

/** The `error` member of a response. */
export interface RpcErrorObject {
  /** A number, or an exact number from the caller. */
  code: unknown
  message: string
  data?: unknown
}

/** Thrown by methods to return an error. */
export class RpcError extends Error {
  readonly object: RpcErrorObject
  constructor(object: RpcErrorObject) {
    super(object.message)
    this.object = object
  }
}

/** Names of the methods in list order. */
export const METHOD_NAMES = ['echo', 'add', 'subtract', 'sleep', 'error'] as const
export type MethodName = (typeof METHOD_NAMES)[number]

/** The text is not JSON. */
export const PARSE_ERROR: RpcErrorObject = { code: -32700, message: 'Parse error' }
/** The JSON is not a request. */
export const INVALID_REQUEST: RpcErrorObject = { code: -32600, message: 'Invalid Request' }
/** The response cannot be serialized. */
export const INTERNAL_ERROR: RpcErrorObject = { code: -32603, message: 'Internal error' }

export function methodNotFound(method: string): RpcErrorObject {
  return { code: -32601, message: 'Method not found', data: { method, available: METHOD_NAMES } }
}

export function invalidParams(what: string): RpcError {
  return new RpcError({ code: -32602, message: `Invalid params: ${what}` })
}
