/** The planned timing of a generation: by a latency profile, the load of its provider and the prompt cache. */
import { gaps, statesGap, statesTtft, type Latency } from '../streaming/pace.ts'
import type { RequestHeaders } from '../contract/provider.ts'
import { drawer, drawSeed } from './draws.ts'
import type { Drawn, Profile } from './profile.ts'

export interface Timing {
  ttftMs: number
  /** Called for each token after the first. */
  nextGap(): number
  /** The sum of all gaps. */
  gapsMs: number
  /** What a complete reply waits: a profile says how long a real one takes. */
  wholeMs: number
  prefillMs: number
}

export interface TimingInput {
  headers: RequestHeaders
  /** The profile of the request; null: it names none. */
  ofHeader: Profile | null
  /** What a rule or an exact reply says about the pace. */
  ofReply: Partial<Latency>
  /** The profile of the provider. */
  ofProvider: Profile | null
  /** The pace without profiles. */
  latency: Latency
  model: string
  prompt: string
  /** Tokens of the prompt that were not cached, and of the reply. */
  uncachedTokens: number
  tokens: number
  /** At least 1. */
  loadFactor: number
  maxDelayMs: number
  /** Upper bound of all gaps of a stream. */
  maxGapsMs: number
}

/** Gaps that are drawn to know their sum; the rest of a longer reply is like them. */
const MAX_SAMPLE = 10_000

export function planTiming(input: TimingInput): Timing {
  const { loadFactor, maxDelayMs } = input
  const { ttftMs, prefillMs } = planTtft(input)
  const { next, isOfProfile } = planGaps(input)
  const count = Math.max(0, input.tokens - 1)
  const sampled = Math.min(count, MAX_SAMPLE)
  const sample = next()
  let sum = 0
  for (let gap = 0; gap < sampled; gap++) sum += sample() * loadFactor
  const total = sampled === 0 ? 0 : (sum / sampled) * count
  const scale = total > input.maxGapsMs ? input.maxGapsMs / total : 1
  const play = next()
  const gapsMs = total * scale
  return {
    ttftMs,
    prefillMs,
    gapsMs,
    nextGap: () => play() * loadFactor * scale,
    wholeMs: Math.min(maxDelayMs, ttftMs + (isOfProfile ? gapsMs : 0)),
  }
}

/** The most specific source that says something about it. */
function planTtft(input: TimingInput): { ttftMs: number; prefillMs: number } {
  const { headers, ofHeader, ofReply, ofProvider, latency, loadFactor, maxDelayMs } = input
  const profile = statesTtft(headers)
    ? undefined
    : (withPart(ofHeader, 'ttft') ?? (ofReply.ttftMs === undefined ? withPart(ofProvider, 'ttft') : undefined))
  if (profile === undefined) return { ttftMs: Math.min(maxDelayMs, latency.ttftMs * loadFactor), prefillMs: 0 }
  const seed = drawSeed(profile.seed, input.model, input.prompt, 'ttft')
  const prefillMs = profile.prefillMsPerToken * input.uncachedTokens * loadFactor
  return { ttftMs: Math.min(maxDelayMs, drawer(profile.ttft.distribution, seed)() * loadFactor + prefillMs), prefillMs }
}

/** `next` repeats the same sequence from its beginning each time. */
function planGaps(input: TimingInput): { next: () => () => number; isOfProfile: boolean } {
  const { headers, ofHeader, ofReply, ofProvider, latency } = input
  const profile = statesGap(headers)
    ? undefined
    : (withPart(ofHeader, 'gap') ?? (ofReply.tokensPerSecond === undefined ? withPart(ofProvider, 'gap') : undefined))
  if (profile !== undefined) {
    const seed = drawSeed(profile.seed, input.model, input.prompt, 'gap')
    return { next: () => drawer(profile.gap.distribution, seed), isOfProfile: true }
  }
  const seed = (): string => `${input.model}\0${input.prompt}`
  return { next: () => gaps(latency, input.tokens, input.maxGapsMs, seed), isOfProfile: false }
}

/** The profile, if it says something about this part. */
function withPart<K extends 'ttft' | 'gap'>(
  profile: Profile | null,
  part: K,
): (Profile & Record<K, Drawn>) | undefined {
  return profile?.[part] === undefined ? undefined : (profile as Profile & Record<K, Drawn>)
}

/** Value of `X-Svc-Timing`, in milliseconds. */
export function showTiming(
  { prefillMs, ttftMs, gapsMs }: Timing,
  { queueMs, tokens, load }: { queueMs: number; tokens: number; load: { running: number; slots: number } | null },
): string {
  const gap = tokens > 1 ? gapsMs / (tokens - 1) : 0
  const shown = [`queue=${tenth(queueMs)}`, `prefill=${tenth(prefillMs)}`, `ttft=${tenth(ttftMs)}`, `gap=${tenth(gap)}`]
  if (load !== null) shown.push(`load=${load.running}/${load.slots}`)
  return shown.join(', ')
}

function tenth(ms: number): number {
  return Math.round(ms * 10) / 10
}
