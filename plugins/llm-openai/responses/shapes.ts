/** What `X-Svc-Stream-Shape` can change about a streamed response. */
import type { StreamShapes, UsageMode, WireEvent } from '../../llm/types.ts'

const ENDS = ['response.completed', 'response.incomplete']

export const responseShapes: StreamShapes = {
  isEnd: ({ event }) => ENDS.includes(event.event ?? ''),
  usage: { modes: ['none'], rewrite },
}

function* rewrite(events: Iterable<WireEvent>, _mode: UsageMode): Iterable<WireEvent> {
  for (const { event, data } of events) {
    const isEnd = data !== null && ENDS.includes(event.event ?? '')
    yield { event, data: isEnd ? { ...data, response: { ...(data.response as object), usage: null } } : data }
  }
}
