/** Copies of JSON values, as a shared store returns them. */

/**
 * Copies a value without undefined members. Throws a TypeError for anything that JSON cannot represent. Its message begins
 * with `what`, such as `state "marks" of plugin tally`.
 */
export function copyJson<T>(value: T, what: string): T {
  return copyAt(value, '$', what, []) as T
}

/** Copies a JSON value and freezes the copy. Throws a TypeError as `copyJson` does. */
export function frozenJson<T>(value: T, what: string): T {
  return freeze(copyJson(value, what))
}

/** Deeper values are left to `copyJson`, which finds cycles. */
const CHECKED_DEPTH = 64

/**
 * Whether `JSON.stringify` prints a value as `copyJson` copies it. Much faster than a copy, but it may say no for JSON with
 * holes or very deep members.
 */
export function isJson(value: unknown, depth = 0): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || depth > CHECKED_DEPTH) return false
  if (Array.isArray(value)) {
    for (const item of value) if (!isJson(item, depth + 1)) return false
    return true
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && prototype !== Object.prototype) return false
  for (const name of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[name]
    if (member !== undefined && !isJson(member, depth + 1)) return false
  }
  return true
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const member of Object.values(value)) freeze(member)
  return Object.freeze(value)
}

function copyAt(value: unknown, path: string, what: string, parents: readonly object[]): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (typeof value !== 'object') throw wrong(value, path, what)
  if (parents.includes(value)) throw new TypeError(`${what}: value at ${path} contains itself, which is not JSON`)
  const within = [...parents, value]
  if (Array.isArray(value)) return value.map((item, index) => copyAt(item, `${path}[${index}]`, what, within))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && prototype !== Object.prototype) throw wrong(value, path, what)
  const copy: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue
    // As JSON.parse does it: an own property, whatever its name.
    const copied = copyAt(member, `${path}.${name}`, what, within)
    Object.defineProperty(copy, name, { value: copied, enumerable: true, writable: true, configurable: true })
  }
  return copy
}

function wrong(value: unknown, path: string, what: string): TypeError {
  return new TypeError(`${what}: value at ${path} is ${kindOf(value)}, not JSON`)
}

function kindOf(value: unknown): string {
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'object' || value === null) return value === undefined ? 'undefined' : `a ${typeof value}`
  return `a ${value.constructor.name}`
}
