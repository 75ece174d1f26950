/** Deterministic values for schemas: builds a value, validates it, and corrects it where it is invalid. */
import { StepBudget } from 'svc/plugin'
import type { Json } from '../document/json.ts'
import { Flattener } from './flat-schema.ts'
import { SampleBuilder, type Corrections } from './sample-builder.ts'
import type { SchemaError, SchemaSet } from './schema-set.ts'

export interface SampleOptions {
  seed: string
  /** Whether to use valid examples and defaults of the schema. */
  useExamples: boolean
}

const ATTEMPTS = 8
/** Steps of checking the texts of a value against patterns; the others are not checked. */
const CHECK_STEPS = 2_000_000

/** Generates values for the schemas of one document. */
export class Sampler {
  readonly #schemas: SchemaSet
  readonly #flattener: Flattener

  constructor(schemas: SchemaSet) {
    this.#schemas = schemas
    this.#flattener = new Flattener(schemas.document)
  }

  get flattener(): Flattener {
    return this.#flattener
  }

  /** A response value for a schema. The same options give the same value. */
  sample(schema: Json | undefined, options: SampleOptions): Json {
    const corrections: Corrections = { withoutExample: new Set(), alternative: new Map(), variant: new Map() }
    const steps = new StepBudget(CHECK_STEPS)
    let best: { value: Json; errors: number } | null = null
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const useExamples = options.useExamples && attempt < ATTEMPTS - 2
      const builder = new SampleBuilder(this.#schemas, this.#flattener, { ...options, useExamples, steps }, corrections)
      const value = builder.build(schema)
      // Compiling the schemas of a large document takes up to a second, so values that are valid by construction are
      // not validated.
      if (!builder.hasDoubts) return value
      const errors = this.#schemas.errors(schema, value, 'response', steps)
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
