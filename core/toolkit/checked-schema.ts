/** JSON Schemas (2020-12 and draft 7) that are not trusted: what compiling and validating takes is paid in steps. */
import { Ajv, type AnySchema, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { isTooExpensive, type StepBudget } from '../contract/budgets.ts'
import { BoundedMap } from '../collections/bounded-map.ts'
import { takeSize, type Json, type JsonObject } from '../contract/json.ts'
import { isNestedWithin } from './json-depth.ts'
import { linearPattern } from './linear-pattern.ts'
import { isRecord } from '../contract/record.ts'
import { canonicalJson } from './canonical-json.ts'

/** Maximum size of a schema as JSON text, in characters. */
export const MAX_JSON_SCHEMA = 16_384
const MAX_DEPTH = 50
/** Steps of compiling each character of a schema. */
const CHARACTER = 1500
/** Steps of entering a schema, of each item or member of the value, and the characters that an `enum` compares in one. */
const SCHEMA = 20
const MEMBER = 15
const COMPARED = 4
/** Longer strings are not checked against formats, because some of their expressions take quadratic time. */
const FORMAT_LIMIT = 2048
/** Compiled schemas that are kept. */
const MAX_KEPT = 64

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const ONE = new Set(
  'additionalItems additionalProperties contains contentSchema else if not propertyNames then unevaluatedItems unevaluatedProperties'.split(
    ' ',
  ),
)
const LIST = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const NAMED = new Set(['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties'])

export interface CheckedSchema {
  /** Whether the value is valid. Throws `TooExpensive` if the budget has too few steps. */
  accepts(value: Json, steps: StepBudget): boolean
}

/**
 * Compiles a schema. References must stay within it. Throws an error that says what is wrong, and `TooExpensive` if the budget
 * has too few steps.
 */
export function compileJsonSchema(
  schema: Json,
  checks: StepBudget,
  { maxCharacters = MAX_JSON_SCHEMA } = {},
): CheckedSchema {
  if (!isRecord(schema) && typeof schema !== 'boolean') throw new Error('expected a JSON Schema')
  const text = JSON.stringify(schema)
  if (text.length > maxCharacters) throw new Error(`expected a JSON Schema of at most ${maxCharacters} characters`)
  if (!isNestedWithin(schema, MAX_DEPTH)) throw new Error(`expected a JSON Schema of at most ${MAX_DEPTH} levels`)
  checks.take(text.length * CHARACTER)
  compiled(text, checks)
  return storedJsonSchema(schema)
}

/** A schema that was checked when it was stored: it is compiled when it is needed. */
export function storedJsonSchema(schema: Json): CheckedSchema {
  const text = JSON.stringify(schema)
  return { accepts: (value, steps) => compiled(text, steps).accepts(value, steps) }
}

/** Compiled schemas by their text. It is a cache: results are the same without it. */
const kept = new BoundedMap<CompiledSchema>(MAX_KEPT)

function compiled(text: string, steps: StepBudget): CompiledSchema {
  let known = kept.get(text)
  if (known === undefined) {
    known = new CompiledSchema(JSON.parse(text) as JsonObject | boolean, steps)
    kept.set(text, known)
  }
  return known
}

class CompiledSchema {
  readonly #validate: ValidateFunction
  readonly #engine: Engine

  constructor(schema: JsonObject | boolean, steps: StepBudget) {
    const isDraft7 = isRecord(schema) && /draft-0?7/.test(String(schema.$schema))
    const paid = isRecord(schema) ? payable(schema, '') : schema
    if (isRecord(paid)) for (const key of ['$id', '$schema']) delete paid[key]
    this.#engine = isDraft7 ? draft7() : draft2020()
    this.#validate = this.#engine.compile(paid as AnySchema, steps)
  }

  accepts(value: Json, steps: StepBudget): boolean {
    return this.#engine.run(this.#validate, value, steps)
  }
}

/** A copy of a schema in which every schema takes the steps of being entered. Throws for references to other documents. */
function payable(schema: JsonObject, at: string): JsonObject {
  const copy: JsonObject = {}
  for (const [key, value] of Object.entries(schema)) {
    const place = `${at}/${key}`
    const below = (part: Json, name: string | number): Json =>
      isRecord(part) ? payable(part as JsonObject, `${place}/${name}`) : part
    if (/^\$(?:ref|dynamicRef|recursiveRef)$/.test(key)) {
      if (typeof value !== 'string' || !value.startsWith('#'))
        throw new Error(`${place}: expected a reference within the schema, such as #/$defs/item`)
      copy[key] = value
    } else if (key === '$id' && at !== '') throw new Error(`${place}: expected no $id below the root`)
    else if (key === 'uniqueItems') {
      if (value === true) copy.svcUniqueItems = true
    } else if (key.startsWith('svc')) throw new Error(`${place}: unknown keyword`)
    else if (isRecord(value) && NAMED.has(key)) copy[key] = named(value as JsonObject, below)
    else if (Array.isArray(value) && (LIST.has(key) || key === 'items')) copy[key] = value.map(below)
    else if (isRecord(value) && (ONE.has(key) || key === 'items')) copy[key] = below(value as JsonObject, '')
    else if (isRecord(value) && key === 'dependencies') copy[key] = named(value as JsonObject, below)
    else copy[key] = value
  }
  const compares = ['enum', 'const'].reduce((sum, key) => sum + (JSON.stringify(schema[key])?.length ?? 0), 0)
  copy.svcSteps = {
    once: SCHEMA + compares / COMPARED,
    each: MEMBER * (1 + (isRecord(schema.properties) ? Object.keys(schema.properties).length / MEMBER : 0)),
  }
  return copy
}

function named(schemas: JsonObject, below: (part: Json, name: string) => Json): JsonObject {
  const entries = Object.entries(schemas).map(([name, part]): [string, Json] => [name, below(part, name)])
  return Object.fromEntries(entries)
}

/** An ajv instance whose validators take steps. */
class Engine {
  readonly #ajv: Ajv | Ajv2020
  #steps: StepBudget | null = null

  constructor(Class: typeof Ajv | typeof Ajv2020) {
    this.#ajv = new Class({
      strict: false,
      logger: false,
      inlineRefs: false,
      addUsedSchema: false,
      // ajv caches patterns by their string form, so each must have a unique one.
      code: {
        regExp: Object.assign(
          (source: string) => {
            const pattern = linearPattern(source, this.#steps!)
            if (pattern === undefined)
              throw new Error(`the pattern ${source.slice(0, 100)} is not in RE2 syntax, or too large`)
            return {
              test: (text: string) => pattern.test(text, this.#steps!),
              toString: () => `linear ${source}`,
            }
          },
          { code: 'linearPattern' },
        ),
      },
    } as ConstructorParameters<typeof Ajv2020>[0])
    addFormats.default(this.#ajv as Ajv)
    this.#boundFormats()
    this.#ajv.addKeyword({
      keyword: 'svcSteps',
      before: '$ref',
      schemaType: 'object',
      validate: ({ once, each }: { once: number; each: number }, value: Json) => {
        this.#steps!.take(once + membersOf(value) * each)
        return true
      },
    })
    this.#ajv.addKeyword({
      keyword: 'svcUniqueItems',
      type: 'array',
      validate: (_: boolean, items: Json[]) => {
        // They are written with sorted members.
        takeSize(items, this.#steps!)
        takeSize(items, this.#steps!)
        return new Set(items.map(canonicalJson)).size === items.length
      },
    })
  }

  compile(schema: AnySchema, steps: StepBudget): ValidateFunction {
    this.#steps = steps
    try {
      return this.#ajv.compile(schema)
    } catch (error) {
      if (isTooExpensive(error)) throw error
      throw new Error((error as Error).message.slice(0, 300), { cause: error })
    } finally {
      this.#ajv.removeSchema(schema)
      this.#steps = null
    }
  }

  run(validate: ValidateFunction, value: Json, steps: StepBudget): boolean {
    this.#steps = steps
    try {
      return validate(value) === true
    } catch (error) {
      if (isTooExpensive(error)) throw error
      // A recursive schema overflowed the stack.
      return false
    } finally {
      this.#steps = null
    }
  }

  #boundFormats(): void {
    for (const [name, format] of Object.entries(this.#ajv.formats)) {
      const expression =
        format instanceof RegExp
          ? format
          : typeof format === 'object' && format.validate instanceof RegExp
            ? format.validate
            : undefined
      if (expression) this.#ajv.addFormat(name, (text: string) => text.length > FORMAT_LIMIT || expression.test(text))
    }
  }
}

function membersOf(value: Json): number {
  if (Array.isArray(value)) return value.length
  return isRecord(value) ? Object.keys(value).length : 0
}

const draft7 = lazyEngine(Ajv)
const draft2020 = lazyEngine(Ajv2020)

function lazyEngine(Class: typeof Ajv | typeof Ajv2020): () => Engine {
  let engine: Engine | undefined
  return () => (engine ??= new Engine(Class))
}
