/** What `X-Svc-Stream-Shape` can change about messages and their streams. */
import { isRecord } from 'svc/toolkit'
import type { CallFormat, Engine, StreamShapes, UsageMode, WireEvent } from '../llm/types.ts'

export function messageShapes(engine: Engine): StreamShapes {
  return {
    isEnd: ({ event }) => event.event === 'message_stop',
    isFinish: ({ event }) => event.event === 'message_delta',
    usage: { modes: ['twice', 'none'], rewrite, member: 'usage' },
    changes: {
      null: {
        values: ['content'],
        events: withNullContent,
        whole: body => {
          body.content = null
        },
      },
      tools: {
        values: ['interleaved', 'whole', 'empty-args'],
        events: (events, values) => engine.changeCallBlocks(events, values, callFormat()),
      },
      signature: { events: splitSignatures },
    },
  }
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

/** The message with which a stream begins has no content. */
function* withNullContent(events: Iterable<WireEvent>): Iterable<WireEvent> {
  for (const item of events) {
    const message = item.event.event === 'message_start' ? item.data?.message : undefined
    if (isRecord(message)) message.content = null
    yield item
  }
}

/** Reads the blocks of one stream: only the start of a block says that it is a call. */
function callFormat(): CallFormat {
  const calls = new Set<unknown>()
  return {
    partOf({ data }) {
      if (data?.type === 'ping') return 'between'
      const place = data?.index
      const block = data?.content_block
      if (data?.type === 'content_block_start' && isRecord(block) && block.type === 'tool_use') {
        calls.add(place)
        return { place, role: 'open' }
      }
      if (place === undefined || !calls.has(place)) return null
      return { place, role: data?.type === 'content_block_delta' ? 'delta' : 'close' }
    },
    textOf: ({ data }) => String(isRecord(data?.delta) ? data.delta.partial_json : ''),
    withText: ({ event, data }, text) => ({
      event,
      data: { ...data, delta: { type: 'input_json_delta', partial_json: text } },
    }),
  }
}

const SIGNATURE_PARTS = 3

/** A signature in three events, which readers have to join. */
function* splitSignatures(events: Iterable<WireEvent>): Iterable<WireEvent> {
  for (const item of events) {
    const delta = item.data?.delta
    if (!isRecord(delta) || typeof delta.signature !== 'string') {
      yield item
      continue
    }
    const { signature } = delta
    const size = Math.ceil(signature.length / SIGNATURE_PARTS)
    for (let at = 0; at < signature.length; at += size)
      yield { ...item, data: { ...item.data, delta: { ...delta, signature: signature.slice(at, at + size) } } }
  }
}
