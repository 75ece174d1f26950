/** `{{…}}` in texts: references to data of a request, which are replaced and never evaluated. */
import { setOwn } from '../contract/json.ts'
import type { Json, JsonObject } from '../contract/json.ts'
import type { OutputBudget } from '../contract/budgets.ts'
import { isRecord } from '../contract/record.ts'

/** The text between the braces is trimmed in code, because whitespace in the pattern would backtrack. */
const REFERENCE = /\{\{([^{}]*)\}\}/g
const ONLY = /^\{\{([^{}]*)\}\}$/
const MAX_REFERENCE = 201

/** The value of a reference such as `request.query.page`; undefined if it is missing. */
export type LookUp = (reference: string) => Json | undefined

/** The reference between the braces; undefined if it is invalid, and the text is kept. */
function readReference(between: string | undefined): string | undefined {
  const reference = between?.trim()
  return reference !== undefined && reference !== '' && reference.length <= MAX_REFERENCE ? reference : undefined
}

/**
 * Expands references in a JSON value. A string that is a single reference gets the JSON type of its value; null if
 * missing. What it makes is taken from `output` first. Throws `OutputTooLarge` or `OutputUnavailable`.
 */
export function expandValue(value: Json, lookUp: LookUp, output: OutputBudget): Json {
  if (typeof value === 'string') {
    const only = readReference(ONLY.exec(value)?.[1])
    if (only === undefined) return expandText(value, lookUp, output)
    const found = lookUp(only) ?? null
    // A value that is inserted as it is takes memory only when it is written.
    output.take(typeof found === 'string' ? found.length : JSON.stringify(found).length)
    return found
  }
  if (Array.isArray(value)) return value.map(item => expandValue(item, lookUp, output))
  if (!isRecord(value)) return value
  const result: JsonObject = {}
  for (const [name, member] of Object.entries(value)) setOwn(result, name, expandValue(member, lookUp, output))
  return result
}

/**
 * Expands references in a text; missing values become empty. Inserted values are not expanded again. What it makes is
 * taken from `output` first. Throws `OutputTooLarge` or `OutputUnavailable`.
 */
export function expandText(text: string, lookUp: LookUp, output: OutputBudget): string {
  if (!text.includes('{{')) {
    output.take(text.length)
    return text
  }
  const parts: string[] = []
  let end = 0
  for (const { 0: whole, 1: between, index } of text.matchAll(REFERENCE)) {
    const reference = readReference(between)
    if (reference === undefined) continue
    const value = lookUp(reference) ?? ''
    const inserted = typeof value === 'string' ? value : JSON.stringify(value)
    output.take(index - end + inserted.length)
    parts.push(text.slice(end, index), inserted)
    end = index + whole.length
  }
  output.take(text.length - end)
  parts.push(text.slice(end))
  return parts.join('')
}

/**
 * Bytes of a value with its references replaced, before anything is made. `sizeOf` is the size of the value of a
 * reference; a single reference can be in many places.
 */
export function expandedBytes(value: Json, sizeOf: (reference: string) => number): number {
  if (typeof value === 'string') {
    let bytes = value.length
    if (value.includes('{{'))
      for (const [whole, between] of value.matchAll(REFERENCE)) {
        const reference = readReference(between)
        if (reference !== undefined) bytes += sizeOf(reference) - whole.length
      }
    return bytes
  }
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + expandedBytes(item, sizeOf), 0)
  if (!isRecord(value)) return 0
  return Object.entries(value).reduce((sum, [name, member]) => sum + name.length + expandedBytes(member, sizeOf), 0)
}

/** The value at a path of member names and indexes; undefined if it does not exist. */
export function memberAt(root: Json | undefined, steps: readonly string[]): Json | undefined {
  let value = root
  for (const step of steps) {
    if (Array.isArray(value)) value = /^\d{1,9}$/.test(step) ? value[Number(step)] : undefined
    else value = isRecord(value) && Object.hasOwn(value, step) ? (value as JsonObject)[step] : undefined
  }
  return value
}
