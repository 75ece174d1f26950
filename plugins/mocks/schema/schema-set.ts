/** The validators of one document: compiled when first asked for, kept with the version they belong to. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ErrorObject, SchemaValidateFunction, ValidateFunction } from 'ajv'
import addFormatsModule from 'ajv-formats'
import { isRecord } from 'svc/plugin'
import type { ApiDocument } from '../document/api-document.ts'
import type { Json } from '../document/json.ts'
import { eachObject } from '../document/walk.ts'
import { convertSchema, type ConversionContext, type Direction } from './convert.ts'
import { linearPattern, type LinearPattern } from './linear-pattern.ts'

export interface SchemaError {
  /** JSON pointer into the value. */
  path: string
  keyword: string
  message: string
}

/** Errors of a value, none when it fits; null when the schema can't be used for checking. */
export type Check = SchemaError[] | null

/** How many referenced schemas one validation may enter: schemas that refer to one another twice each would take for ever. */
const STEP_BUDGET = 50_000

export class SchemaSet {
  readonly document: ApiDocument
  readonly #patterns = new Map<string, LinearPattern | null>()
  readonly #engines = new Map<string, Engine>()
  #steps = 0

  constructor(document: ApiDocument) {
    this.document = document
  }

  /** Referenced schemas that all validations so far have entered: what they have cost. */
  get steps(): number {
    return this.#steps
  }

  /** Whether the value fits. True when the schema can't be used for checking. */
  accepts(schema: Json | undefined, value: Json, direction: Direction): boolean {
    return this.#run(schema, value, direction, false)?.length !== 1
  }

  /** All errors of a value that does not fit; the common case, a value that fits, costs no more than `accepts`. */
  errors(schema: Json | undefined, value: Json, direction: Direction, options: { all?: boolean } = {}): Check {
    const first = this.#run(schema, value, direction, false)
    if (first === null || first.length === 0 || options.all === false) return first
    return this.#run(schema, value, direction, true) ?? first
  }

  /** Whether the schema can be compiled and run; else why not. */
  compileError(schema: Json | undefined, direction: Direction): string | null {
    return isRecord(schema) ? this.#engine(direction, false).compile(schema).error : null
  }

  /** The linear form of a pattern; undefined when there is none. */
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
    if (schema === false) return [{ path: '', keyword: 'false schema', message: 'no value is allowed here' }]
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

/** One ajv with the schemas of one direction. */
class Engine {
  readonly #ajv: Ajv2020
  readonly #context: ConversionContext
  readonly #compiled = new WeakMap<object, Compiled>()
  readonly #ids = new Map<string, string>()
  readonly #pending: string[] = []
  /** What references lead to, by id. */
  readonly #targets = new Map<string, ValidateFunction>()
  /** Ids that each target refers to. */
  readonly #links = new Map<string, ReadonlySet<string>>()
  /** Why targets can't be compiled, by id. */
  readonly #broken = new Map<string, string>()
  /** Ids that the conversion under way has met. */
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
      // ajv keeps what this returns by its text, so each must have its own.
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
    // First of all: what comes after a keyword that failed is never reached.
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
      // The budget is spent, or schemas that contain themselves ended the stack: such a schema can't be checked against.
      return null
    }
    return (validate.errors ?? []).slice(0, 1000).map(readable)
  }

  #convert(schema: Json | undefined): { converted: Json; met: ReadonlySet<string> } {
    this.#met = new Set()
    return { converted: convertSchema(schema, this.#context), met: this.#met }
  }

  /** Why something that these ids lead to can't be compiled. */
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

  /** Registers what conversion has met, each as a schema of its own: bundling them would repeat them everywhere. */
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
    if (++this.#steps > STEP_BUDGET) throw new Error('too many steps')
    return true
  }
}

/** Which members a reference has evaluated, only ajv's own `$ref` tells. */
function usesUnevaluated(document: ApiDocument): boolean {
  let isUsed = false
  eachObject(document.root, object => {
    isUsed ||= Object.hasOwn(object, 'unevaluatedProperties') || Object.hasOwn(object, 'unevaluatedItems')
  })
  return isUsed
}

/** Texts longer than this are not held against a format's expression: some of those take the square of the length. */
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

/** One text for equal values: members in the order of their names. */
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
