/** JSON Patch (RFC 6902). */
import type { OutputBudget, StepBudget } from '../contract/budgets.ts'
import { deepEqual, isExact, own, setOwn, type Json, type JsonObject } from '../contract/json.ts'
import { jsonBytes } from '../contract/json-chunks.ts'
import { isRecord } from '../contract/record.ts'
import { asObject, asText, below, InputProblem, rejectUnknownKeys } from './input-problem.ts'
import { pointerTokens, valueAt } from './json-pointer.ts'

type Place = readonly string[]

/** An operation as it was checked. */
type Operation =
  | { op: 'add' | 'replace' | 'test'; path: Place; value: Json }
  | { op: 'remove'; path: Place }
  | { op: 'move' | 'copy'; path: Place; from: Place }

export type JsonPatch = readonly Operation[]

const KEYS = ['op', 'path', 'from', 'value']
const MAX_OPERATIONS = 100
const MAX_POINTER = 2000

/** Reads a list of operations. Throws an `InputProblem`. */
export function readJsonPatch(value: Json | undefined, at: string): JsonPatch {
  if (!Array.isArray(value) || value.length > MAX_OPERATIONS)
    throw new InputProblem(at, `expected a list of at most ${MAX_OPERATIONS} operations`)
  return value.map((item, index): Operation => {
    const place = below(at, index)
    const given = asObject(item, place, 'expected an object with op and path')
    rejectUnknownKeys(given, KEYS, place)
    const { op } = given
    const path = readPointer(given.path, below(place, 'path'))
    switch (op) {
      case 'add':
      case 'replace':
      case 'test':
        if (given.value === undefined) throw new InputProblem(below(place, 'value'), 'expected a value')
        return { op, path, value: given.value }
      case 'remove':
        return { op, path }
      case 'move':
      case 'copy':
        return { op, path, from: readPointer(given.from, below(place, 'from')) }
      default:
        throw new InputProblem(below(place, 'op'), 'expected add, remove, replace, move, copy or test')
    }
  })
}

function readPointer(value: Json | undefined, at: string): Place {
  const tokens = pointerTokens(asText(value, at, MAX_POINTER))
  if (tokens === undefined) throw new InputProblem(at, 'expected a JSON pointer, such as /arguments/city')
  return tokens
}

/**
 * Applies a patch to a copy of the document. `fill` makes the values of operations, such as those with references. Throws an
 * `InputProblem` with the index of an operation that can't be applied, or whose test fails, and the errors of the budgets.
 */
export function applyJsonPatch(
  document: Json,
  patch: JsonPatch,
  { output, steps, fill }: { output: OutputBudget; steps: StepBudget; fill(value: Json): Json },
): Json {
  const root = { document: copyOf(document) }
  for (const [index, operation] of patch.entries()) {
    const problem = apply(root, operation, output, steps, fill)
    if (problem !== null) throw new InputProblem(`[${index}]`, `${operation.op}: ${problem}`)
  }
  return root.document
}

interface Root {
  document: Json
}

const MISSING = 'there is no such place'

/** What is wrong; null if it was applied. */
function apply(
  root: Root,
  operation: Operation,
  output: OutputBudget,
  steps: StepBudget,
  fill: (value: Json) => Json,
): string | null {
  const { path } = operation
  switch (operation.op) {
    case 'test':
      return deepEqual(valueAt(root.document, path), fill(operation.value), steps) ? null : 'the value differs'
    case 'add':
      return add(root, path, fill(operation.value)) ? null : MISSING
    case 'replace':
      if (valueAt(root.document, path) === undefined) return MISSING
      return set(root, path, fill(operation.value)) ? null : MISSING
    case 'remove':
      return remove(root, path) ? null : MISSING
    case 'copy':
    case 'move': {
      const { from } = operation
      const value = valueAt(root.document, from)
      if (value === undefined) return MISSING
      if (operation.op === 'copy') {
        // Copies of copies multiply.
        output.take(jsonBytes(value))
        return add(root, path, copyOf(value)) ? null : MISSING
      }
      if (path.length > from.length && from.every((token, place) => path[place] === token))
        return 'a value cannot be moved into itself'
      remove(root, from)
      return add(root, path, value) ? null : MISSING
    }
  }
}

/** The container of a place. */
function parentOf({ document }: Root, path: Place): Json | undefined {
  return valueAt(document, path.slice(0, -1))
}

/** Inserts into a list, or sets a member. */
function add(root: Root, path: Place, value: Json): boolean {
  if (path.length === 0) return set(root, path, value)
  const parent = parentOf(root, path)
  const last = path.at(-1)!
  if (!Array.isArray(parent)) return set(root, path, value)
  const index = last === '-' ? parent.length : indexOf(last)
  if (index === null || index > parent.length) return false
  parent.splice(index, 0, value)
  return true
}

function set(root: Root, path: Place, value: Json): boolean {
  if (path.length === 0) {
    root.document = value
    return true
  }
  const parent = parentOf(root, path)
  const last = path.at(-1)!
  if (Array.isArray(parent)) {
    const index = indexOf(last)
    if (index === null || index >= parent.length) return false
    parent[index] = value
    return true
  }
  if (!isRecord(parent) || isExact(parent)) return false
  setOwn(parent as JsonObject, last, value)
  return true
}

function remove(root: Root, path: Place): boolean {
  if (path.length === 0) {
    root.document = null
    return true
  }
  const parent = parentOf(root, path)
  const last = path.at(-1)!
  if (Array.isArray(parent)) {
    const index = indexOf(last)
    if (index === null || index >= parent.length) return false
    parent.splice(index, 1)
    return true
  }
  if (!isRecord(parent) || isExact(parent) || own(parent as JsonObject, last) === undefined) return false
  delete (parent as JsonObject)[last]
  return true
}

/** Without leading zeros. */
function indexOf(token: string): number | null {
  return /^(?:0|[1-9]\d{0,8})$/.test(token) ? Number(token) : null
}

/** Exact integers are values, and shared. */
function copyOf(value: Json): Json {
  if (isExact(value)) return value
  if (Array.isArray(value)) return value.map(copyOf)
  if (!isRecord(value)) return value
  const copy: JsonObject = {}
  for (const [name, member] of Object.entries(value as JsonObject)) setOwn(copy, name, copyOf(member))
  return copy
}
