/** What `X-Svc-Stream-Shape` can change about a Converse stream. */
import type { StreamShapes, UsageMode, WireEvent } from '../llm/types.ts'

const ENDS = ['messageStop', 'metadata']

export const converseShapes: StreamShapes = {
  isEnd: ({ event }) => ENDS.includes(event.event ?? ''),
  isFinish: ({ event }) => event.event === 'messageStop',
  usage: { modes: ['none'], rewrite },
}

/** The frames of InvokeModel contain the events of a model's own format. */
export const invokeShapes: StreamShapes = {}

function* rewrite(events: Iterable<WireEvent>, _mode: UsageMode): Iterable<WireEvent> {
  for (const item of events) if (item.event.event !== 'metadata') yield item
}
