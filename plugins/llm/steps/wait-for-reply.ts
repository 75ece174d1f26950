/** Plans the timing of a generation, and says how long its response waits. */
import type { Load } from '../capacity/slots.ts'
import type { ModelCall } from '../call/model-call.ts'
import type { ChatResult } from '../contract/neutral.ts'
import { MAX_GAPS_MS } from '../streaming/pace.ts'
import { planTiming, type Timing } from '../profiles/timing.ts'
import { waitOrLeave } from './step.ts'

/** Waits for a simulated queue, and for the generation of a complete reply. */
export function waitForReply(call: ModelCall): boolean | Promise<boolean> {
  const waitMs = planWait(call)
  return waitMs <= 0 || waitOrLeave(call, waitMs)
}

/** Milliseconds before the response. */
function planWait(call: ModelCall): number {
  const { latency, result, parsed } = call
  // Nobody waits for a reply in the background: it is planned like a stream.
  const isStream = call.isStream || parsed?.isBackground === true
  if (result?.op === 'chat' && hasTiming(call)) planTimingOf(call, result, isStream)
  const { timing, load } = call
  const simulatedMs = timing === null || load === null ? 0 : simulatedQueue(call, load, lengthOf(timing, isStream))
  return simulatedMs + (isStream ? 0 : (timing?.wholeMs ?? latency.ttftMs))
}

function lengthOf({ ttftMs, gapsMs, wholeMs }: Timing, isStream: boolean): number {
  return isStream ? ttftMs + gapsMs : wholeMs
}

/** Whether a profile, the load of the provider or its cache acts. */
function hasTiming({ instance, load, cacheUse, profile }: ModelCall): boolean {
  return profile !== null || instance.profile !== undefined || load !== null || cacheUse !== null
}

function planTimingOf(call: ModelCall, result: ChatResult, isStream: boolean): void {
  const { instance, load, svc, latency } = call
  const timing = planTiming({
    headers: call.headers,
    ofHeader: call.profile,
    ofReply: call.paceOfReply,
    ofProvider: instance.profile ?? null,
    latency,
    model: call.parsed?.model ?? '',
    prompt: result.prompt,
    uncachedTokens: result.promptTokens - (result.cachedTokens ?? 0),
    tokens: result.completionTokens,
    loadFactor: load?.factor ?? 1,
    maxDelayMs: svc.config.maxDelayMs,
    maxGapsMs: MAX_GAPS_MS[svc.config.publicMode ? 'public' : 'normal'],
  })
  call.timing = timing
  const slot = load?.slot
  if (slot == null) return
  slot.plannedEndAt = performance.now() + lengthOf(timing, isStream)
  slot.tokens = result.promptTokens + result.completionTokens
}

/** Milliseconds in the queue that `X-Svc-Load` states. */
function simulatedQueue(call: ModelCall, { waitsLengths }: Load, lengthMs: number): number {
  if (waitsLengths === 0) return 0
  const most = call.instance.slots?.settings.queueTimeoutMs ?? 0
  call.queueMs = Math.min(waitsLengths * lengthMs, most)
  return call.queueMs
}
