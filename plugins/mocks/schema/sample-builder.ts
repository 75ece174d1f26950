/** Builds a value for a schema. Every choice depends on the seed, the location and the errors of earlier attempts. */
import { isTooExpensive, type StepBudget } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import { ownObject, ownText, setOwn, type Json, type JsonObject } from '../document/json.ts'
import { escapeToken } from '../document/json-pointer.ts'
import { isMarked } from './convert.ts'
import type { Flattener, FlatSchema } from './flat-schema.ts'
import { generateNumber } from './generated-number.ts'
import { generateText } from './generated-text.ts'
import type { GenerationCost } from './generation-cost.ts'
import { enter, timesOpen, type OpenReference } from './open-references.ts'
import type { PatternTrees } from './pattern-text.ts'
import type { SchemaSet } from './schema-set.ts'
import { stub, typeName, typeOf } from './schema-type.ts'
import { SeededRandom } from './seed.ts'

/** Corrections from earlier attempts, by location (JSON pointer). */
export interface Corrections {
  /** Locations where examples, defaults and discriminator values were invalid. */
  withoutExample: Set<string>
  /** Number of alternatives to skip. */
  alternative: Map<string, number>
  /** Variants of the seed. */
  variant: Map<string, number>
}

/** What a builder works with. */
export interface BuilderMeans {
  schemas: SchemaSet
  flattener: Flattener
  patterns: PatternTrees
  cost: GenerationCost
  /** For comparing texts with patterns. */
  checks: StepBudget
}

const MAX_LEVELS = 40
const MAX_VALUES = 5000
/** Bytes above which optional members are left out. */
const MAX_BYTES = 200 << 10
const MAX_ITEMS = 100
/** Items of lists in large values, which would multiply. */
const MAX_ITEMS_OF_LARGE = 20
/** Values above which a value is large. */
const LARGE_VALUES = 500
/** Members that are added to an object to reach `minProperties`. */
const MAX_ADDED_MEMBERS = 20
/** Attempts to find different items, besides one for each. */
const MORE_ATTEMPTS = 10
/** Steps for a value of an enum, or an alternative. */
const ALTERNATIVE_STEPS = 30
/** Steps for comparing a name with a pattern. */
const PATTERN_STEPS = 200
/** Steps for choosing the members of an object, for each that is declared. */
const MEMBER_STEPS = 40

export class SampleBuilder {
  /** Locations of used examples and defaults, and of `oneOf` and `anyOf` choices, which the next attempt can change. */
  readonly usedExamples = new Set<string>()
  readonly usedUnions = new Set<string>()
  /** Whether the value may be invalid; otherwise compiling the schema for validation is unnecessary. */
  hasDoubts = false
  readonly #schemas: SchemaSet
  readonly #flattener: Flattener
  readonly #patterns: PatternTrees
  readonly #cost: GenerationCost
  readonly #seed: string
  readonly #useExamples: boolean
  readonly #corrections: Corrections
  readonly #checks: StepBudget
  #values = 0

  constructor(means: BuilderMeans, options: { seed: string; useExamples: boolean }, corrections: Corrections) {
    this.#schemas = means.schemas
    this.#flattener = means.flattener
    this.#patterns = means.patterns
    this.#cost = means.cost
    this.#seed = options.seed
    this.#useExamples = options.useExamples
    this.#corrections = corrections
    this.#checks = means.checks
  }

  build(schema: Json | undefined): Json {
    return this.#value(schema, '', '', null, 0)
  }

  #value(schema: Json | undefined, path: string, name: string, open: OpenReference | null, level: number): Json {
    this.#values++
    this.#cost.takeValue(path)
    const flat = this.#flat(schema)
    if (flat.isIntricate) this.hasDoubts = true
    const fixed = this.#fixed(flat, path)
    if (fixed !== undefined) return fixed
    if (level > MAX_LEVELS || this.#values > MAX_VALUES * 2) return this.#stub(flat)
    const inner = enter(open, flat.refs)
    const decided = this.#decideUnions(flat, path, inner)
    const chosen = decided.flat === flat ? undefined : this.#fixed(decided.flat, path)
    if (chosen !== undefined) return chosen
    return this.#typed(decided, path, name, inner, level)
  }

  #flat(schema: Json | undefined): FlatSchema {
    return this.#flattener.flatten(schema, this.#cost.steps)
  }

  /** A value from the schema itself (such as an example); undefined if it has none. */
  #fixed(flat: FlatSchema, path: string): Json | undefined {
    const value = this.#given(flat, path)
    if (value !== undefined) this.#cost.takeGiven(value)
    return value
  }

  #given(flat: FlatSchema, path: string): Json | undefined {
    if (flat.const !== undefined) return flat.const
    if (this.#useExamples && !this.#corrections.withoutExample.has(path)) {
      // Many documents have a null that the schema does not allow.
      const example = [...flat.examples, flat.default].find(
        value => value !== null || flat.isNullable || flat.types === null,
      )
      if (example !== undefined) {
        this.usedExamples.add(path)
        this.hasDoubts = true
        return example
      }
    }
    if (flat.enum) {
      this.#cost.steps.take(flat.enum.length * ALTERNATIVE_STEPS)
      const fitting = flat.enum.filter(
        value =>
          value !== null &&
          (flat.types === null ||
            flat.types.includes(typeName(value)) ||
            (typeName(value) === 'integer' && flat.types.includes('number'))),
      )
      if (fitting.length === 0) this.hasDoubts = true
      return this.#random(path).pick(fitting.length > 0 ? fitting : flat.enum)
    }
    return undefined
  }

  /** Chooses an alternative of each `oneOf` and `anyOf`: the first that can be built without recursion. */
  #decideUnions(
    start: FlatSchema,
    path: string,
    open: OpenReference | null,
  ): { flat: FlatSchema; discriminator: [string, string] | null } {
    let flat = start
    let discriminator: [string, string] | null = null
    let skip = this.#corrections.alternative.get(path) ?? 0
    for (let index = 0; index < flat.unions.length && index < 20; index++) {
      const union = flat.unions[index]
      if (!union) break
      const candidates = this.#candidates(union.alternatives, open)
      const at = skip % candidates.length
      skip = Math.floor(skip / candidates.length)
      const chosen = this.#firstBuildable(flat, [...candidates.slice(at), ...candidates.slice(0, at)])
      if (candidates.length > 1) this.usedUnions.add(path)
      flat = chosen.flat
      if (flat.isIntricate) this.hasDoubts = true
      discriminator = this.#discriminatorOf(union.discriminator, chosen.alternative) ?? discriminator
    }
    return { flat, discriminator }
  }

  #candidates(alternatives: Json[], open: OpenReference | null): Json[] {
    this.#cost.steps.take(alternatives.length * ALTERNATIVE_STEPS)
    const rank = (alternative: Json): number => {
      const flat = this.#flat(alternative)
      if (flat.types?.length === 1 && flat.types[0] === 'null') return 2
      return flat.refs.some(ref => timesOpen(open, ref) > 0) ? 1 : 0
    }
    const ranked = alternatives.map(alternative => ({ alternative, rank: rank(alternative) }))
    return ranked.sort((a, b) => a.rank - b.rank).map(({ alternative }) => alternative)
  }

  #firstBuildable(flat: FlatSchema, alternatives: Json[]): { flat: FlatSchema; alternative: Json } {
    for (const alternative of alternatives) {
      const merged = this.#flattener.merge(flat, alternative, this.#cost.steps)
      if (alternative !== false && merged.types?.length !== 0 && merged.enum?.length !== 0)
        return { flat: merged, alternative }
    }
    return {
      flat: this.#flattener.merge(flat, alternatives[0] ?? {}, this.#cost.steps),
      alternative: alternatives[0] ?? {},
    }
  }

  #discriminatorOf(discriminator: JsonObject | undefined, alternative: Json): [string, string] | null {
    const property = ownText(discriminator, 'propertyName')
    const ref = isRecord(alternative) ? ownText(alternative, '$ref') : undefined
    if (property === undefined || ref === undefined) return null
    const name = ref.slice(ref.lastIndexOf('/') + 1)
    const mapped = Object.entries(ownObject(discriminator, 'mapping') ?? {}).find(
      ([, target]) => target === ref || target === name,
    )
    return [property, mapped?.[0] ?? name]
  }

  #typed(
    decided: { flat: FlatSchema; discriminator: [string, string] | null },
    path: string,
    name: string,
    open: OpenReference | null,
    level: number,
  ): Json {
    const { flat } = decided
    switch (typeOf(flat)) {
      case 'object':
        return this.#object(flat, decided.discriminator, path, open, level)
      case 'array':
        return this.#array(flat, path, name, open, level)
      case 'integer':
        return generateNumber(flat, true, this.#place(path))
      case 'number':
        return generateNumber(flat, false, this.#place(path))
      case 'boolean':
        // A client that follows pages would never stop.
        return (
          !/^(?:has_?(?:more|next)|is_?truncated|truncated|incomplete_?results)/i.test(name) &&
          this.#random(path).next() < 0.5
        )
      case 'null':
        return null
      case 'string': {
        if (flat.content !== undefined) return JSON.stringify(this.#value(flat.content, path, name, open, level + 1))
        const text = this.#text(flat, name, path)
        if (flat.patterns.some(pattern => this.#matches(pattern, text) === false)) this.hasDoubts = true
        return text
      }
      default:
        return path === '' ? {} : this.#text(flat, name, path)
    }
  }

  #text(flat: FlatSchema, name: string, path: string): string {
    return generateText(flat, name, { seed: this.#place(path), patterns: this.#patterns, cost: this.#cost })
  }

  #object(
    flat: FlatSchema,
    discriminator: [string, string] | null,
    path: string,
    open: OpenReference | null,
    level: number,
  ): JsonObject {
    const result: JsonObject = {}
    this.#cost.steps.take((flat.properties.size + flat.required.size) * MEMBER_STEPS)
    const names = [...flat.properties.keys()].sort(
      (a, b) => Number(flat.required.has(b)) - Number(flat.required.has(a)),
    )
    let remaining = flat.maxProperties - flat.required.size
    const kept = new Set(names.filter(name => flat.required.has(name) || remaining-- > 0))
    for (const [name, property] of flat.properties) {
      if (!kept.has(name) || isMarked(property, 'writeOnly', this.#schemas.document)) continue
      const at = `${path}/${escapeToken(name)}`
      if (discriminator?.[0] === name && !this.#corrections.withoutExample.has(at)) {
        this.usedExamples.add(at)
        this.#cost.take(name.length + discriminator[1].length + 6)
        setOwn(result, name, discriminator[1])
      } else this.#member(result, name, property, { isRequired: flat.required.has(name), at, open, level })
    }
    for (const name of flat.required)
      if (!flat.properties.has(name))
        this.#member(result, name, this.#schemaOfOther(flat, name), {
          isRequired: true,
          at: `${path}/${escapeToken(name)}`,
          open,
          level,
        })
    this.#fill(result, flat, path, open, level)
    return result
  }

  #member(
    result: JsonObject,
    name: string,
    schema: Json,
    place: { isRequired: boolean; at: string; open: OpenReference | null; level: number },
  ): void {
    const { isRequired, at, open, level } = place
    if (!isRequired && (this.#isSpent() || level >= MAX_LEVELS)) return
    this.#cost.take(name.length + 4)
    const flat = this.#flat(schema)
    const times = Math.max(0, ...flat.refs.map(ref => timesOpen(open, ref)))
    if (times === 0) return setOwn(result, name, this.#value(schema, at, name, open, level + 1))
    if (!isRequired) return
    // A required recursive member gets a minimal value: one more level, then an empty object.
    if (flat.isNullable) setOwn(result, name, null)
    else if (typeOf(flat) === 'array') setOwn(result, name, [])
    else setOwn(result, name, times === 1 ? this.#value(schema, at, name, open, level + 1) : this.#stub(flat))
  }

  /** Undefined if it is not known: the pattern is not supported, or the budget of the value is used up. */
  #matches(pattern: string, text: string): boolean | undefined {
    try {
      return this.#schemas.pattern(pattern)?.test(text, this.#checks)
    } catch (error) {
      if (!isTooExpensive(error)) throw error
      return undefined
    }
  }

  #stub(flat: FlatSchema): Json {
    this.hasDoubts = true
    return stub(flat)
  }

  /** The schema of a member without a declaration; strings by default. */
  #schemaOfOther(flat: FlatSchema, name: string): Json {
    this.#cost.steps.take(flat.patternProperties.length * PATTERN_STEPS)
    const matching = flat.patternProperties.find(([pattern]) => this.#matches(pattern, name))
    if (matching) return matching[1]
    return isRecord(flat.additional) ? flat.additional : { type: 'string' }
  }

  /** Maps get two additional members; other objects get as many as `minProperties` requires. */
  #fill(result: JsonObject, flat: FlatSchema, path: string, open: OpenReference | null, level: number): void {
    const isMap =
      flat.properties.size === 0 && flat.required.size === 0 && isRecord(flat.additional) && !this.#isSpent()
    const schema = isRecord(flat.additional) ? flat.additional : {}
    const isOpen = this.#flat(schema).refs.some(ref => timesOpen(open, ref) > 0)
    const wanted = Math.min(
      Math.max(flat.minProperties, isMap && !isOpen ? 2 : 0),
      flat.maxProperties,
      MAX_ADDED_MEMBERS,
    )
    for (let number = 1; Object.keys(result).length < wanted && number <= MAX_ADDED_MEMBERS * 2; number++) {
      const name = `key${number}`
      if (!Object.hasOwn(result, name))
        this.#member(result, name, this.#schemaOfOther(flat, name), {
          isRequired: true,
          at: `${path}/${name}`,
          open,
          level,
        })
    }
  }

  #array(flat: FlatSchema, path: string, name: string, open: OpenReference | null, level: number): Json[] {
    const result: Json[] = []
    const itemIsOpen = this.#flat(flat.items).refs.some(ref => timesOpen(open, ref) > 0)
    const least = Math.min(flat.minItems, this.#values > LARGE_VALUES ? MAX_ITEMS_OF_LARGE : MAX_ITEMS)
    const wanted =
      itemIsOpen || this.#isSpent() || level >= MAX_LEVELS || flat.items === false
        ? least
        : Math.max(least, Math.min(2, flat.maxItems))
    for (const [index, schema] of flat.prefixItems.entries())
      if (index < flat.maxItems) result.push(this.#value(schema, `${path}/${index}`, name, open, level + 1))
    if (flat.contains !== undefined && result.length < flat.maxItems)
      result.push(
        this.#value(
          flat.items === undefined ? flat.contains : { allOf: [flat.items, flat.contains] },
          `${path}/${result.length}`,
          name,
          open,
          level + 1,
        ),
      )
    const texts = new Set<string>()
    for (const item of flat.uniqueItems ? result : []) texts.add(this.#textOf(item))
    for (let attempt = 0; result.length < wanted && attempt < wanted + MORE_ATTEMPTS; attempt++) {
      const at = `${path}/${result.length}`
      const item = this.#value(flat.items, flat.uniqueItems ? `${at}#${attempt}` : at, name, open, level + 1)
      if (!flat.uniqueItems || isNew(texts, this.#textOf(item))) result.push(item)
      else if (!this.#corrections.withoutExample.has(`${at}#${attempt + 1}`))
        this.#corrections.withoutExample.add(`${at}#${attempt + 1}`)
    }
    for (const value of result.length < least ? this.#smallDomain(this.#flat(flat.items)) : []) {
      if (result.length >= least) break
      if (!isNew(texts, this.#textOf(value))) continue
      this.#cost.takeGiven(value)
      result.push(value)
    }
    return result
  }

  /** The values of a schema that allows only few. Chance finds them all rarely, but a list of different ones may need them. */
  #smallDomain(flat: FlatSchema): Json[] {
    const values = this.#valuesOf(flat)
    if (flat.isNullable) values.push(null)
    this.#cost.steps.take(values.length * ALTERNATIVE_STEPS)
    return values
  }

  #valuesOf(flat: FlatSchema): Json[] {
    if (flat.enum) return [...flat.enum]
    const type = typeOf(flat)
    if (type === 'boolean') return [false, true]
    if (type !== 'integer') return []
    const step = flat.multipleOf !== undefined && Number.isInteger(flat.multipleOf) ? flat.multipleOf : 1
    const low = Math.max(flat.minimum, Math.floor(flat.exclusiveMinimum) + 1)
    const high = Math.min(flat.maximum, Math.ceil(flat.exclusiveMaximum) - 1)
    const first = Math.ceil(low / step) * step
    const count = Math.min(MAX_ITEMS, Math.floor((high - first) / step) + 1)
    return Number.isFinite(count) ? Array.from({ length: Math.max(0, count) }, (_, index) => first + index * step) : []
  }

  /** To compare items. The bytes of an item are taken already, so they are at most those of the answer. */
  #textOf(item: Json): string {
    const text = JSON.stringify(item)
    this.#cost.steps.take(text.length)
    return text
  }

  #isSpent(): boolean {
    return this.#values > MAX_VALUES || this.#cost.bytes > MAX_BYTES
  }

  #place(path: string): string {
    const variant = this.#corrections.variant.get(path)
    return variant === undefined ? `${this.#seed}${path}` : `${this.#seed}${path}~${variant}`
  }

  #random(path: string): SeededRandom {
    return new SeededRandom(this.#place(path))
  }
}

/** Adds a text; returns false if it was there already. */
function isNew(texts: Set<string>, text: string): boolean {
  return texts.size < texts.add(text).size
}
