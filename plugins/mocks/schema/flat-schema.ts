/**
 * Flattens a schema for the generator: references are resolved, `allOf` is merged, and both forms of bounds are
 * unified.
 */
import { isTooExpensive, StepBudget } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import type { ApiDocument } from '../document/api-document.ts'
import { deepEqual, own, ownObject, ownText, type Json, type JsonObject } from '../document/json.ts'

/** Steps of comparing the values of merged lists. */
const COMPARISON_STEPS = 1_000_000

export interface FlatSchema {
  /** Null for any type. */
  types: string[] | null
  isNullable: boolean
  const: Json | undefined
  enum: Json[] | undefined
  /** `example`, then the first of `examples`. */
  examples: Json[]
  default: Json | undefined
  format: string | undefined
  /** The schema of the JSON document that a string contains (`contentSchema`). */
  content: Json | undefined
  patterns: string[]
  minLength: number
  maxLength: number
  minimum: number
  maximum: number
  exclusiveMinimum: number
  exclusiveMaximum: number
  multipleOf: number | undefined
  properties: Map<string, Json>
  required: Set<string>
  /** Patterns of `patternProperties`, with their schemas. */
  patternProperties: [string, Json][]
  additional: Json | undefined
  minProperties: number
  maxProperties: number
  items: Json | undefined
  prefixItems: Json[]
  contains: Json | undefined
  minItems: number
  maxItems: number
  uniqueItems: boolean
  /** One entry per `oneOf`, `anyOf` or `if`, with the alternatives. */
  unions: { alternatives: Json[]; discriminator: JsonObject | undefined }[]
  /** Whether the schema has keywords that the generator does not guarantee, so that results must be validated. */
  isIntricate: boolean
  /** The number of merged schemas that declare members. */
  objectParts: number
  /** The resolved references. */
  refs: string[]
  /** The name of the first referenced component, for the XML root element. */
  componentName: string | undefined
}

function emptyFlat(): FlatSchema {
  return {
    types: null,
    isNullable: false,
    const: undefined,
    enum: undefined,
    examples: [],
    default: undefined,
    format: undefined,
    content: undefined,
    patterns: [],
    minLength: 0,
    maxLength: Infinity,
    minimum: -Infinity,
    maximum: Infinity,
    exclusiveMinimum: -Infinity,
    exclusiveMaximum: Infinity,
    multipleOf: undefined,
    properties: new Map(),
    required: new Set(),
    patternProperties: [],
    additional: undefined,
    minProperties: 0,
    maxProperties: Infinity,
    items: undefined,
    prefixItems: [],
    contains: undefined,
    minItems: 0,
    maxItems: Infinity,
    uniqueItems: false,
    unions: [],
    isIntricate: false,
    objectParts: 0,
    refs: [],
    componentName: undefined,
  }
}

/** Maximum number of schemas in one merge, because `allOf` trees can grow exponentially. */
const MERGE_BUDGET = 500

/** The state of one merge. */
interface Merging {
  /** The schemas that are being merged. */
  seen: Set<object>
  /** Number of schemas that can still be merged. */
  left: number
  steps: StepBudget | undefined
}

/** Steps for merging two schemas, apart from their members. */
const MERGE_STEPS = 100
/** Steps for copying or adding a member. */
const COPY_STEPS = 30

/** Steps for merging what a schema itself declares. */
function costOf(schema: JsonObject): number {
  let members = 0
  for (const keyword of ['required', 'enum', 'prefixItems']) members += listOf(schema, keyword).length
  for (const keyword of ['properties', 'patternProperties'])
    members += Object.keys(ownObject(schema, keyword) ?? {}).length
  return MERGE_STEPS + members * COPY_STEPS
}

/** Flattens schemas of one document, with a cache for schemas of the document. */
export class Flattener {
  readonly #document: ApiDocument
  readonly #known = new WeakMap<object, FlatSchema>()

  constructor(document: ApiDocument) {
    this.#document = document
  }

  /** Takes steps from the budget if one is given. Throws `TooExpensive`. */
  flatten(schema: Json | undefined, steps?: StepBudget): FlatSchema {
    const known = isRecord(schema) ? this.#known.get(schema) : undefined
    if (known) return known
    const flat = emptyFlat()
    this.#absorb(flat, schema, { seen: new Set(), left: MERGE_BUDGET, steps })
    if (isRecord(schema)) this.#known.set(schema, flat)
    return flat
  }

  /** Merges two schemas, like `allOf`. */
  merge(a: FlatSchema, schema: Json, steps?: StepBudget): FlatSchema {
    steps?.take(MERGE_STEPS + (a.properties.size + a.required.size + a.unions.length) * COPY_STEPS)
    const flat: FlatSchema = {
      ...a,
      properties: new Map(a.properties),
      required: new Set(a.required),
      unions: [...a.unions],
      examples: [...a.examples],
      patterns: [...a.patterns],
      refs: [...a.refs],
      patternProperties: [...a.patternProperties],
      prefixItems: [...a.prefixItems],
    }
    this.#absorb(flat, schema, { seen: new Set(), left: MERGE_BUDGET, steps })
    return flat
  }

  #absorb(flat: FlatSchema, schema: Json | undefined, merging: Merging): void {
    const { seen, steps } = merging
    if (!isRecord(schema) || seen.has(schema) || merging.left-- <= 0) return
    steps?.take(costOf(schema))
    seen.add(schema)
    const ref = ownText(schema, '$ref')
    if (ref !== undefined) {
      flat.refs.push(ref)
      flat.componentName ??= ref.slice(ref.lastIndexOf('/') + 1)
      this.#absorb(flat, this.#document.references.target(ref), merging)
      if (this.#document.dialect === '3.0') return
    }
    absorbValues(flat, schema)
    absorbNumbers(flat, schema)
    absorbObject(flat, schema)
    absorbArray(flat, schema)
    absorbDoubts(flat, schema)
    for (const part of listOf(schema, 'allOf')) this.#absorb(flat, part, merging)
    const discriminator = ownObject(schema, 'discriminator')
    for (const keyword of ['oneOf', 'anyOf']) {
      const alternatives = listOf(schema, keyword)
      if (alternatives.length > 0) flat.unions.push({ alternatives, discriminator })
    }
    // `if` is treated as a choice of `then` or `else`; validation detects a wrong choice.
    if (Object.hasOwn(schema, 'if'))
      flat.unions.push({
        alternatives: [{ allOf: [schema['if'] ?? true, own(schema, 'then') ?? true] }, own(schema, 'else') ?? true],
        discriminator: undefined,
      })
    // Alternatives include the keywords merged so far; the same part can occur in several of them.
    seen.delete(schema)
  }
}

function listOf(schema: JsonObject, keyword: string): Json[] {
  const list = own(schema, keyword)
  return Array.isArray(list) ? list : []
}

function absorbValues(flat: FlatSchema, schema: JsonObject): void {
  const type = own(schema, 'type')
  const types =
    typeof type === 'string' ? [type] : Array.isArray(type) ? type.filter(entry => typeof entry === 'string') : null
  if (types) {
    if (types.includes('null')) flat.isNullable = true
    flat.types = flat.types
      ? flat.types.filter(entry => types.includes(entry) || (entry === 'integer' && types.includes('number')))
      : types
    if (flat.types.includes('number') && types.includes('integer') && !types.includes('number'))
      flat.types = flat.types.map(entry => (entry === 'number' ? 'integer' : entry))
  }
  if (own(schema, 'nullable') === true) flat.isNullable = true
  if (Object.hasOwn(schema, 'const')) flat.const = schema['const']
  const values = own(schema, 'enum')
  if (Array.isArray(values) && values.length > 0) flat.enum = flat.enum ? commonValues(flat.enum, values) : values
  if (Object.hasOwn(schema, 'example')) flat.examples.push(schema['example'] ?? null)
  const first = listOf(schema, 'examples')[0]
  if (first !== undefined) flat.examples.push(first)
  if (Object.hasOwn(schema, 'default')) flat.default = schema['default']
  flat.format = ownText(schema, 'format') ?? flat.format
  const encoding = ownText(schema, 'contentEncoding')
  if (encoding === 'base64') flat.format ??= 'byte'
  if (encoding === undefined && /[/+]json\b/i.test(ownText(schema, 'contentMediaType') ?? ''))
    flat.content = own(schema, 'contentSchema') ?? flat.content
  const pattern = ownText(schema, 'pattern')
  if (pattern !== undefined) flat.patterns.push(pattern)
}

/** The values of both lists; if comparing them takes too long, the first list. */
function commonValues(first: Json[], second: readonly Json[]): Json[] {
  const steps = new StepBudget(COMPARISON_STEPS)
  try {
    return first.filter(value => second.some(other => deepEqual(value, other, steps)))
  } catch (error) {
    if (!isTooExpensive(error)) throw error
    return first
  }
}

function number(schema: JsonObject, keyword: string): number | undefined {
  const value = own(schema, keyword)
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

function absorbNumbers(flat: FlatSchema, schema: JsonObject): void {
  const minimum = number(schema, 'minimum')
  const maximum = number(schema, 'maximum')
  // 3.0 has `exclusiveMinimum: true` next to the bound, in 3.1 the value is the bound.
  if (minimum !== undefined && own(schema, 'exclusiveMinimum') === true)
    flat.exclusiveMinimum = Math.max(flat.exclusiveMinimum, minimum)
  else flat.minimum = Math.max(flat.minimum, minimum ?? -Infinity)
  if (maximum !== undefined && own(schema, 'exclusiveMaximum') === true)
    flat.exclusiveMaximum = Math.min(flat.exclusiveMaximum, maximum)
  else flat.maximum = Math.min(flat.maximum, maximum ?? Infinity)
  flat.exclusiveMinimum = Math.max(flat.exclusiveMinimum, number(schema, 'exclusiveMinimum') ?? -Infinity)
  flat.exclusiveMaximum = Math.min(flat.exclusiveMaximum, number(schema, 'exclusiveMaximum') ?? Infinity)
  const multipleOf = number(schema, 'multipleOf')
  if (multipleOf !== undefined && multipleOf > 0) flat.multipleOf = Math.max(flat.multipleOf ?? 0, multipleOf)
  flat.minLength = Math.max(flat.minLength, number(schema, 'minLength') ?? 0)
  flat.maxLength = Math.min(flat.maxLength, number(schema, 'maxLength') ?? Infinity)
}

function absorbObject(flat: FlatSchema, schema: JsonObject): void {
  for (const [name, property] of Object.entries(ownObject(schema, 'properties') ?? {})) {
    const present = flat.properties.get(name)
    flat.properties.set(name, present === undefined || present === property ? property : { allOf: [present, property] })
  }
  for (const name of listOf(schema, 'required')) if (typeof name === 'string') flat.required.add(name)
  for (const entry of Object.entries(ownObject(schema, 'patternProperties') ?? {})) flat.patternProperties.push(entry)
  const additional = own(schema, 'additionalProperties')
  if (additional !== undefined && flat.additional !== false) flat.additional = additional
  flat.minProperties = Math.max(flat.minProperties, number(schema, 'minProperties') ?? 0)
  flat.maxProperties = Math.min(flat.maxProperties, number(schema, 'maxProperties') ?? Infinity)
}

const INTRICATE = [
  'oneOf',
  'not',
  'if',
  'dependentSchemas',
  'dependentRequired',
  'unevaluatedProperties',
  'unevaluatedItems',
  'propertyNames',
  'patternProperties',
  'contains',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'multipleOf',
  'const',
] as const

function absorbDoubts(flat: FlatSchema, schema: JsonObject): void {
  if (INTRICATE.some(keyword => Object.hasOwn(schema, keyword))) flat.isIntricate = true
  if (Object.hasOwn(schema, 'properties') || Object.hasOwn(schema, 'additionalProperties')) flat.objectParts++
  // `additionalProperties` of a part does not consider members of the other parts and may forbid them.
  if (flat.objectParts > 1 && flat.additional !== undefined && flat.additional !== true) flat.isIntricate = true
  if (flat.format !== undefined && (flat.minLength > 0 || flat.maxLength < 64)) flat.isIntricate = true
  if (flat.types?.length === 0 || flat.enum?.length === 0) flat.isIntricate = true
}

function absorbArray(flat: FlatSchema, schema: JsonObject): void {
  const items = own(schema, 'items')
  if (items !== undefined)
    flat.items = flat.items === undefined || flat.items === items ? items : { allOf: [flat.items, items] }
  const prefix = listOf(schema, 'prefixItems')
  if (prefix.length > flat.prefixItems.length) flat.prefixItems = prefix
  flat.contains = own(schema, 'contains') ?? flat.contains
  flat.minItems = Math.max(flat.minItems, number(schema, 'minItems') ?? 0)
  flat.maxItems = Math.min(flat.maxItems, number(schema, 'maxItems') ?? Infinity)
  if (own(schema, 'uniqueItems') === true) flat.uniqueItems = true
}
