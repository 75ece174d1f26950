/** Ends a generation: frees its slot, and counts it in the metrics of its provider. */
import type { Exchange } from '../call/model-call.ts'
import type { Parsed, ResultOf } from '../contract/provider.ts'
import type { EndedCall } from '../usage/call.ts'

/** `call` is null if nothing was sent. Further calls do nothing. */
export function countServed(exchange: Exchange, call: EndedCall | null, result: ResultOf<Parsed> | undefined): void {
  const slot = exchange.load?.slot
  exchange.load = null
  if (slot == null) return
  slot.release()
  const chat = result?.op === 'chat' ? result : null
  const total = (performance.now() - exchange.startedAt) / 1000
  const planned = chat === null || call === null || call.stream ? null : (exchange.timing?.ttftMs ?? Infinity)
  const ttftMs = call?.ttft_ms ?? (planned === null ? null : planned + exchange.queueMs)
  exchange.instance.engineMetrics?.observe({
    model: slot.model,
    reason: chat === null || call === null || call.cut !== null ? 'abort' : reasonOf(chat.choices[0]?.finish),
    promptTokens: call?.prompt_tokens ?? 0,
    cachedTokens: call?.cached_tokens ?? 0,
    completionTokens: call?.completion_tokens ?? 0,
    ttft: ttftMs === null ? null : Math.min(total, ttftMs / 1000),
    total,
    queue: exchange.queueMs / 1000,
  })
}

function reasonOf(finish: string | undefined): 'stop' | 'length' {
  return finish === 'length' ? 'length' : 'stop'
}
