/** JSON values: safe access by untrusted keys, comparison and merging. */
import { isNestedWithin, isRecord, own } from 'svc/toolkit'
import type { Json, JsonObject } from 'svc/plugin'

export { deepEqual, mergePatch, own, setOwn } from 'svc/toolkit'
export type { Json, JsonObject } from 'svc/plugin'

/** A member if it is an object, otherwise undefined. */
export function ownObject(object: JsonObject | undefined, key: string): JsonObject | undefined {
  const value = own(object, key)
  return isRecord(value) ? value : undefined
}

/** A member if it is a string, otherwise undefined. */
export function ownText(object: JsonObject | undefined, key: string): string | undefined {
  const value = own(object, key)
  return typeof value === 'string' ? value : undefined
}

/** Maximum nesting of JSON (RFC 8259, 9, allows limits), because many functions here are recursive. */
const MAX_LEVELS = 500

/** Parses JSON; undefined if it is invalid or nested more than 500 levels deep. */
export function parseJson(text: string): Json | undefined {
  try {
    const value = JSON.parse(text) as Json
    return text.length <= MAX_LEVELS || isNestedWithin(value, MAX_LEVELS) ? value : undefined
  } catch {
    return undefined
  }
}
