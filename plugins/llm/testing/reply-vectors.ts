/** Vectors of a `reply` step for embeddings: one for all inputs, or one for each. */
import type { Json, OutputBudget } from 'svc/plugin'
import { below, InputProblem } from 'svc/toolkit'
import type { EmbedParsed } from '../contract/parsed.ts'
import type { EmbedResult } from '../contract/neutral.ts'
import { RULE } from '../engine/tokenizer.ts'

const MAX_DIMENSIONS = 4_096
const MAX_VECTORS = 100

type Vector = readonly number[]

/** A list of one is for all inputs; of several, each is for its input. */
export interface ReplyVectors {
  list: readonly Vector[]
  isForEach: boolean
}

/** Throws an `InputProblem`. */
export function readVector(value: Json, at: string): ReplyVectors {
  return { list: [vectorOf(value, at)], isForEach: false }
}

/** Throws an `InputProblem`. */
export function readVectors(value: Json, at: string): ReplyVectors {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_VECTORS)
    throw new InputProblem(at, `expected a list of 1 to ${MAX_VECTORS} vectors`)
  return { list: value.map((vector, index) => vectorOf(vector, below(at, index))), isForEach: true }
}

function vectorOf(value: Json, at: string): Vector {
  const isVector =
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= MAX_DIMENSIONS &&
    value.every(item => typeof item === 'number')
  if (!isVector) throw new InputProblem(at, `expected a list of 1 to ${MAX_DIMENSIONS} numbers`)
  return value as number[]
}

/**
 * The result for an embeddings request: each input gets its vector, cut or padded with 0 to the dimensions. An input without
 * one gets zeros.
 */
export function embedResultOf(
  { list, isForEach }: ReplyVectors,
  { inputs, dimensions, tokenizer: { count } = RULE }: EmbedParsed,
  { mode, output }: { mode: 'rule' | 'reply'; output: OutputBudget },
): EmbedResult {
  // Each dimension has two bytes at least, in any format.
  output.take(2 * dimensions * inputs.length)
  const sized = (vector: Vector = []): number[] => Array.from({ length: dimensions }, (_, place) => vector[place] ?? 0)
  const shared = isForEach ? null : sized(list[0])
  const vectors = inputs.map((_input, index) => shared ?? sized(list[index]))
  const tokens = inputs.map(input => (typeof input === 'string' ? count(input) : input.length))
  const promptTokens = tokens.reduce((sum, n) => sum + n, 0)
  return { op: 'embed', mode, vectors, tokens, promptTokens }
}
