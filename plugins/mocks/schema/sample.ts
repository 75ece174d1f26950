/** Deterministic values that fit their schema: build, check, and build again otherwise where the check found fault. */
import type { Json } from '../document/json.ts'
import { Flattener } from './flat-schema.ts'
import { SampleBuilder, type Corrections } from './sample-builder.ts'
import type { SchemaError, SchemaSet } from './schema-set.ts'

export interface SampleOptions {
  seed: string
  /** Whether examples and defaults in the schema are used where they fit. */
  useExamples: boolean
}

const ATTEMPTS = 8

/** Makes values for the schemas of one document. */
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

  /** A value for a schema, as a response would carry it; the same options give the same value. */
  sample(schema: Json | undefined, options: SampleOptions): Json {
    const corrections: Corrections = { withoutExample: new Set(), alternative: new Map(), variant: new Map() }
    let best: { value: Json; errors: number } | null = null
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const useExamples = options.useExamples && attempt < ATTEMPTS - 2
      const builder = new SampleBuilder(this.#schemas, this.#flattener, { ...options, useExamples }, corrections)
      const value = builder.build(schema)
      // Compiling a large document's schemas takes up to a second, so nothing is checked that can only be right.
      if (!builder.hasDoubts) return value
      const errors = this.#schemas.errors(schema, value, 'response')
      if (errors === null || errors.length === 0) return value
      if (best === null || errors.length < best.errors) best = { value, errors: errors.length }
      correct(corrections, builder, errors)
    }
    return best?.value ?? null
  }
}

/** Notes what to do otherwise: leave out an example that holds the error, else take the next alternative, else throw again. */
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
    // Several errors below one choice are one reason to change it.
    if (!moved.has(place)) counter.set(place, (counter.get(place) ?? 0) + 1)
    moved.add(place)
  }
}

/** The place itself and those that contain it, from the inside out. */
function ancestors(path: string): string[] {
  const places = [path]
  for (let place = path; place !== ''; ) {
    place = place.slice(0, place.lastIndexOf('/'))
    places.push(place)
  }
  return places
}
