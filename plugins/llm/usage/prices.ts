/** Prices of models in svc.yaml, and what a call costs by them. */
import type { TokenCounts } from './call.ts'

/** Prices per million tokens. */
export interface Price {
  /** A model, or a prefix followed by `*`. Default: all. */
  model?: string
  /** Name or format of a provider. */
  provider?: string
  input: number
  output: number
  /** Default: the price of input. */
  cached?: number
  cache_write?: number
  audio_input?: number
  /** Default: the price of output. */
  audio_output?: number
  /** For items of a batch. Default: 0.5. */
  batch_factor?: number
}

const PER_TOKENS = 1_000_000
const BATCH_FACTOR = 0.5

/** Whether a name is equal to a pattern, or begins with it if the pattern ends in `*`. */
export function matchesName(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}

/** The first price that applies to a model. */
export function priceOf(
  prices: readonly Price[],
  provider: { name: string; format: string },
  model: string | null,
): Price | undefined {
  return prices.find(
    price =>
      (price.provider === undefined || price.provider === provider.name || price.provider === provider.format) &&
      (price.model === undefined || (model !== null && matchesName(price.model, model))),
  )
}

export function costOf(price: Price, tokens: TokenCounts, isBatch: boolean): number {
  const { input, output } = price
  const plainInput = tokens.prompt_tokens - tokens.cached_tokens - tokens.cache_write_tokens - tokens.audio_input_tokens
  const sum =
    plainInput * input +
    tokens.cached_tokens * (price.cached ?? input) +
    tokens.cache_write_tokens * (price.cache_write ?? input) +
    tokens.audio_input_tokens * (price.audio_input ?? input) +
    (tokens.completion_tokens - tokens.audio_output_tokens) * output +
    tokens.audio_output_tokens * (price.audio_output ?? output)
  return (sum / PER_TOKENS) * (isBatch ? (price.batch_factor ?? BATCH_FACTOR) : 1)
}
