/** Objects in bodies. */
import type { JsonObject } from 'svc/plugin'
import { isRecord, isTextNestedWithin } from 'svc/toolkit'

const MAX_DEPTH = 100

/** The object of a JSON text; null if it is not one. */
export function jsonObject(text: string): JsonObject | null {
  if (!isTextNestedWithin(text, MAX_DEPTH)) return null
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? (value as JsonObject) : null
  } catch {
    return null
  }
}
