/** JSON values: types, safe access by untrusted keys, comparison and merging. */
import { isRecord } from './record.ts'

export type Json = null | boolean | number | string | Json[] | JsonObject
export interface JsonObject {
  [key: string]: Json
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

/** Deep equality of JSON values, regardless of the order of members. */
export function deepEqual(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => deepEqual(item, b[index]))
  if (!isRecord(a) || !isRecord(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every(key => Object.hasOwn(b, key) && deepEqual(a[key], b[key]))
}

/** JSON Merge Patch (RFC 7396): removes members that are null in the patch. Does not change the target. */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isRecord(patch)) return patch
  const result: JsonObject = isRecord(target) ? { ...target } : {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key]
    else setOwn(result, key, mergePatch(own(result, key), value))
  }
  return result
}
