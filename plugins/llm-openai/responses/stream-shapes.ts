/** What `X-Svc-Stream-Shape` can change about responses and their streams. */
import { isRecord } from 'svc/toolkit'
import type { CallFormat, Engine, StreamShapes, UsageMode, WireEvent } from '../../llm/types.ts'

type Body = Record<string, unknown>

/** The events that end a stream, and have its usage. */
const ENDS = ['response.completed', 'response.incomplete']

export function responseShapes(engine: Engine): StreamShapes {
  return {
    isEnd,
    usage: { modes: ['none'], rewrite: withoutUsage, member: 'usage' },
    changes: {
      finish: {
        events: (events, [word]) => changeEnd(events, response => ({ ...response, status: word })),
        whole(body, [word]) {
          body.status = word
        },
      },
      completed: { events: events => changeEnd(events, response => ({ ...response, output: [], usage: null })) },
      tools: {
        values: ['interleaved', 'whole', 'empty-args'],
        events: (events, values) => numbered(engine.changeCallBlocks(events, values, callFormat())),
      },
      order: { events: events => numbered(swapped(events)) },
      id: { values: ['absent'], events: withoutItemIds },
      sequence: { events: withSequence },
    },
  }
}

function isEnd({ event }: WireEvent): boolean {
  return ENDS.includes(event.event ?? '')
}

function withoutUsage(events: Iterable<WireEvent>, _mode: UsageMode): Iterable<WireEvent> {
  return changeEnd(events, response => ({ ...response, usage: null }))
}

/** Changes the response with which a stream ends. */
function* changeEnd(events: Iterable<WireEvent>, change: (response: Body) => Body): Iterable<WireEvent> {
  for (const item of events) {
    const response = isEnd(item) ? item.data?.response : undefined
    yield isRecord(response) ? { ...item, data: { ...item.data, response: change(response) } } : item
  }
}

const CALLS = ['function_call', 'custom_tool_call']

/** Reads the items of one stream: only an added item says that it is a call. */
function callFormat(): CallFormat {
  const calls = new Set<unknown>()
  return {
    partOf({ event, data }) {
      const place = data?.output_index
      const item = data?.item
      if (event.event === 'response.output_item.added' && isRecord(item) && CALLS.includes(String(item.type))) {
        calls.add(place)
        return { place, role: 'open' }
      }
      if (place === undefined || !calls.has(place)) return null
      return { place, role: event.event?.endsWith('.delta') === true ? 'delta' : 'close' }
    },
    textOf: ({ data }) => String(data?.delta),
    withText: ({ event, data }, text) => ({ event, data: { ...data, delta: text } }),
  }
}

/** Events in another order count from 0 again. */
function* numbered(events: Iterable<WireEvent>): Iterable<WireEvent> {
  let number = 0
  for (const item of events)
    yield item.data === null ? item : { ...item, data: { ...item.data, sequence_number: number++ } }
}

/** An item is done before its content is. */
function* swapped(events: Iterable<WireEvent>): Iterable<WireEvent> {
  let held: WireEvent[] = []
  for (const item of events) {
    const name = item.event.event ?? ''
    if (name === 'response.output_item.done') {
      yield item
      yield* held
      held = []
    } else if (name.endsWith('.done')) held.push(item)
    else yield item
  }
  yield* held
}

function* withoutItemIds(events: Iterable<WireEvent>): Iterable<WireEvent> {
  for (const item of events) {
    delete item.data?.item_id
    yield item
  }
}

function* withSequence(events: Iterable<WireEvent>, [value]: readonly string[]): Iterable<WireEvent> {
  for (const item of events) {
    if (item.data !== null && value === 'zero') item.data.sequence_number = 0
    else delete item.data?.sequence_number
    yield item
  }
}
