/** Calls operations in the name of the client. */
import type { FastifyRequest, InProcessCall, Svc } from 'svc/plugin'

/** Operations may wait for requests, or for a reload. */
const TIMEOUT_MS = 60_000
const MAX_BYTES = 8 * 1024 * 1024

export interface OperationResult {
  status: number
  /** The parsed body if it is JSON, otherwise its text. */
  body: unknown
  text: string
}

/** Runs an operation with the credentials and the session of the client. */
export async function runOperation(
  { http }: Pick<Svc, 'http'>,
  request: FastifyRequest,
  call: InProcessCall,
): Promise<OperationResult> {
  const { status, headers, body } = await http.call(request, { ...call, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES })
  const text = body.toString()
  const isJson = String(headers['content-type'] ?? '').startsWith('application/json')
  return { status, text, body: isJson && text !== '' ? JSON.parse(text) : text }
}
