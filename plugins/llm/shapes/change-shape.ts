/** The parts of shapes that all formats have in common: usage, finish reasons, and what a format states about itself. */
import { isRecord } from 'svc/toolkit'
import type { ChatResult } from '../contract/neutral.ts'
import type { ShapeChangeName, StreamShapes, WireEvent } from '../contract/stream.ts'
import { itemOf, USAGE_FORMS, valuesOf, type StreamShape } from './shape.ts'

type Body = Record<string, unknown>

/** In the order in which they act. */
const CHANGES: readonly ShapeChangeName[] = [
  'completed',
  'null',
  'tools',
  'signature',
  'order',
  'empty-choices',
  'id',
  'sequence',
]

/** Changes the events of a stream as the items of a format say. */
export function changeEvents(
  events: Iterable<WireEvent>,
  shape: StreamShape,
  { changes = {}, usage }: StreamShapes,
  result: ChatResult | null,
): Iterable<WireEvent> {
  let read = events
  const forms = valuesOf(shape, 'usage').filter(value => USAGE_FORMS.includes(value))
  if (forms.length > 0 && usage?.member !== undefined) read = withUsage(read, usage.member, forms)
  const word = itemOf(shape, 'finish')
  if (typeof word === 'string') read = withFinish(read, word, changes.finish)
  for (const name of CHANGES) {
    const change = changes[name]
    if (change?.events !== undefined && itemOf(shape, name) !== undefined)
      read = change.events(read, valuesOf(shape, name), result)
  }
  return read
}

/** Changes a complete reply in place. */
export function changeWhole(body: Body, shape: StreamShape, { changes = {}, usage }: StreamShapes): void {
  if (usage?.member !== undefined) for (const form of valuesOf(shape, 'usage')) reformUsage(body, usage.member, form)
  const word = itemOf(shape, 'finish')
  if (typeof word === 'string') {
    if (changes.finish?.whole === undefined) replaceFinish(body, word)
    else changes.finish.whole(body, [word])
  }
  for (const name of CHANGES) if (itemOf(shape, name) !== undefined) changes[name]?.whole?.(body, valuesOf(shape, name))
}

function* withUsage(events: Iterable<WireEvent>, member: string, forms: readonly string[]): Iterable<WireEvent> {
  for (const item of events) {
    if (item.data !== null) for (const form of forms) reformUsage(item.data, member, form)
    yield item
  }
}

/** Members with the beginning or the end of a reply, which has the usage. */
const HOLDERS = ['message', 'response']

function reformUsage(data: Body, member: string, form: string): void {
  for (const holder of [data, ...HOLDERS.map(name => data[name])]) {
    if (!isRecord(holder) || !isRecord(holder[member])) continue
    if (form === 'null') holder[member] = null
    else if (form === 'none') delete holder[member]
    else if (form === 'strings') holder[member] = asTexts(holder[member])
    else if (form === 'bare') holder[member] = bare(holder[member])
  }
}

function asTexts(value: unknown): unknown {
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return value.map(asTexts)
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, figure]) => [name, asTexts(figure)]))
}

/** The totals alone: without lists, objects, and tokens of the cache. */
function bare(usage: Body): Body {
  return Object.fromEntries(
    Object.entries(usage).filter(([name, figure]) => typeof figure === 'number' && !/cache/i.test(name)),
  )
}

function* withFinish(
  events: Iterable<WireEvent>,
  word: string,
  change: NonNullable<StreamShapes['changes']>['finish'],
): Iterable<WireEvent> {
  if (change?.events !== undefined) return yield* change.events(events, [word], null)
  for (const item of events) {
    if (item.data !== null) replaceFinish(item.data, word)
    yield item
  }
}

const FINISH_MEMBERS = ['finish_reason', 'finishReason', 'stop_reason', 'stopReason', 'done_reason', 'completionReason']
/** Where formats have them. */
const FINISH_HOLDERS = ['choices', 'candidates', 'delta', 'message', 'response', 'results', 'generations', 'outputs']
const MAX_DEPTH = 3

/** Replaces the finish reasons that a reply or an event has. */
function replaceFinish(data: Body, word: string, depth = 0): void {
  for (const name of FINISH_MEMBERS) if (typeof data[name] === 'string') data[name] = word
  if (depth === MAX_DEPTH) return
  for (const name of FINISH_HOLDERS)
    for (const held of [data[name]].flat()) if (isRecord(held)) replaceFinish(held, word, depth + 1)
}
