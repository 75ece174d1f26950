/** What plain data cost in memory, up to forty times their JSON text, and copies of them that hold nothing else. */
import { copyText, heldBytes } from './text-memory.ts'

const SLOT = 8
const ARRAY = 48
/** With most of what V8 needs to know the object's shape, where no other object has the same. */
const OBJECT = 112
/** Keys that are numbers have a store of their own. */
const INDEXED = 168
/** A new key of a shape: the key itself, and its place in the layout or table. */
const KEY = 24
const HEAP_NUMBER = 16
const TEXT = 24

/**
 * Bytes of memory that a value made of JSON takes at most, about. Keys count once each: the engine keeps one copy of a
 * key. It walks recursively, so what comes from outside must be bounded in depth before.
 */
export function heldValueBytes(value: unknown): number {
  return SLOT + walk(value, new Set())
}

/** Up to so many characters, two bytes each cost less than a look at them. */
const SHORT = 64

function walk(value: unknown, keys: Set<string>): number {
  if (typeof value === 'string') return value.length <= SHORT ? TEXT + 2 * value.length : heldBytes(value)
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

/** A copy of plain data, and the bytes of memory that it takes at most, about. */
export interface DataCopy<T> {
  copy: T
  bytes: number
}

/**
 * Copies strings, numbers, booleans, null and undefined, and arrays and objects of them. Each string gets memory of its own
 * (`copyText`). Throws TypeError for anything else, whose memory can't be known.
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
