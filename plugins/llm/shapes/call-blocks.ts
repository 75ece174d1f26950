/** Calls in streams whose items are opened, filled by deltas, and closed (`tools=<value>` of Anthropic and Responses). */
import type { WireEvent } from '../contract/stream.ts'
import { tokensOf } from '../streaming/tokens-of.ts'

/** What a format says about an event of a call; null: it belongs to none, or does not interrupt one. */
export interface CallPart {
  /** Which call it is. */
  place: unknown
  role: 'open' | 'delta' | 'close'
}

export interface CallFormat {
  /** `between`: the event may come between those of calls. */
  partOf(event: WireEvent): CallPart | 'between' | null
  /** The text of a delta, and the same with another text. */
  textOf(event: WireEvent): string
  withText(event: WireEvent, text: string): WireEvent
}

interface BlockCall {
  open: WireEvent[]
  deltas: WireEvent[]
  close: WireEvent[]
}

/** The first of each list, then the second of each, and so on. */
export function inTurn<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  const all: T[] = []
  for (let at = 0; at < longest; at++) for (const list of lists) if (at < list.length) all.push(list[at]!)
  return all
}

/** Changes each run of calls: they are opened together and filled in turn, or filled by one delta, or by none. */
export function* changeCallBlocks(
  events: Iterable<WireEvent>,
  values: readonly string[],
  format: CallFormat,
): Iterable<WireEvent> {
  let run = new Map<unknown, BlockCall>()
  for (const item of events) {
    const part = format.partOf(item)
    if (part === 'between') {
      yield item
      continue
    }
    if (part === null) {
      yield* changeRun([...run.values()], values, format)
      run = new Map()
      yield item
      continue
    }
    const call = run.get(part.place) ?? { open: [], deltas: [], close: [] }
    run.set(part.place, call)
    if (part.role === 'open') call.open.push(item)
    else if (part.role === 'delta') call.deltas.push(item)
    else call.close.push(item)
  }
  yield* changeRun([...run.values()], values, format)
}

function* changeRun(calls: readonly BlockCall[], values: readonly string[], format: CallFormat): Iterable<WireEvent> {
  const changed = calls.map(call => ({ ...call, deltas: changeDeltas(call.deltas, values, format) }))
  if (!values.includes('interleaved')) {
    for (const { open, deltas, close } of changed) yield* [...open, ...deltas, ...close]
    return
  }
  for (const { open } of changed) yield* open
  yield* inTurn(changed.map(({ deltas }) => deltas))
  for (const { close } of changed) yield* close
}

function changeDeltas(
  deltas: readonly WireEvent[],
  values: readonly string[],
  format: CallFormat,
): readonly WireEvent[] {
  const [first] = deltas
  if (first === undefined) return deltas
  const text = deltas.map(format.textOf).join('')
  if (values.includes('empty-args') && text === '{}') return []
  if (!values.includes('whole')) return deltas
  const { event, data } = format.withText(first, text)
  return [{ event: { ...event, paced: deltas.reduce((sum, item) => sum + tokensOf(item.event), 0) }, data }]
}
