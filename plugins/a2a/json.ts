/** Owns how bytes become a JSON value of bounded depth. */
import { isUtf8 } from 'node:buffer'
import { MAX_DEPTH } from './bounds.ts'

/** `depth`: valid, but nested deeper than anything that is written again later could bear. */
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
  return isDeeper(value, MAX_DEPTH) ? { problem: 'depth' } : { value }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  for (const member of Object.values(value)) if (isDeeper(member, levels - 1)) return true
  return false
}
