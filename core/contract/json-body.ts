/** Reads request bodies as JSON objects. */
import { isUtf8 } from 'node:buffer'
import { isRecord } from './record.ts'

/** Parses a body as a JSON object (RFC 8259). Returns `{}` for an empty body, and null for anything but an object. */
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
