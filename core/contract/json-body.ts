/** Owns how a request's body is read as a JSON object, on every route that takes one. */
import { isUtf8 } from 'node:buffer'
import { isRecord } from './record.ts'

/** The body as a JSON object (RFC 8259), an empty one when there is no body; null when it is anything else. */
export function readJsonObject(body: Buffer): Record<string, unknown> | null {
  if (body.length === 0) return {}
  if (!isUtf8(body)) return null
  let value: unknown
  try {
    value = JSON.parse(body.toString())
  } catch {
    return null
  }
  return isRecord(value) ? value : null
}
