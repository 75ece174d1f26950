/** Reads JSON values from clients without trusting their types. */
import { isRecord } from 'svc/toolkit'

export type JsonObject = Record<string, unknown>

/** The value if it is an object, otherwise an empty object. */
export function objectOf(value: unknown): JsonObject {
  return isRecord(value) ? value : {}
}

/** The value if it is a list, otherwise an empty list. */
export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** The value if it is a non-empty string, otherwise undefined. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The value if it is a non-negative integer, otherwise undefined. */
export function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

/** An own property; safe for names such as `__proto__`. */
export function own(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

/** The first `max` stop sequences of a request, from a string or a list; skips empty ones. */
export function stopsOf(value: unknown, max: number): string[] {
  return (Array.isArray(value) ? value : [value])
    .filter((item): item is string => typeof item === 'string' && item !== '')
    .slice(0, max)
}

/** Arguments of an earlier call: parses a JSON string; returns any other string unchanged. */
export function argumentsOf(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? {}
  if (value.trim() === '') return {}
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/** A value as text: strings unchanged, other values as compact JSON. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : value == null ? '' : (JSON.stringify(value) ?? '')
}
