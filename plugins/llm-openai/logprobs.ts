/** Log probabilities of tokens: invented, but constant for each token. */
import type { Engine } from '../llm/types.ts'

export interface TokenLogprob {
  token: string
  logprob: number
  bytes: number[]
  top_logprobs: { token: string; logprob: number; bytes: number[] }[]
}

const alternatives = [
  ' the',
  ' a',
  ' and',
  ' to',
  ' of',
  ' in',
  ' is',
  ' it',
  ' for',
  ' on',
  ' as',
  ' with',
  ' was',
  ' at',
  ' by',
  ' be',
  ' this',
  ' an',
  ' or',
  ' not',
  ' but',
]
const maxAlternatives = 20

/** A log probability in (-0.5, 0] for a piece, with `top` alternatives; the piece itself is the first. */
export function logprobOf(engine: Engine, piece: string, top: number): TokenLogprob {
  const logprob = -Math.floor(engine.generator(engine.digest('logprob', piece))() * 4999) / 10_000 || 0
  const entry = (token: string, value: number): { token: string; logprob: number; bytes: number[] } => ({
    token,
    logprob: value,
    bytes: [...Buffer.from(token)],
  })
  const others = alternatives.filter(token => token !== piece).slice(0, Math.max(0, Math.min(top, maxAlternatives) - 1))
  const tops = top === 0 ? [] : [entry(piece, logprob), ...others.map((token, i) => entry(token, logprob - 1 - i / 2))]
  return { ...entry(piece, logprob), top_logprobs: tops }
}
