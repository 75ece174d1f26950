/** Reads JSON of a bridged server, within bounds of what it becomes in memory. */
import { excessOfJsonText } from 'svc/toolkit'
import { CODES, RpcError, shorten } from '../errors.ts'

const BOUNDS = { levels: 100, values: 100_000 }

/** Throws an `RpcError` for a text that is not JSON, or has too many values or levels. */
export function parseForeignJson(text: string): unknown {
  const excess = excessOfJsonText(text, BOUNDS)
  if (excess !== null)
    throw new RpcError(CODES.internal, `the server sent JSON with more than ${BOUNDS[excess]} ${excess}`)
  try {
    return JSON.parse(text)
  } catch {
    throw new RpcError(CODES.internal, `the server sent invalid JSON: ${shorten(text.slice(0, 60))}`)
  }
}
