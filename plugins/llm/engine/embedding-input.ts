/** Validates embeddings requests of all formats. */
import { BadInput } from '../contract/errors.ts'
import type { EngineLimits } from '../contract/route.ts'

export interface EmbeddingNames {
  /** The format's field names, for `param` and messages. */
  input: string
  dimensions: string
}

/** The requested vector size, or the default within the limit of the server. Throws `BadInput`. */
export function vectorSize(requested: unknown, fallback: number, limits: EngineLimits, names: EmbeddingNames): number {
  if (requested == null) return Math.min(fallback, limits.dimensions)
  if (typeof requested === 'number' && Number.isInteger(requested) && requested >= 1 && requested <= limits.dimensions)
    return requested
  throw new BadInput(`${names.dimensions} must be an integer from 1 to ${limits.dimensions}`, {
    param: names.dimensions,
    code: 'invalid_value',
  })
}

/** The inputs of a request: one or more texts, or lists of token ids, none of them empty. Throws `BadInput`. */
export function embeddingInputs(given: unknown, limits: EngineLimits, names: EmbeddingNames): (string | number[])[] {
  const invalid = (problem: string): BadInput =>
    new BadInput(`${names.input} ${problem}`, { param: names.input, code: 'invalid_value' })
  if (given == null)
    throw new BadInput(`${names.input} is required`, { param: names.input, code: 'missing_required_parameter' })
  const list = isTokens(given) ? [given] : Array.isArray(given) ? given : [given]
  if (list.length === 0) throw invalid('must not be empty')
  if (list.length > limits.inputs) throw invalid(`must have at most ${limits.inputs} items, received ${list.length}`)
  return list.map((item: unknown) => {
    if (typeof item === 'string' || isTokens(item)) {
      if (item.length === 0) throw invalid('must not contain empty items')
      return item
    }
    throw invalid('must be a string, a list of strings, or lists of token ids')
  })
}

function isTokens(value: unknown): value is number[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every(token => typeof token === 'number' && Number.isSafeInteger(token) && token >= 0)
  )
}
