/** Owns reading and writing JSON-RPC 2.0 messages. */
import { isRecord, isTextNestedWithin } from 'svc/toolkit'
import { CODES, transportError, RpcError } from '../errors.ts'
import type { JsonObject } from '../types.ts'
import type { JSONRPCNotification, JSONRPCRequest } from './spec.ts'

export type RequestId = string | number

export interface RpcRequest {
  kind: 'request'
  id: RequestId
  method: string
  params: JsonObject
}
export interface RpcNotification {
  kind: 'notification'
  method: string
  params: JsonObject
}
/** A client's response to a request of the server. */
export interface RpcResponse {
  kind: 'response'
  id: RequestId
  result: unknown
  error: unknown
}
export type RpcMessage = RpcRequest | RpcNotification | RpcResponse

/** Deeper bodies are rejected early, because validators and serializers recurse. */
const MAX_DEPTH = 128

/** The JSON value of a body (RFC 8259). Throws -32700 with status 400, -32600 when it is nested too deeply. */
export function parseBody(body: Buffer): unknown {
  const text = body.toString('utf8')
  if (!isTextNestedWithin(text, MAX_DEPTH))
    throw transportError(400, `Invalid Request: the JSON is nested deeper than ${MAX_DEPTH} levels`)
  try {
    return JSON.parse(text)
  } catch {
    throw new RpcError(CODES.parse, 'Parse error: the body is not valid JSON', { status: 400 })
  }
}

/** Reads a request, notification or response. Throws -32600 with status 400. */
export function readMessage(value: unknown): RpcMessage {
  if (!isRecord(value)) throw transportError(400, 'Invalid Request: a message must be a JSON object')
  if (value.jsonrpc !== '2.0') throw transportError(400, 'Invalid Request: "jsonrpc" must be "2.0"')
  const id = readId(value)
  if ('id' in value && id === null) throw transportError(400, 'Invalid Request: "id" must be a string or an integer')
  if ('method' in value) return readCall(value, id)
  if (id === null)
    throw transportError(400, 'Invalid Request: a message must have a "method", or an "id" with "result" or "error"')
  if ('result' in value === 'error' in value)
    throw transportError(400, 'Invalid Request: a response must have either "result" or "error"')
  return { kind: 'response', id, result: value.result, error: value.error }
}

/** The id of a message, which may be invalid otherwise; null if there is no valid id. */
export function readId(value: unknown): RequestId | null {
  if (!isRecord(value)) return null
  const id = value.id
  return typeof id === 'string' || Number.isInteger(id) ? (id as RequestId) : null
}

/** A response with a result that is already JSON text. */
export function resultText(id: RequestId, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`
}

export function errorText(id: RequestId | null, error: RpcError): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code: error.code, message: error.message, data: error.data } })
}

export function notificationText(method: string, params?: JsonObject): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params } satisfies JSONRPCNotification)
}

export function requestText(id: RequestId, method: string, params?: JsonObject): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params } satisfies JSONRPCRequest)
}

function readCall(value: JsonObject, id: RequestId | null): RpcRequest | RpcNotification {
  const { method, params } = value
  if (typeof method !== 'string') throw transportError(400, 'Invalid Request: "method" must be a string')
  if (params !== undefined && !isRecord(params))
    throw transportError(400, 'Invalid Request: "params" must be an object')
  return id === null
    ? { kind: 'notification', method, params: params ?? {} }
    : { kind: 'request', id, method, params: params ?? {} }
}
