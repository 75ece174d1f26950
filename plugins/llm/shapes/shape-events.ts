/** The second part of stream shapes: events that a wire format would not send. */
import { isRecord } from 'svc/toolkit'
import { digest } from '../engine/seed.ts'
import type { ChatResult } from '../contract/neutral.ts'
import type { StreamEvent, StreamShapes, UsageMode, WireEvent } from '../contract/stream.ts'
import { changeEvents } from './change-shape.ts'
import { itemOf, USAGE_FORMS, valuesOf, type StreamShape } from './shape.ts'

/** Changes the events of a stream; items that the wire format does not have must be left out before. */
export function shapeEvents(
  events: Iterable<StreamEvent>,
  shape: StreamShape,
  shapes: StreamShapes,
  result: ChatResult | null,
): Iterable<StreamEvent> {
  const mode = valuesOf(shape, 'usage').find(value => !USAGE_FORMS.includes(value)) as UsageMode | undefined
  const role = itemOf(shape, 'role')
  const id = itemOf(shape, 'id')
  const { contained } = shapes
  let read = wireEvents(contained === undefined ? events : mapped(events, contained.read))
  if (mode !== undefined && shapes.usage !== undefined && result !== null)
    read = shapes.usage.rewrite(read, mode, result)
  read = changeEvents(read, shape, shapes, result)
  if (itemOf(shape, 'no-done') !== undefined && shapes.isEnd !== undefined) read = without(read, shapes.isEnd)
  if (itemOf(shape, 'no-finish') !== undefined && shapes.isFinish !== undefined) read = without(read, shapes.isFinish)
  if (role !== undefined) read = withRole(read, role === 'every')
  if (id !== undefined && shapes.idMember !== undefined) read = withId(read, shapes.idMember, id === 'changing')
  const done = itemOf(shape, 'done')
  if (done !== undefined && shapes.isEnd !== undefined) read = withEnd(read, shapes.isEnd, done === 'early')
  const padding = itemOf(shape, 'huge')
  if (padding !== undefined) read = padded(read, Number(padding))
  if (itemOf(shape, 'start-twice') !== undefined) read = startTwice(read)
  const shaped = plainEvents(read)
  return contained === undefined ? shaped : mapped(shaped, contained.write)
}

function* mapped(events: Iterable<StreamEvent>, change: (event: StreamEvent) => StreamEvent): Iterable<StreamEvent> {
  for (const event of events) yield change(event)
}

function* wireEvents(events: Iterable<StreamEvent>): Iterable<WireEvent> {
  for (const event of events) yield { event, data: dataOf(event) }
}

/** A copy of the event's object; null for text such as `[DONE]`. */
function dataOf({ data }: StreamEvent): Record<string, unknown> | null {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  if (!text.startsWith('{')) return null
  const value: unknown = JSON.parse(text)
  return isRecord(value) ? value : null
}

function* plainEvents(events: Iterable<WireEvent>): Iterable<StreamEvent> {
  for (const { event, data } of events) yield data === null ? event : { ...event, data }
}

function* without(events: Iterable<WireEvent>, isLeftOut: (event: WireEvent) => boolean): Iterable<WireEvent> {
  for (const event of events) if (!isLeftOut(event)) yield event
}

/** The end a second time, or before the event that it follows. */
function* withEnd(
  events: Iterable<WireEvent>,
  isEnd: (event: WireEvent) => boolean,
  isEarly: boolean,
): Iterable<WireEvent> {
  let held: WireEvent | null = null
  for (const item of events) {
    if (isEarly && isEnd(item) && held !== null) {
      yield item
      yield held
      held = null
      continue
    }
    if (held !== null) yield held
    held = null
    if (isEarly) held = item
    else yield item
    if (!isEarly && isEnd(item)) yield item
  }
  if (held !== null) yield held
}

/** The second event has a member of this many letters. */
function* padded(events: Iterable<WireEvent>, letters: number): Iterable<WireEvent> {
  let index = 0
  for (const item of events) {
    if (item.data !== null && index++ === 1) item.data.svc_padding = 'x'.repeat(letters)
    yield item
  }
}

function* startTwice(events: Iterable<WireEvent>): Iterable<WireEvent> {
  let isFirst = true
  for (const item of events) {
    if (isFirst) yield { event: { ...item.event, paced: false }, data: item.data }
    isFirst = false
    yield item
  }
}

/** The objects `choices[].delta` of a chunk. */
function deltasOf(data: Record<string, unknown> | null): Record<string, unknown>[] {
  const choices = Array.isArray(data?.choices) ? data.choices : []
  return choices.flatMap(choice => (isRecord(choice) && isRecord(choice.delta) ? [choice.delta] : []))
}

/** Without the first chunk, which has only the role, or with the role in every delta. */
function* withRole(events: Iterable<WireEvent>, isInEvery: boolean): Iterable<WireEvent> {
  for (const item of events) {
    const deltas = deltasOf(item.data)
    if (isInEvery) for (const delta of deltas) delta.role = 'assistant'
    const isRoleChunk = deltas.some(({ role }) => role !== undefined)
    if (isInEvery || !isRoleChunk) yield item
  }
}

function* withId(events: Iterable<WireEvent>, member: string, isChanging: boolean): Iterable<WireEvent> {
  let index = 0
  for (const item of events) {
    const { data } = item
    const id = data?.[member]
    if (data !== null && typeof id === 'string') {
      if (isChanging) data[member] = changedId(id, index++)
      else delete data[member]
    }
    yield item
  }
}

/** An id of the same form: the part after the last hyphen or underscore is another. */
function changedId(id: string, index: number): string {
  const start = Math.max(id.lastIndexOf('-'), id.lastIndexOf('_')) + 1
  const length = id.length - start
  return id.slice(0, start) + digest('id', id, index).slice(0, length)
}
