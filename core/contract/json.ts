/** JSON values: types, safe access by untrusted keys, comparison and merging. */
import type { StepBudget } from './budgets.ts'
import { isRecord } from './record.ts'

export type Json = null | boolean | number | string | Json[] | JsonObject
export interface JsonObject {
  [key: string]: Json
}

/** The brand of integers that no double is equal to (`parseExactJson`). */
export const EXACT = Symbol.for('svc.exactNumber')

/** Whether a value, which is typed as JSON, is such an integer. Its text is its digits. */
export function isExact(value: unknown): boolean {
  return typeof value === 'object' && value !== null && EXACT in value
}

/** An own member by an untrusted key; inherited members such as `constructor` are ignored. */
export function own(object: JsonObject | undefined, key: string): Json | undefined {
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined
}

/** Sets a member by an untrusted key: `__proto__` becomes an ordinary key. */
export function setOwn(object: JsonObject, key: string, value: Json): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
  else object[key] = value
}

/** Steps for each compared value and member, and the characters of texts that are compared in one step. */
const VALUE = 2
const MEMBER = 15
const CHARACTERS = 20

/**
 * Deep equality of JSON values, regardless of the order of members. Throws `TooExpensive` if the budget has too few steps;
 * `StepBudget.unlimited()` is for values that no client can choose.
 */
export function deepEqual(a: Json | undefined, b: Json | undefined, steps: StepBudget): boolean {
  if (typeof a === 'string' && typeof b === 'string') {
    if (a.length !== b.length) return false
    steps.take(VALUE + a.length / CHARACTERS)
    return a === b
  }
  if (a === b) return true
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false
    for (let index = 0; index < a.length; index++) {
      steps.take(VALUE)
      if (!deepEqual(a[index], b[index], steps)) return false
    }
    return true
  }
  if (!isRecord(a) || !isRecord(b)) return false
  const keys = Object.keys(a)
  const others = Object.keys(b).length
  steps.take((keys.length + others) * VALUE)
  if (keys.length !== others) return false
  for (const key of keys) {
    steps.take(MEMBER)
    if (!Object.hasOwn(b, key) || !deepEqual(a[key], b[key], steps)) return false
  }
  return true
}

/** Takes the steps of writing a value as JSON text, or of reading all of it. */
export function takeSize(value: Json, steps: StepBudget): void {
  if (typeof value === 'string') steps.take(VALUE + value.length)
  else if (Array.isArray(value)) {
    steps.take(value.length * VALUE)
    for (const item of value) takeSize(item, steps)
  } else if (isRecord(value)) {
    const keys = Object.keys(value)
    steps.take(keys.length * MEMBER)
    for (const key of keys) takeSize((value as JsonObject)[key]!, steps)
  } else steps.take(VALUE)
}

/** JSON Merge Patch (RFC 7396): removes members that are null in the patch. Does not change the target. */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isRecord(patch) || isExact(patch)) return patch
  const result: JsonObject = isRecord(target) ? { ...target } : {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key]
    else setOwn(result, key, mergePatch(own(result, key), value))
  }
  return result
}
