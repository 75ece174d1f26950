/** What `X-Svc-Stream-Shape` can change about the streams of Converse and of InvokeModel. */
import { isRecord } from 'svc/toolkit'
import type { StreamEvent, StreamShapes, UsageMode, WireEvent } from '../llm/types.ts'
import { frame } from './invoke-frame.ts'

const ENDS = ['messageStop', 'metadata']

export const converseShapes: StreamShapes = {
  isEnd: ({ event }) => ENDS.includes(event.event ?? ''),
  isFinish: ({ event }) => event.event === 'messageStop',
  usage: { modes: ['none'], rewrite, member: 'usage' },
  changes: { signature: { events: splitSignatures } },
}

/** How events of a model's own format are written within frames of InvokeModel. */
export interface ContainedEvents {
  shapes: StreamShapes
  /** Whether the name of an event is the member with its data, as in Converse; otherwise it is the event's `type`. */
  isNamed: boolean
}

/** Frames of InvokeModel contain the events of a model's own format, with members that Bedrock adds. */
export function invokeShapes({ shapes, isNamed }: ContainedEvents): StreamShapes {
  return {
    ...shapes,
    contained: {
      read(container) {
        const data = contentOf(container)
        return { ...container, ...(isNamed ? named(data) : { event: String(data.type), data }) }
      },
      write: ({ event, data, paced }) => frame({ data: isNamed ? unnamed(event, data) : data, paced }),
    },
  }
}

function contentOf({ data }: StreamEvent): Record<string, unknown> {
  const { bytes } = data as { bytes: string }
  return JSON.parse(Buffer.from(bytes, 'base64').toString()) as Record<string, unknown>
}

/** Members of the frame, whatever the format of the event. */
const OF_BEDROCK = 'amazon-bedrock-'

function named(content: Record<string, unknown>): Pick<StreamEvent, 'event' | 'data'> {
  const members = Object.entries(content)
  const [event, data] = members.find(([name]) => !name.startsWith(OF_BEDROCK))!
  const added = members.filter(([name]) => name.startsWith(OF_BEDROCK))
  return { event, data: { ...(data as object), ...Object.fromEntries(added) } }
}

function unnamed(event: string | undefined, data: StreamEvent['data']): object {
  const members = Object.entries(data as object)
  const isAdded = ([name]: [string, unknown]): boolean => name.startsWith(OF_BEDROCK)
  return {
    [String(event)]: Object.fromEntries(members.filter(member => !isAdded(member))),
    ...Object.fromEntries(members.filter(isAdded)),
  }
}

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
