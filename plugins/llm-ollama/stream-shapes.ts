/** What `X-Svc-Stream-Shape` can change about a stream of lines. */
import type { StreamShapes, UsageMode, WireEvent } from '../llm/types.ts'

const isLast = ({ data }: WireEvent): boolean => data?.done === true

/** The last line has both the end and the finish reason. */
export const lineShapes: StreamShapes = {
  isEnd: isLast,
  isFinish: isLast,
  usage: { modes: ['none'], rewrite },
}

function* rewrite(events: Iterable<WireEvent>, _mode: UsageMode): Iterable<WireEvent> {
  for (const item of events) {
    if (isLast(item)) {
      delete item.data?.prompt_eval_count
      delete item.data?.eval_count
    }
    yield item
  }
}
