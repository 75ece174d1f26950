/** `{{…}}` in texts: references to data of a request, which are replaced and never evaluated. */
import { setOwn } from './json.ts'
import type { Json, JsonObject } from './json.ts'
import { isRecord } from './record.ts'

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
 * missing.
 */
export function expandValue(value: Json, lookUp: LookUp): Json {
  if (typeof value === 'string') {
    if (!value.includes('{{')) return value
    const only = readReference(ONLY.exec(value)?.[1])
    if (only !== undefined) return lookUp(only) ?? null
    return expandText(value, lookUp)
  }
  if (Array.isArray(value)) return value.map(item => expandValue(item, lookUp))
  if (!isRecord(value)) return value
  const result: JsonObject = {}
  for (const [name, member] of Object.entries(value)) setOwn(result, name, expandValue(member, lookUp))
  return result
}

/** Expands references in a text; missing values become empty. Inserted values are not expanded again. */
export function expandText(text: string, lookUp: LookUp): string {
  return text.replaceAll(REFERENCE, (whole, between: string) => {
    const reference = readReference(between)
    if (reference === undefined) return whole
    const value = lookUp(reference) ?? ''
    return typeof value === 'string' ? value : JSON.stringify(value)
  })
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
