/** The validators of one document, compiled lazily. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ErrorObject, SchemaValidateFunction, ValidateFunction } from 'ajv'
import addFormatsModule from 'ajv-formats'
import { isTooExpensive, StepBudget, TooExpensive } from 'svc/plugin'
import { isRecord, linearPattern, takeSize, type LinearPattern } from 'svc/toolkit'
import type { ApiDocument } from '../document/api-document.ts'
import type { Json } from '../document/json.ts'
import { eachObject } from '../document/walk.ts'
import { convertSchema, type ConversionContext, type Direction } from './convert.ts'

export interface SchemaError {
  /** JSON pointer into the value. */
  path: string
  keyword: string
  message: string
}

/** Errors of a value, empty if it is valid; null if the schema can't be used for validation. */
export type Check = SchemaError[] | null

/**
 * Maximum number of referenced schemas that a validation can enter, because mutual references can grow exponentially.
 */
const MAX_REFERENCES = 50_000
/** Steps of compiling all patterns of a document; further ones are ignored. */
const PATTERN_STEPS = 20_000_000
/** Steps of entering a schema, and for each item of an array. */
const SCHEMA = 20
const ITEM = 10

export class SchemaSet {
  readonly document: ApiDocument
  readonly #patterns = new Map<string, LinearPattern | null>()
  readonly #patternSteps = new StepBudget(PATTERN_STEPS)
  readonly #engines = new Map<string, Engine>()
  #references = 0

  constructor(document: ApiDocument) {
    this.document = document
  }

  /** Number of referenced schemas that all validations have entered, as a measure of cost. */
  get references(): number {
    return this.#references
  }

  /**
   * Whether the value is valid. True if the schema can't be used for validation. Throws `TooExpensive` if the budget has too few
   * steps.
   */
  accepts(schema: Json | undefined, value: Json, direction: Direction, steps: StepBudget): boolean {
    const errors = this.#run(schema, value, direction, false, steps)
    if (errors === null && steps.isUsedUp) throw new TooExpensive()
    return errors?.length !== 1
  }

  /**
   * All errors of a value; null if validation takes more steps than the budget has. A valid value, the common case, costs no
   * more than `accepts`.
   */
  errors(
    schema: Json | undefined,
    value: Json,
    direction: Direction,
    steps: StepBudget,
    options: { all?: boolean } = {},
  ): Check {
    const first = this.#run(schema, value, direction, false, steps)
    if (first === null || first.length === 0 || options.all === false) return first
    return this.#run(schema, value, direction, true, steps) ?? first
  }

  /** Why the schema can't be compiled; null if it can. */
  compileError(schema: Json | undefined, direction: Direction): string | null {
    return isRecord(schema) ? this.#engine(direction, false).compile(schema).error : null
  }

  /** The RE2 form of a pattern; undefined if RE2 does not support it, or the patterns of the document are too large. */
  pattern(source: string): LinearPattern | undefined {
    let pattern = this.#patterns.get(source)
    if (pattern === undefined) {
      pattern = this.#compilePattern(source)
      this.#patterns.set(source, pattern)
    }
    return pattern ?? undefined
  }

  #compilePattern(source: string): LinearPattern | null {
    try {
      return linearPattern(source, this.#patternSteps) ?? null
    } catch (error) {
      if (!isTooExpensive(error)) throw error
      return null
    }
  }

  #run(schema: Json | undefined, value: Json, direction: Direction, all: boolean, steps: StepBudget): Check {
    if (schema === undefined || schema === true) return []
    if (schema === false) return [{ path: '', keyword: 'false schema', message: 'must not be present' }]
    if (!isRecord(schema)) return []
    return this.#engine(direction, all).run(schema, value, steps)
  }

  #engine(direction: Direction, all: boolean): Engine {
    const key = `${direction} ${all}`
    let engine = this.#engines.get(key)
    if (!engine) {
      engine = new Engine(this, direction, all, () => this.#references++)
      this.#engines.set(key, engine)
    }
    return engine
  }
}

interface Compiled {
  validate: ValidateFunction | null
  error: string | null
}

/** An ajv instance with the schemas of one direction. */
class Engine {
  readonly #ajv: Ajv2020
  readonly #context: ConversionContext
  readonly #compiled = new WeakMap<object, Compiled>()
  readonly #ids = new Map<string, string>()
  readonly #pending: string[] = []
  /** Targets of references by id. */
  readonly #targets = new Map<string, ValidateFunction>()
  /** Ids that each target references. */
  readonly #links = new Map<string, ReadonlySet<string>>()
  /** Compile errors of targets by id. */
  readonly #broken = new Map<string, string>()
  /** Ids found during the current conversion. */
  #met = new Set<string>()
  readonly #onReference: () => void
  #references = 0
  /** The budget of the validation that runs. */
  #steps = StepBudget.unlimited()

  constructor(set: SchemaSet, direction: Direction, all: boolean, onReference: () => void) {
    this.#onReference = onReference
    this.#ajv = new Ajv2020({
      strict: false,
      allErrors: all,
      logger: false,
      inlineRefs: false,
      validateSchema: false,
      addUsedSchema: false,
      // ajv caches patterns by their string form, so each must have a unique one.
      code: {
        regExp: Object.assign(
          (source: string) => ({
            test: (text: string) => set.pattern(source)?.test(text, this.#steps) ?? true,
            toString: () => `linear ${source}`,
          }),
          { code: 'linearPattern' },
        ),
      },
    } as ConstructorParameters<typeof Ajv2020>[0])
    addFormatsModule.default(this.#ajv)
    for (const name of ['byte', 'binary', 'password']) this.#ajv.addFormat(name, true)
    boundFormats(this.#ajv)
    this.#ajv.addKeyword({
      keyword: 'svcUniqueItems',
      type: 'array',
      error: { message: 'must NOT have duplicate items' },
      validate: (_: boolean, items: Json[]) => {
        // They are written with sorted members.
        takeSize(items, this.#steps)
        takeSize(items, this.#steps)
        return new Set(items.map(canonical)).size === items.length
      },
    })
    // Must come first, because ajv skips keywords after a failed one.
    this.#ajv.addKeyword({ keyword: 'svcReference', before: '$ref', schema: false, validate: () => this.#enter() })
    this.#ajv.addKeyword({
      keyword: 'svcSteps',
      before: '$ref',
      schemaType: 'number',
      validate: (alternatives: number, value: Json) => {
        this.#steps.take(alternatives * SCHEMA + (Array.isArray(value) ? value.length * ITEM : 0))
        return true
      },
    })
    const validate: SchemaValidateFunction = (id: string, value: Json, _parent, place) => {
      const target = this.#targets.get(id)!
      if (target(value, place)) return true
      validate.errors = target.errors ?? []
      return false
    }
    this.#ajv.addKeyword({ keyword: 'svcRef', before: '$ref', schemaType: 'string', errors: 'full', validate })
    this.#context = {
      document: set.document,
      direction,
      refKeyword: usesUnevaluated(set.document) ? '$ref' : 'svcRef',
      idOf: ref => this.#idOf(ref),
      supportsPattern: pattern => set.pattern(pattern) !== undefined,
    }
  }

  compile(schema: object): Compiled {
    const known = this.#compiled.get(schema)
    if (known) return known
    let result: Compiled
    try {
      const { converted, met } = this.#convert(schema as Json)
      this.#addPending()
      const reason = this.#brokenBelow(met)
      if (reason !== undefined) throw new Error(reason)
      result = { validate: this.#ajv.compile(converted as object), error: null }
    } catch (error) {
      result = { validate: null, error: (error as Error).message.slice(0, 300) }
    }
    this.#compiled.set(schema, result)
    return result
  }

  run(schema: object, value: Json, steps: StepBudget): Check {
    const { validate } = this.compile(schema)
    if (!validate) return null
    this.#references = 0
    this.#steps = steps
    try {
      if (validate(value)) return []
    } catch {
      // The budget is used up, or a recursive schema overflowed the stack.
      return null
    }
    return (validate.errors ?? []).slice(0, 1000).map(readable)
  }

  #convert(schema: Json | undefined): { converted: Json; met: ReadonlySet<string> } {
    this.#met = new Set()
    return { converted: convertSchema(schema, this.#context), met: this.#met }
  }

  /** The first compile error of the schemas that these ids reach. */
  #brokenBelow(ids: ReadonlySet<string>): string | undefined {
    if (this.#broken.size === 0) return undefined
    const reached = new Set(ids)
    for (const id of reached) {
      const reason = this.#broken.get(id)
      if (reason !== undefined) return reason
      for (const next of this.#links.get(id) ?? []) reached.add(next)
    }
    return undefined
  }

  #idOf(ref: string): string {
    let id = this.#ids.get(ref)
    if (id === undefined) {
      id = `s:${this.#ids.size}`
      this.#ids.set(ref, id)
      this.#pending.push(ref)
    }
    this.#met.add(id)
    return id
  }

  /** Registers the found references as separate schemas, because bundling would duplicate them. */
  #addPending(): void {
    for (let ref = this.#pending.pop(); ref !== undefined; ref = this.#pending.pop()) {
      const id = this.#idOf(ref)
      const target = this.#context.document.references.target(ref)
      const { converted, met } = this.#convert(target ?? true)
      const counted = isRecord(converted)
        ? { svcReference: true, ...converted }
        : { svcReference: true, ...(converted === false ? { not: {} } : {}) }
      if (this.#context.refKeyword === '$ref') this.#ajv.addSchema(counted, id)
      else this.#compileTarget(id, counted, met)
    }
  }

  #compileTarget(id: string, schema: object, links: ReadonlySet<string>): void {
    this.#links.set(id, links)
    try {
      this.#targets.set(id, this.#ajv.compile(schema))
    } catch (error) {
      this.#broken.set(id, (error as Error).message)
    }
  }

  #enter(): boolean {
    this.#onReference()
    if (++this.#references > MAX_REFERENCES) throw new Error('validation takes too many steps')
    return true
  }
}

/** Whether the document uses `unevaluated*`, which only works with ajv's `$ref`. */
function usesUnevaluated(document: ApiDocument): boolean {
  let isUsed = false
  eachObject(document.root, object => {
    isUsed ||= Object.hasOwn(object, 'unevaluatedProperties') || Object.hasOwn(object, 'unevaluatedItems')
  })
  return isUsed
}

/** Longer strings are not checked against formats, because some of their expressions take quadratic time. */
const FORMAT_LIMIT = 2048

function boundFormats(ajv: Ajv2020): void {
  for (const [name, format] of Object.entries(ajv.formats)) {
    const expression =
      format instanceof RegExp
        ? format
        : typeof format === 'object' && format.validate instanceof RegExp
          ? format.validate
          : undefined
    if (expression) ajv.addFormat(name, (text: string) => text.length > FORMAT_LIMIT || expression.test(text))
  }
}

/** A canonical string for a value, with sorted members. */
function canonical(value: Json): string {
  return JSON.stringify(value, (_, member: Json) =>
    isRecord(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))) : member,
  )
}

function readable(error: ErrorObject): SchemaError {
  const params = error.params as {
    additionalProperty?: string
    unevaluatedProperty?: string
    allowedValues?: unknown[]
  }
  const extra = params.additionalProperty ?? params.unevaluatedProperty
  const suffix =
    extra !== undefined
      ? ` ("${extra}")`
      : Array.isArray(params.allowedValues)
        ? `: ${JSON.stringify(params.allowedValues).slice(0, 200)}`
        : ''
  return {
    path: error.instancePath,
    keyword: error.keyword === 'svcUniqueItems' ? 'uniqueItems' : error.keyword,
    message: `${error.message ?? 'is not valid'}${suffix}`,
  }
}
