/** What `X-Svc-Stream-Shape` can change about streamed chats. */
import type { StreamShapes, UsageMode, WireEvent } from '../llm/types.ts'

export const chatShapes: StreamShapes = {
  isEnd: ({ event }) => event.data === '[DONE]',
  isFinish: ({ event }) => event.event === 'message-end',
  usage: { modes: ['none'], rewrite },
}

/** Version 1 has no terminator after its last event. */
export const chatV1Shapes: StreamShapes = {
  isEnd: ({ event }) => event.event === 'stream-end',
  isFinish: ({ event }) => event.event === 'stream-end',
}

function* rewrite(events: Iterable<WireEvent>, _mode: UsageMode): Iterable<WireEvent> {
  for (const item of events) {
    if (item.event.event === 'message-end') delete (item.data?.delta as Record<string, unknown> | undefined)?.usage
    yield item
  }
}
