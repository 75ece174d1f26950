/** The checks that every embeddings route makes before vectors are computed. */
import { BadInput } from '../errors.ts'
import type { EngineLimits } from '../provider.ts'

export interface EmbeddingNames {
  /** What the format calls its inputs and dimensions, for `param` and messages. */
  input: string
  dimensions: string
}

/** The vector size of a request: as asked for, else the default, which never exceeds the instance's cap. Throws. */
export function vectorSize(asked: unknown, fallback: number, limits: EngineLimits, names: EmbeddingNames): number {
  if (asked == null) return Math.min(fallback, limits.dimensions)
  if (typeof asked === 'number' && Number.isInteger(asked) && asked >= 1 && asked <= limits.dimensions) return asked
  throw new BadInput(`${names.dimensions} must be a whole number from 1 to ${limits.dimensions}`, {
    param: names.dimensions,
    code: 'invalid_value',
  })
}

/** The inputs of a request: a text, texts, token ids or lists of them; none empty, at most the instance's cap. Throws. */
export function embeddingInputs(given: unknown, limits: EngineLimits, names: EmbeddingNames): (string | number[])[] {
  const wrong = (problem: string): BadInput =>
    new BadInput(`${names.input} ${problem}`, { param: names.input, code: 'invalid_value' })
  if (given == null)
    throw new BadInput(`${names.input} is required`, { param: names.input, code: 'missing_required_parameter' })
  const list = isTokens(given) ? [given] : Array.isArray(given) ? given : [given]
  if (list.length === 0) throw wrong('must not be empty')
  if (list.length > limits.inputs) throw wrong(`has ${list.length} items, at most ${limits.inputs} are taken`)
  return list.map((item: unknown) => {
    if (typeof item === 'string' || isTokens(item)) {
      if (item.length === 0) throw wrong('must not contain an empty item')
      return item
    }
    throw wrong('must be a text, a list of texts, or lists of token ids')
  })
}

function isTokens(value: unknown): value is number[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every(token => typeof token === 'number' && Number.isSafeInteger(token) && token >= 0)
  )
}
