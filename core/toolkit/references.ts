/** `{{…}}` in texts: references to data of a request, which are replaced and never evaluated. */
import type { OutputBudget } from '../contract/budgets.ts'
import { writeJson } from './exact-json.ts'
import { below, InputProblem } from './input-problem.ts'
import { jsonBytes } from '../contract/json-chunks.ts'
import { setOwn, type Json, type JsonObject } from '../contract/json.ts'
import { isRecord } from '../contract/record.ts'
import { unknownName } from './unknown-name.ts'

/** The text between the braces is trimmed in code, because whitespace in the pattern would backtrack. */
const REFERENCE = /\{\{([^{}]*)\}\}/g
const ONLY = /^\{\{([^{}]*)\}\}$/
const MAX_REFERENCE = 201
const MAX_FALLBACK = 1000

/** The value of a reference such as `request.query.page`; undefined if it is missing. */
export type LookUp = (reference: string) => Json | undefined

/**
 * What may follow a word of a reference: nothing, at least one name, any number of names, or words of its own. The empty word
 * stands for nothing. A function returns what is wrong with the names, or null.
 */
export type ReferenceShape =
  | 'nothing'
  | 'names'
  | 'any'
  | ReferenceWords
  | ((names: readonly string[]) => string | null)

/** The first words of references. */
export interface ReferenceWords {
  readonly [word: string]: ReferenceShape
}

interface Reference {
  name: string
  /** What is inserted if the value is missing: `{{name|text}}`. */
  fallback: string | undefined
}

/** The reference between the braces; undefined if it is invalid, and the text is kept. */
function readReference(between: string | undefined): Reference | undefined {
  if (between === undefined) return undefined
  const bar = between.indexOf('|')
  const name = (bar === -1 ? between : between.slice(0, bar)).trim()
  const fallback = bar === -1 ? undefined : between.slice(bar + 1).trim()
  if (name === '' || name.length > MAX_REFERENCE || (fallback?.length ?? 0) > MAX_FALLBACK) return undefined
  return { name, fallback }
}

/**
 * Throws an `InputProblem` for the first reference in the texts of a value that cannot be looked up, with the nearest word.
 * `keeps` says how to keep such a text as it is.
 */
export function checkReferences(value: Json, words: ReferenceWords, at: string, keeps = 'template: false'): void {
  if (typeof value === 'string') {
    if (!value.includes('{{')) return
    for (const [, between] of value.matchAll(REFERENCE)) {
      const reference = readReference(between)
      if (reference !== undefined) checkReference(reference.name, words, at, keeps)
    }
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkReferences(item, words, below(at, index), keeps)
  } else if (isRecord(value)) {
    for (const [name, member] of Object.entries(value)) checkReferences(member, words, below(at, name), keeps)
  }
}

function checkReference(reference: string, words: ReferenceWords, at: string, keeps: string): void {
  let shape: ReferenceShape = words
  const parts = reference.split('.')
  for (const [index, part] of parts.entries()) {
    if (typeof shape !== 'object') break
    const known: ReferenceWords = shape
    if (!Object.hasOwn(known, part) || part === '') {
      const before = parts.slice(0, index).join('.')
      const names = Object.keys(known)
        .filter(name => name !== '')
        .map(name => (before === '' ? name : `${before}.${name}`))
      const { message, remedy } = unknownName('reference', before === '' ? part : `${before}.${part}`, names)
      throw new InputProblem(at, message, `${remedy}; ${keeps} keeps the text as it is`)
    }
    shape = known[part]!
    const rest = parts.slice(index + 1)
    if (typeof shape === 'object' && rest.length === 0 && !Object.hasOwn(shape, ''))
      throw new InputProblem(at, `expected more after ${reference}: ${Object.keys(shape).join(', ')}`)
    if (shape === 'nothing' && rest.length > 0)
      throw new InputProblem(at, `expected nothing after ${parts.slice(0, index + 1).join('.')}, got ${reference}`)
    if (shape === 'names' && rest.length === 0) throw new InputProblem(at, `expected a name after ${reference}.`)
    const wrong = typeof shape === 'function' ? shape(rest) : null
    if (wrong !== null) throw new InputProblem(at, wrong)
  }
}

/**
 * Expands references in a JSON value. A string that is a single reference gets the JSON type of its value; null if
 * missing. What it makes is taken from `output` first. Throws `OutputTooLarge` or `OutputUnavailable`.
 */
export function expandValue(value: Json, lookUp: LookUp, output: OutputBudget): Json {
  return mapTexts(value, text => {
    const only = readReference(ONLY.exec(text)?.[1])
    if (only === undefined) return expandText(text, lookUp, output)
    const found = lookUp(only.name) ?? only.fallback ?? null
    // A value that is inserted as it is takes memory only when it is written.
    output.take(typeof found === 'string' ? found.length : JSON.stringify(found).length)
    return found
  })
}

/** Expands references in the strings of a JSON value, which stay strings. Throws like `expandText`. */
export function expandTexts(value: Json, lookUp: LookUp, output: OutputBudget): Json {
  return mapTexts(value, text => expandText(text, lookUp, output))
}

function mapTexts(value: Json, change: (text: string) => Json): Json {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map(item => mapTexts(item, change))
  if (!isRecord(value)) return value
  const result: JsonObject = {}
  for (const [name, member] of Object.entries(value)) setOwn(result, name, mapTexts(member, change))
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
    const inserted = textOf(lookUp(reference.name) ?? reference.fallback)
    output.take(index - end + inserted.length)
    parts.push(text.slice(end, index), inserted)
    end = index + whole.length
  }
  output.take(text.length - end)
  parts.push(text.slice(end))
  return parts.join('')
}

function textOf(value: Json | undefined): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : writeJson(value)
}

/**
 * Bytes of a value as JSON with its references replaced, before anything is made. A single reference can be in many places: each
 * is looked up once.
 */
export function expandedBytes(value: Json, lookUp: LookUp): number {
  const sizes = new Map<string, number>()
  const sizeOf = ({ name, fallback = '' }: Reference): number => {
    const key = `${name}|${fallback}`
    let size = sizes.get(key)
    if (size === undefined) sizes.set(key, (size = jsonBytes(lookUp(name) ?? fallback)))
    return size
  }
  const bytesOf = (part: Json): number => {
    if (typeof part === 'string') {
      let bytes = part.length
      if (part.includes('{{'))
        for (const [whole, between] of part.matchAll(REFERENCE)) {
          const reference = readReference(between)
          if (reference !== undefined) bytes += sizeOf(reference) - whole.length
        }
      return bytes
    }
    if (Array.isArray(part)) return part.reduce<number>((sum, item) => sum + bytesOf(item), 0)
    if (!isRecord(part)) return 0
    return Object.entries(part).reduce((sum, [name, member]) => sum + name.length + bytesOf(member), 0)
  }
  return bytesOf(value)
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
