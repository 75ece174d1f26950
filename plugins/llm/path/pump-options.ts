/** What pumping the events of a reply has in common on all transports: pace, break point, and the error event. */
import { errorFacts } from '../call/error-responses.ts'
import type { ModelCall, StreamedEvents } from '../call/model-call.ts'
import type { CallServices } from '../call/services.ts'
import type { StreamEvent } from '../contract/stream.ts'
import { gaps, MAX_GAPS_MS } from '../streaming/pace.ts'
import type { PumpOptions } from '../streaming/pump.ts'

const STALL_MS = { normal: 120_000, public: 20_000 }

/** What each transport has of its own. */
type Transport = Pick<PumpOptions, 'output' | 'ended' | 'destroy' | 'fail'>

/** One object literal without spreads: its members are read for each event, which is measurably faster. */
export function pumpOptions(
  call: ModelCall,
  { clock, svc }: CallServices,
  { breaksAfter }: StreamedEvents,
  { output, ended, destroy, fail }: Transport,
): PumpOptions {
  const { parsed, result, latency, timing } = call
  const caps = svc.config.publicMode ? 'public' : 'normal'
  const chat = result?.op === 'chat' ? result : null
  const seed = (): string => (chat === null ? '' : `${parsed?.model}\0${chat.prompt}`)
  return {
    output,
    clock,
    ttftMs: timing?.ttftMs ?? latency.ttftMs,
    nextGap: timing?.nextGap ?? gaps(latency, chat?.completionTokens ?? 0, MAX_GAPS_MS[caps], seed),
    break: breaksAfter,
    errorEvent: replaced => errorEvent(call, replaced),
    destroy,
    fail,
    ending: parsed?.ending,
    stallMs: STALL_MS[caps],
    ended,
  }
}

/** The event with which a stream fails, in the format of the route, instead of the next one. */
function errorEvent(call: ModelCall, replaced: StreamEvent): StreamEvent {
  const { format } = call.instance
  const facts = errorFacts(call.instance, call, 'server_error', { injected: 'stream_error' })
  return (
    (call.route.streamError ?? format.streamError)?.(facts, replaced) ?? {
      data: format.error('server_error', facts).body,
    }
  )
}
