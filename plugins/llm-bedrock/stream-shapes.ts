/** What `X-Svc-Stream-Shape` can change about a Converse stream. */
import { isRecord } from 'svc/toolkit'
import type { StreamShapes, UsageMode, WireEvent } from '../llm/types.ts'

const ENDS = ['messageStop', 'metadata']

export const converseShapes: StreamShapes = {
  isEnd: ({ event }) => ENDS.includes(event.event ?? ''),
  isFinish: ({ event }) => event.event === 'messageStop',
  usage: { modes: ['none'], rewrite, member: 'usage' },
  changes: { signature: { events: splitSignatures } },
}

/** The frames of InvokeModel contain the events of a model's own format. */
export const invokeShapes: StreamShapes = {}

function* rewrite(events: Iterable<WireEvent>, _mode: UsageMode): Iterable<WireEvent> {
  for (const item of events) if (item.event.event !== 'metadata') yield item
}

const SIGNATURE_PARTS = 3

/** A signature in three events, which readers have to join. */
function* splitSignatures(events: Iterable<WireEvent>): Iterable<WireEvent> {
  for (const item of events) {
    const delta = isRecord(item.data?.delta) ? item.data.delta.reasoningContent : undefined
    if (!isRecord(delta) || typeof delta.signature !== 'string') {
      yield item
      continue
    }
    const { signature } = delta
    const size = Math.ceil(signature.length / SIGNATURE_PARTS)
    for (let at = 0; at < signature.length; at += size) {
      const part = { reasoningContent: { signature: signature.slice(at, at + size) } }
      yield { ...item, data: { ...item.data, delta: part } }
    }
  }
}
