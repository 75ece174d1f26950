/** Reads values of unknown form. Nothing here throws. */
import { StepBudget, type Json } from 'svc/plugin'
import { deepEqual, isRecord } from 'svc/toolkit'

export type Members = Record<string, unknown>

/** A member's value along these names; undefined if one of them is missing. */
export function member(value: unknown, ...names: readonly string[]): unknown {
  let at = value
  for (const name of names) {
    if (!isRecord(at) || !Object.hasOwn(at, name)) return undefined
    at = at[name]
  }
  return at
}

export const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
export const membersOf = (value: unknown): Members => (isRecord(value) ? value : {})
/** Also of a number in a text, as some servers write it. */
export function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  return typeof value === 'string' && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(value) ? Number(value) : null
}

/** Undefined: the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Without members whose value is undefined. */
export function defined(members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}

/** The first value that is neither undefined nor null. */
export function firstOf(...values: readonly unknown[]): unknown {
  return values.find(value => value !== undefined && value !== null)
}

/** The value of a field of this name in any case; null if it is absent. */
export function fieldOf(fields: readonly (readonly [string, string])[], name: string): string | null {
  return fields.find(([given]) => given.toLowerCase() === name)?.[1] ?? null
}

/** Whether two values that were read from JSON are the same, whatever the order of members. */
export function isEqual(one: unknown, other: unknown): boolean {
  return deepEqual(one as Json, other as Json, StepBudget.unlimited())
}
