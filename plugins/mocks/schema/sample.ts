/** Deterministic values for schemas: builds a value, validates it, and corrects it where it is invalid. */
import { isTooExpensive } from 'svc/plugin'
import type { Json } from '../document/json.ts'
import { Flattener } from './flat-schema.ts'
import { GenerationCost, type AnswerBudgets } from './generation-cost.ts'
import { PatternTrees } from './pattern-text.ts'
import { SampleBuilder, type Corrections } from './sample-builder.ts'
import type { SchemaError, SchemaSet } from './schema-set.ts'

export interface SampleOptions {
  seed: string
  /** Whether to use valid examples and defaults of the schema. */
  useExamples: boolean
  budgets: AnswerBudgets
}

const ATTEMPTS = 8
/** Steps of checking the generated data of an answer against its schemas; what needs more is not checked. */
export const CHECK_STEPS = 2_000_000

/** Generates values for the schemas of one document. */
export class Sampler {
  readonly #schemas: SchemaSet
  readonly #flattener: Flattener
  readonly #patterns = new PatternTrees()
  readonly #sizes = new WeakMap<object, number>()

  constructor(schemas: SchemaSet) {
    this.#schemas = schemas
    this.#flattener = new Flattener(schemas.document)
  }

  get flattener(): Flattener {
    return this.#flattener
  }

  /**
   * A response value for a schema. The same options give the same value. Throws `OutputTooLarge` if the value does not fit
   * the answer, and `TooExpensive` if it takes too many steps.
   */
  sample(schema: Json | undefined, options: SampleOptions): Json {
    const corrections: Corrections = { withoutExample: new Set(), alternative: new Map(), variant: new Map() }
    const { checks } = options.budgets
    let best: { value: Json; errors: number } | null = null
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const useExamples = options.useExamples && attempt < ATTEMPTS - 2
      const cost = new GenerationCost(options.budgets, this.#sizes)
      const means = { schemas: this.#schemas, flattener: this.#flattener, patterns: this.#patterns, cost, checks }
      const builder = new SampleBuilder(means, { ...options, useExamples }, corrections)
      let value: Json
      try {
        value = builder.build(schema)
      } catch (error) {
        // The value of an earlier attempt has errors, but it is a value.
        if (best !== null && isTooExpensive(error)) break
        throw error
      }
      // Compiling the schemas of a large document takes up to a second, so values that are valid by construction are
      // not validated.
      if (!builder.hasDoubts) return value
      const errors = this.#schemas.errors(schema, value, 'response', checks)
      if (errors === null || errors.length === 0) return value
      if (best === null || errors.length < best.errors) best = { value, errors: errors.length }
      correct(corrections, builder, errors)
    }
    return best?.value ?? null
  }
}

/** Records a correction: skip the example that contains the error, else use the next alternative, else another seed. */
function correct(corrections: Corrections, builder: SampleBuilder, errors: readonly SchemaError[]): void {
  const moved = new Set<string>()
  for (const { path } of errors) {
    const example = ancestors(path).find(place => builder.usedExamples.has(place))
    if (example !== undefined) {
      corrections.withoutExample.add(example)
      continue
    }
    const union = ancestors(path).find(place => builder.usedUnions.has(place))
    const [counter, place] =
      union === undefined ? ([corrections.variant, path] as const) : ([corrections.alternative, union] as const)
    // Several errors below a choice change it only once.
    if (!moved.has(place)) counter.set(place, (counter.get(place) ?? 0) + 1)
    moved.add(place)
  }
}

/** The location and its parents, from the inside out. */
function ancestors(path: string): string[] {
  const places = [path]
  for (let place = path; place !== ''; ) {
    place = place.slice(0, place.lastIndexOf('/'))
    places.push(place)
  }
  return places
}
