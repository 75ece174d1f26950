/** Plans the timing of a generation, and says how long its response waits. */
import type { Load } from '../capacity/slots.ts'
import type { Exchange } from '../call/model-call.ts'
import type { ChatResult } from '../contract/neutral.ts'
import type { Parsed, ResultOf } from '../contract/provider.ts'
import { MAX_GAPS_MS, type Latency } from '../streaming/pace.ts'
import type { Profile } from '../profiles/profile.ts'
import { planTiming, type Timing } from '../profiles/timing.ts'

interface Generation {
  parsed: Parsed
  result: ResultOf<Parsed>
  latency: Latency
  isStream: boolean
}

/** A reply that says nothing about its pace. */
export const NO_PACE: Partial<Latency> = {}

/**
 * Milliseconds before the response: a simulated queue, and the generation of a complete reply. `profile` is that of the
 * request, `ofReply` what a rule or an exact reply says.
 */
export function waitBefore(
  exchange: Exchange,
  computed: Generation,
  profile: Profile | null,
  ofReply: Partial<Latency>,
): number {
  const { isStream, latency, result } = computed
  if (result.op === 'chat' && hasTiming(exchange, profile))
    planTimingOf(exchange, { ...computed, result }, profile, ofReply)
  const { timing, load } = exchange
  const simulatedMs = timing === null || load === null ? 0 : simulatedQueue(exchange, load, lengthOf(timing, isStream))
  return simulatedMs + (isStream ? 0 : (timing?.wholeMs ?? latency.ttftMs))
}

function lengthOf({ ttftMs, gapsMs, wholeMs }: Timing, isStream: boolean): number {
  return isStream ? ttftMs + gapsMs : wholeMs
}

/** Whether a profile, the load of the provider or its cache acts. */
function hasTiming({ instance, load, cacheUse }: Exchange, profile: Profile | null): boolean {
  return profile !== null || instance.profile !== undefined || load !== null || cacheUse !== null
}

function planTimingOf(
  exchange: Exchange,
  { parsed, result, latency, isStream }: Generation & { result: ChatResult },
  profile: Profile | null,
  ofReply: Partial<Latency>,
): void {
  const { instance, load, svc } = exchange
  const timing = planTiming({
    headers: exchange.headers,
    ofHeader: profile,
    ofReply,
    ofProvider: instance.profile ?? null,
    latency,
    model: parsed.model ?? '',
    prompt: result.prompt,
    uncachedTokens: result.promptTokens - (result.cachedTokens ?? 0),
    tokens: result.completionTokens,
    loadFactor: load?.factor ?? 1,
    maxDelayMs: svc.config.maxDelayMs,
    maxGapsMs: MAX_GAPS_MS[svc.config.publicMode ? 'public' : 'normal'],
  })
  exchange.timing = timing
  const slot = load?.slot
  if (slot == null) return
  slot.plannedEndAt = performance.now() + lengthOf(timing, isStream)
  slot.tokens = result.promptTokens + result.completionTokens
}

/** Milliseconds in the queue that `X-Svc-Load` states. */
function simulatedQueue(exchange: Exchange, { waitsLengths }: Load, lengthMs: number): number {
  if (waitsLengths === 0) return 0
  const most = exchange.instance.slots?.settings.queueTimeoutMs ?? 0
  exchange.queueMs = Math.min(waitsLengths * lengthMs, most)
  return exchange.queueMs
}
