/** What pumping the events of a reply has in common on all transports: pace, break point, and the error event. */
import { errorFacts } from '../call/error-responses.ts'
import type { ModelCall, StreamedEvents } from '../call/model-call.ts'
import type { CallServices } from '../call/services.ts'
import type { StreamEvent } from '../contract/stream.ts'
import { gaps, MAX_GAPS_MS } from '../streaming/pace.ts'
import type { PumpOptions } from '../streaming/pump.ts'

const STALL_MS = { normal: 120_000, public: 20_000 }

type Common = Pick<PumpOptions, 'clock' | 'ttftMs' | 'nextGap' | 'stallMs' | 'errorEvent' | 'break'>

export function pumpOptions(call: ModelCall, { clock, svc }: CallServices, { breaksAfter }: StreamedEvents): Common {
  const { parsed, result, latency, timing } = call
  const caps = svc.config.publicMode ? 'public' : 'normal'
  const chat = result?.op === 'chat' ? result : null
  const seed = (): string => (chat === null ? '' : `${parsed?.model}\0${chat.prompt}`)
  return {
    clock,
    ttftMs: timing?.ttftMs ?? latency.ttftMs,
    nextGap: timing?.nextGap ?? gaps(latency, chat?.completionTokens ?? 0, MAX_GAPS_MS[caps], seed),
    stallMs: STALL_MS[caps],
    errorEvent: () => errorEvent(call),
    ...(breaksAfter === undefined ? {} : { break: breaksAfter }),
  }
}

/** The event with which a stream fails, in the format of the route. */
function errorEvent(call: ModelCall): StreamEvent {
  const { format } = call.instance
  const facts = errorFacts(call.instance, call, 'server_error', { injected: 'stream_error' })
  return (call.route.streamError ?? format.streamError)?.(facts) ?? { data: format.error('server_error', facts).body }
}
