/** Looking into values that came as JSON from a client, without trusting their shape. */
import { isRecord } from 'svc/plugin'

export type JsonObject = Record<string, unknown>

/** The value as an object, else an empty one. */
export function objectOf(value: unknown): JsonObject {
  return isRecord(value) ? value : {}
}

/** The value as a list, else an empty one. */
export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** A text that is not empty, else undefined. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A whole number of 0 or more, else undefined. */
export function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

/** One own property; names such as `__proto__` are ordinary. */
export function own(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

/** Stop sequences of a request: a text or a list of texts, empty ones left out, the first `max`. */
export function stopsOf(value: unknown, max: number): string[] {
  return (Array.isArray(value) ? value : [value])
    .filter((item): item is string => typeof item === 'string' && item !== '')
    .slice(0, max)
}

/** Arguments of an earlier call: JSON text is read, text that is none stays as it is. */
export function argumentsOf(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? {}
  if (value.trim() === '') return {}
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/** A value as text: texts as they are, all else as compact JSON. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : value == null ? '' : (JSON.stringify(value) ?? '')
}
