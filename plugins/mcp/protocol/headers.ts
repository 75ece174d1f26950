/** Owns request headers that repeat parts of the body: reading, decoding and comparing them. */
import type { FastifyRequest } from 'svc/plugin'
import { CODES, RpcError } from '../errors.ts'
import type { RpcRequest } from './json-rpc.ts'

/** Returns the value of a header: undefined if absent, null if repeated, which never matches. */
export type HeaderReader = (name: string) => string | null | undefined

export function headerReader(request: FastifyRequest): HeaderReader {
  return name => {
    const value = request.headers[name]
    if (value === undefined) return undefined
    if (Array.isArray(value)) return null
    // Node joins repeated headers with commas, so other values can't be repeated.
    return value.includes(',') && countLines(request.raw.rawHeaders, name) > 1 ? null : value
  }
}

/** Decodes `=?base64?…?=` (base64 of UTF-8); other values are literal. Throws -32020 on malformed base64. */
export function decodeHeader(header: string, value: string): string {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1]
  if (encoded === undefined) return value
  const bytes = Buffer.from(encoded, 'base64')
  const text = bytes.toString('utf8')
  // Encoding it again must give the same text, which requires padded, canonical base64 and valid UTF-8.
  if (bytes.toString('base64') !== encoded || !Buffer.from(text, 'utf8').equals(bytes))
    throw mismatch(`${header} header is not valid base64 of UTF-8`)
  return text
}

/** The inverse of `decodeHeader`. */
export function encodeHeader(value: string): string {
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith('=?base64?')
    ? value
    : `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`
}

/** Compares as text, but integers as numbers, so that `42.0` equals 42. */
export function equalsArgument(value: string, argument: unknown): boolean {
  if (Number.isInteger(argument)) return /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(value) && Number(value) === argument
  return ['string', 'boolean', 'number'].includes(typeof argument) && value === String(argument)
}

/** The parameter that `Mcp-Name` repeats, by method. */
const ROUTED_PARAMETERS: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
])

/** The methods of the tasks extension. */
export type TaskMethodName = 'tasks/get' | 'tasks/update' | 'tasks/cancel'
const TASK_METHODS: ReadonlySet<string> = new Set<TaskMethodName>(['tasks/get', 'tasks/update', 'tasks/cancel'])

/** The value that `Mcp-Name` must repeat; null for other methods. `hasTasks`: whether tasks are named, too. */
export function routedName(
  { method, params }: Pick<RpcRequest, 'method' | 'params'>,
  hasTasks: boolean,
): string | null {
  const parameter = hasTasks && TASK_METHODS.has(method) ? 'taskId' : ROUTED_PARAMETERS.get(method)
  const name = parameter === undefined ? undefined : params[parameter]
  return typeof name === 'string' ? name : null
}

/** -32020 with status 400. */
export function mismatch(problem: string): RpcError {
  return new RpcError(CODES.headerMismatch, `Header mismatch: ${problem}`, { status: 400 })
}

function countLines(rawHeaders: readonly string[], name: string): number {
  return rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length
}
