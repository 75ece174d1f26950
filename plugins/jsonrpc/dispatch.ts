/** Dispatches JSON-RPC messages: validates requests, calls methods and creates the responses (JSON-RPC 2.0, 4 to 6). */
import { isRecord } from 'svc/toolkit'
import { ExactNumber, parseExactly, writeExactly } from './exact-json.ts'
import {
  INTERNAL_ERROR,
  INVALID_REQUEST,
  methodNotFound,
  PARSE_ERROR,
  RpcError,
  type RpcErrorObject,
} from './errors.ts'
import { METHODS, type MethodHost, type Params } from './methods.ts'

export interface DispatchHost extends MethodHost {
  /** Maximum number of requests in a batch. */
  maxBatch: number
}

type Id = string | number | ExactNumber | null
type Outcome = { result: unknown } | { error: RpcErrorObject }

/** The text of the response; null if the message contains only notifications. */
export async function dispatch(body: Buffer, host: DispatchHost): Promise<string | null> {
  const message = parseExactly(body)
  if (message === undefined) return write({ error: PARSE_ERROR }, null)
  if (!Array.isArray(message)) return runItem(message, host)
  if (message.length === 0 || message.length > host.maxBatch) return write({ error: INVALID_REQUEST }, null)
  const replies = (await Promise.all(message.map(item => runItem(item, host)))).filter(reply => reply !== null)
  return replies.length === 0 ? null : `[${replies.join(',')}]`
}

async function runItem(item: unknown, host: MethodHost): Promise<string | null> {
  if (!isRequest(item)) return write({ error: INVALID_REQUEST }, idOf(item))
  const outcome = await call(item.method, item.params, host)
  return Object.hasOwn(item, 'id') ? write(outcome, idOf(item)) : null
}

/** An item that is not a valid request gets an error even without an id, because it is not a notification. */
function isRequest(item: unknown): item is { method: string; params?: unknown } {
  return (
    isRecord(item) &&
    item.jsonrpc === '2.0' &&
    typeof item.method === 'string' &&
    (!Object.hasOwn(item, 'id') || isId(item.id))
  )
}

function isId(value: unknown): value is Id {
  return value === null || typeof value === 'string' || typeof value === 'number' || value instanceof ExactNumber
}

function idOf(item: unknown): Id {
  return isRecord(item) && isId(item.id) ? item.id : null
}

async function call(name: string, params: unknown, host: MethodHost): Promise<Outcome> {
  const method = METHODS.get(name)
  if (method === undefined) return { error: methodNotFound(name) }
  if (!isParams(params)) return { error: { code: -32602, message: 'Invalid params: must be an array or an object' } }
  try {
    return { result: await method(params, host) }
  } catch (error) {
    if (error instanceof RpcError) return { error: error.object }
    throw error
  }
}

/** Excludes exact numbers, which are objects as well. */
function isParams(value: unknown): value is Params {
  return value === undefined || (typeof value === 'object' && value !== null && !(value instanceof ExactNumber))
}

function write(outcome: Outcome, id: Id): string {
  try {
    return writeExactly({ jsonrpc: '2.0', ...outcome, id })
  } catch {
    // JSON that can be parsed may be nested too deeply to be serialized.
    return writeExactly({ jsonrpc: '2.0', error: INTERNAL_ERROR, id })
  }
}
