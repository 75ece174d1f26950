/** Owns parsing JSON of bounded depth. */
import { isUtf8 } from 'node:buffer'
import { isNestedWithin } from 'svc/toolkit'
import { MAX_DEPTH } from '../bounds.ts'

/** `depth`: valid JSON, but nested too deeply to be serialized again. */
export type ParsedJson = { value: unknown } | { problem: 'syntax' | 'depth' }

/** Parses JSON text in UTF-8 (RFC 8259). */
export function parseJson(body: Buffer): ParsedJson {
  if (!isUtf8(body)) return { problem: 'syntax' }
  let value: unknown
  try {
    value = JSON.parse(body.toString())
  } catch {
    return { problem: 'syntax' }
  }
  return isNestedWithin(value, MAX_DEPTH) ? { value } : { problem: 'depth' }
}
