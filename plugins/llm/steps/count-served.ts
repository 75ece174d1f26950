/** Ends a generation: frees its slot, and counts it in the metrics of its provider. */
import type { ModelCall } from '../call/model-call.ts'
import type { Parsed, ResultOf } from '../contract/parsed.ts'
import type { EndedCall } from '../usage/call.ts'

/** `ended` is null if nothing was sent, `result` if the client did not get it. Further calls do nothing. */
export function countServed(call: ModelCall, ended: EndedCall | null, result: ResultOf<Parsed> | null): void {
  const slot = call.load?.slot
  call.load = null
  if (slot == null) return
  slot.release()
  const chat = result?.op === 'chat' ? result : null
  const total = (performance.now() - call.startedAt) / 1000
  const planned = chat === null || ended === null || ended.stream ? null : (call.timing?.ttftMs ?? Infinity)
  const ttftMs = ended?.ttft_ms ?? (planned === null ? null : planned + call.queueMs)
  call.instance.engineMetrics?.observe({
    model: slot.model,
    reason: chat === null || ended === null || ended.cut !== null ? 'abort' : reasonOf(chat.choices[0]?.finish),
    promptTokens: ended?.prompt_tokens ?? 0,
    cachedTokens: ended?.cached_tokens ?? 0,
    completionTokens: ended?.completion_tokens ?? 0,
    ttft: ttftMs === null ? null : Math.min(total, ttftMs / 1000),
    total,
    queue: call.queueMs / 1000,
  })
}

function reasonOf(finish: string | undefined): 'stop' | 'length' {
  return finish === 'length' ? 'length' : 'stop'
}
