/** Log probabilities of tokens: invented, but constant for each token. */
import type { OutputBudget } from 'svc/plugin'
import type { Engine } from '../../llm/types.ts'

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
].map(token => ({ token, bytes: [...Buffer.from(token)] }))
const maxAlternatives = 20

/** A log probability in (-0.5, 0] for a piece, with `top` alternatives; the piece itself is the first. */
export function logprobOf(engine: Engine, piece: string, top: number): TokenLogprob {
  const logprob = -Math.floor(engine.generator(engine.digest('logprob', piece))() * 4999) / 10_000 || 0
  const own = { token: piece, logprob, bytes: [...Buffer.from(piece)] }
  const others = alternatives
    .filter(({ token }) => token !== piece)
    .slice(0, Math.max(0, Math.min(top, maxAlternatives) - 1))
  const tops =
    top === 0
      ? []
      : [own, ...others.map(({ token, bytes }, place) => ({ token, logprob: logprob - 1 - place / 2, bytes }))]
  return { ...own, top_logprobs: tops }
}

/** Takes what log probabilities have at least, with `bytes` for a token and for each of its alternatives. */
export function takeLogprobs(
  output: OutputBudget,
  { tokens, alternatives: top, bytes }: { tokens: number; alternatives: number; bytes: number },
): void {
  output.take(tokens * (1 + top) * bytes)
}
