/** Checks a section of `svc.yaml` against a JSON Schema: wrong items are left out and reported, the rest applies. */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { JsonSchema } from '../contract/plugin.ts'
import { problemsOf, type PartValidator, type Problem } from './schema-problems.ts'

/** One wrong item. */
export interface OptionError {
  /** Where it stands, from the top of the file: `orders.items[0].sizes[1]`. */
  at: string
  /** The same below the section, as the file has it. */
  path: (string | number)[]
  message: string
  /** What to do about it. */
  remedy?: string
}

export interface CheckedOptions {
  /** A copy of what was given, without the wrong items and with defaults filled in. */
  value: unknown
  errors: OptionError[]
  /** False when even the empty section does not satisfy the schema: something needed is missing. */
  isValid: boolean
  /** Where a part of `value` stands in what was given: entries of lists move up when others are left out. */
  originalPath(path: readonly (string | number)[]): (string | number)[]
}

/** Compiled schemas, so that a reload compiles none again; the caller owns it. */
export type ValidatorCache = WeakMap<object, Validator>

export interface SchemaOptions {
  cache?: ValidatorCache
  /** The product's own schemas, which its tests check. */
  isTrusted?: boolean
}

interface Validator {
  validate: ValidateFunction
  partValidator: PartValidator
}

/** Rounds of leaving out and checking again; after these the whole section is left out. */
const MAX_ROUNDS = 50
/** Errors reported; further ones are counted. */
const MAX_ERRORS = 100

/**
 * Checks a section against a schema (2020-12). `at` is the section's key in the file. An item is the innermost list
 * entry that holds the error, without a list the top-level key of the section. `value` itself is not changed.
 * Throws when the schema is none.
 */
export function applySchema(
  schema: JsonSchema,
  value: unknown,
  at: string,
  { cache = new WeakMap(), isTrusted = false }: SchemaOptions = {},
): CheckedOptions {
  const absent = isTrusted && isEmpty(value) ? valueOfAbsence(schema) : null
  if (absent !== null) return { value: absent, errors: [], isValid: true, originalPath: path => [...path] }
  const validator = validatorOf(schema, cache, isTrusted)
  const draft = new Draft(value)
  const problems: Problem[] = []
  for (let round = 0; !validator.validate(draft.value); round++) {
    const found = problemsOf(validator.validate.errors as ErrorObject[], draft.value, validator.partValidator)
    problems.push(...found.map(problem => ({ ...problem, path: draft.originalPath(problem.path) })))
    if (draft.isEmpty)
      return {
        value: draft.value,
        errors: report(problems, at),
        isValid: false,
        originalPath: path => draft.originalPath(path),
      }
    if (round >= MAX_ROUNDS || !draft.leaveOut(found)) draft.clear(schema)
  }
  return {
    value: draft.value,
    errors: report(problems, at),
    isValid: true,
    originalPath: path => draft.originalPath(path),
  }
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

/** Keywords that say nothing about an empty section. */
const HARMLESS = new Set([
  'type',
  'title',
  'description',
  'additionalProperties',
  'properties',
  'items',
  'maxItems',
  'default',
])

/** What an empty section stands for, where that can be told without compiling the schema; else null. */
export function valueOfAbsence(schema: JsonSchema): unknown {
  const { required = [], ...rest } = schema as {
    type?: unknown
    required?: unknown[]
    properties?: Record<string, JsonSchema>
  }
  if (required.length > 0 || Object.keys(rest).some(key => !HARMLESS.has(key) && !key.startsWith('x-'))) return null
  if (rest.type === 'array') return []
  const defaults = Object.entries(rest.properties ?? {})
    .map(([key, { default: value }]) => [key, value] as const)
    .filter(([, value]) => value !== undefined)
  // A default that holds something may have defaults within.
  const isPlain = defaults.every(([, value]) => typeof value !== 'object' || value === null || isEmpty(value))
  return rest.type === 'object' && isPlain ? structuredClone(Object.fromEntries(defaults)) : null
}

/** Checks the schemas themselves. Compiling the meta-schema costs more than all plugins' schemas: it happens once, if at all. */
const metaSchema = new Ajv2020({ strict: false, logger: false })

function validatorOf(schema: JsonSchema, cache: ValidatorCache, isTrusted: boolean): Validator {
  const known = cache.get(schema)
  if (known !== undefined) return known
  if (!isTrusted && metaSchema.validateSchema(schema) !== true)
    throw new Error(`the options schema is no JSON Schema: ${metaSchema.errorsText(metaSchema.errors)}`)
  const ajv = new Ajv2020({
    meta: false,
    validateSchema: false,
    strict: false,
    allErrors: true,
    useDefaults: true,
    ownProperties: true,
    verbose: true,
    logger: false,
  })
  addFormats.default(ajv)
  const validate = ajv.addSchema(schema, 'options').getSchema('options')!
  const made = { validate, partValidator: (pointer: string) => partOf(ajv, pointer) }
  cache.set(schema, made)
  return made
}

/** Parts that cannot be found, as below a `$id` of their own, are not looked into. */
function partOf(ajv: Ajv2020, pointer: string): ValidateFunction | undefined {
  try {
    return ajv.getSchema(`options${pointer}`)
  } catch {
    return undefined
  }
}

function report(problems: Problem[], at: string): OptionError[] {
  const byText = new Map<string, OptionError>()
  for (const { path, message, remedy } of problems) {
    const error = { at: printPath(at, path), path, message, remedy }
    const text = JSON.stringify([error.at, message])
    if (!byText.has(text)) byText.set(text, error)
  }
  const errors = [...byText.values()]
  if (errors.length <= MAX_ERRORS) return errors
  return [...errors.slice(0, MAX_ERRORS), { at, path: [], message: `and ${errors.length - MAX_ERRORS} more errors` }]
}

/** `orders.items[0].sizes[1]`; a key that is no plain word stands in brackets, as JSON. */
export function printPath(at: string, path: readonly (string | number)[]): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`
    return /^[\w-]{1,200}$/.test(step) ? `${text}.${step}` : `${text}[${JSON.stringify(step.slice(0, 200))}]`
  }, at)
}

/** A copy of a section from which items can be taken, and which remembers where its list entries stood. */
class Draft {
  value: unknown
  isEmpty = false
  readonly #originalIndexes = new WeakMap<unknown[], number[]>()

  constructor(value: unknown) {
    this.value = this.#copy(value)
  }

  /** `Object.fromEntries` makes own properties of all keys, `__proto__` included. */
  #copy(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value
    if (!Array.isArray(value))
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.#copy(inner)]))
    const list = value.map(entry => this.#copy(entry))
    this.#originalIndexes.set(
      list,
      list.map((_, index) => index),
    )
    return list
  }

  originalPath(path: readonly (string | number)[]): (string | number)[] {
    let container: unknown = this.value
    return path.map(step => {
      const original =
        Array.isArray(container) && typeof step === 'number'
          ? (this.#originalIndexes.get(container)?.[step] ?? step)
          : step
      container = (container as Record<string | number, unknown> | undefined)?.[step]
      return original
    })
  }

  /** Removes the items that hold problems; false when there is one that no item holds. */
  leaveOut(problems: readonly Problem[]): boolean {
    const entries = new Map<unknown[], Set<number>>()
    const keys = new Map<object, Set<string>>()
    for (const { path } of problems) {
      const item = itemOf(path)
      if (item === undefined) return false
      const container = item
        .slice(0, -1)
        .reduce<unknown>((inner, step) => (inner as Record<string | number, unknown>)[step], this.value) as object
      const last = item.at(-1)!
      if (Array.isArray(container)) addTo(entries, container, Number(last))
      else addTo(keys, container, String(last))
    }
    for (const [list, indexes] of entries) this.#removeEntries(list, indexes)
    for (const [object, names] of keys) for (const name of names) delete (object as Record<string, unknown>)[name]
    return true
  }

  #removeEntries(list: unknown[], indexes: Set<number>): void {
    const originals = this.#originalIndexes.get(list) ?? list.map((_, index) => index)
    const kept = list.map((_, index) => index).filter(index => !indexes.has(index))
    this.#originalIndexes.set(
      list,
      kept.map(index => originals[index]!),
    )
    const entries = kept.map(index => list[index])
    list.length = 0
    for (const entry of entries) list.push(entry)
  }

  /** Leaves out the whole section. */
  clear(schema: JsonSchema): void {
    this.value = schema.type === 'array' ? [] : {}
    this.isEmpty = true
  }
}

/** The innermost list entry on the way to a problem, without a list the top-level key; undefined: the section itself. */
function itemOf(path: readonly (string | number)[]): readonly (string | number)[] | undefined {
  const index = path.findLastIndex(step => typeof step === 'number')
  if (index !== -1) return path.slice(0, index + 1)
  return path.length === 0 ? undefined : path.slice(0, 1)
}

function addTo<Key, Value>(sets: Map<Key, Set<Value>>, key: Key, value: Value): void {
  const set = sets.get(key)
  if (set === undefined) sets.set(key, new Set([value]))
  else set.add(value)
}
