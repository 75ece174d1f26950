/** Checks a section of `svc.yaml` against a JSON Schema. Invalid items are removed and reported; the rest applies. */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { JsonSchema } from '../contract/plugin.ts'
import { isRecord } from '../contract/record.ts'
import { problemsOf, type PartValidator, type Problem } from './schema-problems.ts'

/** One invalid item. */
export interface OptionError {
  /** Its path from the top of the file: `orders.items[0].sizes[1]`. */
  at: string
  /** The same path below the section, as in the file. */
  path: (string | number)[]
  message: string
  /** How to fix it. */
  remedy?: string
}

export interface CheckedOptions {
  /** A copy of the input without the invalid items and with defaults filled in. */
  value: unknown
  errors: OptionError[]
  /** False if even an empty section does not satisfy the schema, because something required is missing. */
  isValid: boolean
  /** The path of a part of `value` in the input. List indexes shift when other entries are removed. */
  originalPath(path: readonly (string | number)[]): (string | number)[]
}

/** Compiled schemas, so that a reload does not compile them again; owned by the caller. */
export type ValidatorCache = WeakMap<object, Validator>

export interface SchemaOptions {
  cache?: ValidatorCache | undefined
  /** Set for the schemas of svc itself, which its tests validate. */
  isTrusted?: boolean
}

/** A schema that can't be used: it is not a valid JSON Schema, or one of its patterns or references is wrong. */
export class InvalidSchema extends Error {}

interface Validator {
  validate: ValidateFunction
  partValidator: PartValidator
}

/** Rounds of removing invalid items and checking again. After these the whole section is removed. */
const MAX_ROUNDS = 50
/** Maximum number of errors reported; further ones are only counted. */
const MAX_ERRORS = 100

/**
 * Checks a section against a schema (2020-12). `at` is the key of the section in the file. An item is the innermost
 * list entry that contains the error, or outside of lists the top-level key of the section. `value` itself is not
 * modified. Throws `InvalidSchema` if the schema can't be used.
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

/** Keywords that an empty section always satisfies. */
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

/** The value of an empty section, if it can be determined without compiling the schema; else null. */
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
  // A default that is not empty may contain nested defaults.
  const isPlain = defaults.every(([, value]) => typeof value !== 'object' || value === null || isEmpty(value))
  return rest.type === 'object' && isPlain ? structuredClone(Object.fromEntries(defaults)) : null
}

/**
 * Validates the schemas themselves. Compiling the meta-schema costs more than compiling the schemas of all plugins, so
 * it happens at most once.
 */
const metaSchema = new Ajv2020({ strict: false, logger: false })

function validatorOf(schema: JsonSchema, cache: ValidatorCache, isTrusted: boolean): Validator {
  if (!isRecord(schema)) throw new InvalidSchema('the options schema must be an object')
  const known = cache.get(schema)
  if (known !== undefined) return known
  if (!isTrusted && metaSchema.validateSchema(schema) !== true)
    throw new InvalidSchema(
      `the options schema is not a valid JSON Schema: ${metaSchema.errorsText(metaSchema.errors, { dataVar: 'options' })}`,
    )
  const made = compiled(schema)
  cache.set(schema, made)
  return made
}

function compiled(schema: JsonSchema): Validator {
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
  try {
    const validate = ajv.addSchema(schema, 'options').getSchema('options')!
    return { validate, partValidator: pointer => partOf(ajv, pointer) }
  } catch (error) {
    throw new InvalidSchema(`the options schema can't be used: ${(error as Error).message}`, { cause: error })
  }
}

/** Parts that cannot be found, such as those below a `$id`, are not inspected. */
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

/** `orders.items[0].sizes[1]`; a key that is not a plain word is written in brackets, as JSON. */
export function printPath(at: string, path: readonly (string | number)[]): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`
    return /^[\w-]{1,200}$/.test(step) ? `${text}.${step}` : `${text}[${JSON.stringify(step.slice(0, 200))}]`
  }, at)
}

/** A copy of a section from which items can be removed, and which remembers the original indexes of list entries. */
class Draft {
  value: unknown
  isEmpty = false
  readonly #originalIndexes = new WeakMap<unknown[], number[]>()

  constructor(value: unknown) {
    this.value = this.#copy(value)
  }

  /** `Object.fromEntries` creates own properties for all keys, including `__proto__`. */
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

  /** Removes the items that contain problems. Returns false if a problem is not inside an item. */
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

  /** Removes the whole section. */
  clear(schema: JsonSchema): void {
    this.value = schema.type === 'array' ? [] : {}
    this.isEmpty = true
  }
}

/**
 * The innermost list entry on the path to a problem, or outside of lists the top-level key. Undefined if the problem is
 * in the section itself.
 */
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
