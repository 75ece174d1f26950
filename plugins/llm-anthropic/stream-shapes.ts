/** What `X-Svc-Stream-Shape` can change about a stream of messages. */
import type { StreamShapes, UsageMode, WireEvent } from '../llm/types.ts'

export const messageShapes: StreamShapes = {
  isEnd: ({ event }) => event.event === 'message_stop',
  isFinish: ({ event }) => event.event === 'message_delta',
  usage: { modes: ['twice', 'none'], rewrite },
}

/** The usage is in `message_delta`, which can be sent twice or without it. */
function* rewrite(events: Iterable<WireEvent>, mode: UsageMode): Iterable<WireEvent> {
  for (const item of events) {
    if (item.event.event !== 'message_delta') {
      yield item
      continue
    }
    if (mode === 'none') delete item.data?.usage
    yield item
    if (mode === 'twice') yield item
  }
}
