/** The validators of one document, compiled lazily. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ErrorObject, SchemaValidateFunction, ValidateFunction } from 'ajv'
import addFormatsModule from 'ajv-formats'
import { isRecord, linearPattern, type LinearPattern } from 'svc/plugin'
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
const STEP_BUDGET = 50_000

export class SchemaSet {
  readonly document: ApiDocument
  readonly #patterns = new Map<string, LinearPattern | null>()
  readonly #engines = new Map<string, Engine>()
  #steps = 0

  constructor(document: ApiDocument) {
    this.document = document
  }

  /** Number of referenced schemas that all validations have entered, as a measure of cost. */
  get steps(): number {
    return this.#steps
  }

  /** Whether the value is valid. True if the schema can't be used for validation. */
  accepts(schema: Json | undefined, value: Json, direction: Direction): boolean {
    return this.#run(schema, value, direction, false)?.length !== 1
  }

  /** All errors of a value. A valid value, the common case, costs no more than `accepts`. */
  errors(schema: Json | undefined, value: Json, direction: Direction, options: { all?: boolean } = {}): Check {
    const first = this.#run(schema, value, direction, false)
    if (first === null || first.length === 0 || options.all === false) return first
    return this.#run(schema, value, direction, true) ?? first
  }

  /** Why the schema can't be compiled; null if it can. */
  compileError(schema: Json | undefined, direction: Direction): string | null {
    return isRecord(schema) ? this.#engine(direction, false).compile(schema).error : null
  }

  /** The RE2 form of a pattern; undefined if RE2 does not support it. */
  pattern(source: string): LinearPattern | undefined {
    let pattern = this.#patterns.get(source)
    if (pattern === undefined) {
      pattern = linearPattern(source) ?? null
      this.#patterns.set(source, pattern)
    }
    return pattern ?? undefined
  }

  #run(schema: Json | undefined, value: Json, direction: Direction, all: boolean): Check {
    if (schema === undefined || schema === true) return []
    if (schema === false) return [{ path: '', keyword: 'false schema', message: 'must not be present' }]
    if (!isRecord(schema)) return []
    return this.#engine(direction, all).run(schema, value)
  }

  #engine(direction: Direction, all: boolean): Engine {
    const key = `${direction} ${all}`
    let engine = this.#engines.get(key)
    if (!engine) {
      engine = new Engine(this, direction, all, () => this.#steps++)
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
  readonly #onStep: () => void
  #steps = 0

  constructor(set: SchemaSet, direction: Direction, all: boolean, onStep: () => void) {
    this.#onStep = onStep
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
            test: (text: string) => set.pattern(source)?.test(text) ?? true,
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
      validate: (_: boolean, items: Json[]) => new Set(items.map(canonical)).size === items.length,
    })
    // Must come first, because ajv skips keywords after a failed one.
    this.#ajv.addKeyword({ keyword: 'svcStep', before: '$ref', schema: false, validate: () => this.#step() })
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

  run(schema: object, value: Json): Check {
    const { validate } = this.compile(schema)
    if (!validate) return null
    this.#steps = 0
    try {
      if (validate(value)) return []
    } catch {
      // The step budget is exhausted, or a recursive schema overflowed the stack.
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
        ? { svcStep: true, ...converted }
        : { svcStep: true, ...(converted === false ? { not: {} } : {}) }
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

  #step(): boolean {
    this.#onStep()
    if (++this.#steps > STEP_BUDGET) throw new Error('validation takes too many steps')
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
