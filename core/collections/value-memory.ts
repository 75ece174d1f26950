/**
 * Measures the memory of plain data, which can be forty times its JSON text, and copies it without retaining other
 * data.
 */
import { STRING_OVERHEAD, copyText, heldBytes } from './text-memory.ts'

const SLOT = 8
const ARRAY = 48
/** Includes most of the memory for the object's shape, if no other object has the same shape. */
const OBJECT = 112
/** Numeric keys have a separate store. */
const INDEXED = 168
/** A new key: the key itself, and its slot in the layout or table. */
const KEY = 24
const HEAP_NUMBER = 16

/**
 * Approximate maximum memory of a JSON value in bytes. Each key counts once, because the engine keeps one copy of it.
 * The walk is recursive, so external input must be bounded in depth first.
 */
export function heldValueBytes(value: unknown): number {
  return SLOT + walk(value, new Set())
}

/** Up to this length, counting two bytes per character is cheaper than inspecting them. */
const SHORT = 64

function walk(value: unknown, keys: Set<string>): number {
  if (typeof value === 'string') return value.length <= SHORT ? STRING_OVERHEAD + 2 * value.length : heldBytes(value)
  if (typeof value === 'number') return HEAP_NUMBER
  if (typeof value !== 'object' || value === null) return 0
  return Array.isArray(value) ? walkArray(value, keys) : walkObject(value as Record<string, unknown>, keys)
}

function walkArray(array: readonly unknown[], keys: Set<string>): number {
  let bytes = ARRAY + SLOT * array.length
  for (const item of array) bytes += walk(item, keys)
  return bytes
}

function walkObject(object: Record<string, unknown>, keys: Set<string>): number {
  let bytes = OBJECT
  let isIndexed = false
  for (const key in object) {
    if (!isIndexed && isDigit(key)) {
      isIndexed = true
      bytes += INDEXED
    }
    bytes += SLOT + walk(object[key], keys)
    if (!keys.has(key)) {
      keys.add(key)
      bytes += KEY + walk(key, keys)
    }
  }
  return bytes
}

function isDigit(key: string): boolean {
  const code = key.charCodeAt(0)
  return code >= 48 && code <= 57
}

/** A copy of plain data, and its approximate maximum memory in bytes. */
export interface DataCopy<T> {
  copy: T
  bytes: number
}

/**
 * Copies strings, numbers, booleans, null, undefined, and arrays and objects of them. Strings are copied with
 * `copyText`. Throws a TypeError for anything else, because its memory cannot be measured.
 */
export function copyData<T>(data: T): DataCopy<T> {
  const copy = copyOf(data)
  return { copy: copy as T, bytes: heldValueBytes(copy) }
}

function copyOf(value: unknown): unknown {
  if (typeof value === 'string') return copyText(value)
  if (value === null || value === undefined || typeof value === 'boolean' || typeof value === 'number') return value
  if (Array.isArray(value)) return value.map(copyOf)
  if (isPlainObject(value)) return copyOfObject(value)
  throw new TypeError(`only plain data can be stored, not ${Object.prototype.toString.call(value)}`)
}

function copyOfObject(object: object): object {
  const properties = Object.entries(object)
  for (const property of properties) property[1] = copyOf(property[1])
  if (Object.getPrototypeOf(object) !== null) return Object.fromEntries(properties)
  const copy: Record<string, unknown> = Object.create(null)
  for (const [name, value] of properties) copy[name] = value
  return copy
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}
