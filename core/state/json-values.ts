/** Checks and copies of JSON values, as a shared store returns them. */

/** Deeper values are checked for cycles. */
const QUICK_DEPTH = 64
const OWN = { enumerable: true, writable: true, configurable: true }

/**
 * Throws a TypeError for anything that JSON cannot represent. Its message begins with `what`, such as
 * `state "marks" of plugin tally`.
 */
export function assertJson(value: unknown, what: string): void {
  if (!isJson(value, QUICK_DEPTH)) findProblem(value, '$', what, [])
}

/** Copies a value without undefined members. Throws as `assertJson` does. */
export function copyJson<T>(value: T, what: string): T {
  assertJson(value, what)
  return copied(value) as T
}

/** Copies a JSON value and freezes the copy. Throws a TypeError as `copyJson` does. */
export function frozenJson<T>(value: T, what: string): T {
  return freeze(copyJson(value, what))
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const member of Object.values(value)) freeze(member)
  return Object.freeze(value)
}

/** False also for values that are nested more deeply. */
function isJson(value: unknown, depth: number): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || depth === 0) return false
  if (Array.isArray(value)) {
    for (const item of value) if (!isJson(item, depth - 1)) return false
    return true
  }
  if (!isPlainObject(value)) return false
  for (const member of Object.values(value)) if (member !== undefined && !isJson(member, depth - 1)) return false
  return true
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

/** Throws for the first part that is not JSON, with its path. */
function findProblem(value: unknown, path: string, what: string, parents: readonly object[]): void {
  if (isJson(value, 0)) return
  if (typeof value !== 'object' || value === null) throw wrong(value, path, what)
  if (parents.includes(value)) throw new TypeError(`${what}: value at ${path} contains itself, which is not JSON`)
  const within = [...parents, value]
  if (Array.isArray(value)) {
    // Not for holes, which are printed as null.
    value.forEach((item, index) => findProblem(item, `${path}[${index}]`, what, within))
    return
  }
  if (!isPlainObject(value)) throw wrong(value, path, what)
  for (const [name, member] of Object.entries(value))
    if (member !== undefined) findProblem(member, `${path}.${name}`, what, within)
}

function copied(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copied)
  const copy: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue
    // As JSON.parse does it: an own property, whatever its name.
    if (name === '__proto__') Object.defineProperty(copy, name, { ...OWN, value: copied(member) })
    else copy[name] = copied(member)
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
