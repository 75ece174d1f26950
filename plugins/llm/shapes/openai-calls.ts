/** Tool calls in OpenAI's chat chunks as gateways and servers of open models write them (`tools=<value>`). */
import { isRecord } from 'svc/toolkit'
import type { WireEvent } from '../contract/stream.ts'
import { tokensOf } from '../streaming/tokens-of.ts'
import { inTurn } from './call-blocks.ts'

interface WireCall {
  index?: number
  id?: string
  type?: string
  function?: { name?: string; arguments?: string }
}

/** A chunk with parts of calls: of one, unless all are in it. */
interface CallChunk {
  item: WireEvent
  calls: WireCall[]
}

/** Changes each run of chunks with calls of one choice. */
export function* changeCalls(events: Iterable<WireEvent>, values: readonly string[]): Iterable<WireEvent> {
  let run: CallChunk[] = []
  let place: unknown
  for (const item of events) {
    const found = callsOf(item)
    if (run.length > 0 && found?.place !== place) {
      yield* changeRun(run, values)
      run = []
    }
    if (found === null) yield item
    else {
      run.push({ item, calls: found.calls })
      place = found.place
    }
  }
  yield* changeRun(run, values)
}

/** The calls of a chunk, and the number of its choice; null: it has none. */
function callsOf({ data }: WireEvent): { calls: WireCall[]; place: unknown } | null {
  const choice: unknown = Array.isArray(data?.choices) ? data.choices[0] : undefined
  const delta = isRecord(choice) ? choice.delta : undefined
  const calls = isRecord(delta) ? delta.tool_calls : undefined
  return Array.isArray(calls) && calls.length > 0
    ? { calls: calls as WireCall[], place: (choice as { index?: unknown }).index }
    : null
}

function* changeRun(run: readonly CallChunk[], values: readonly string[]): Iterable<WireEvent> {
  if (run.length === 0) return
  const has = (value: string): boolean => values.includes(value)
  let lists = byCall(run)
  if (has('empty-args')) lists = lists.map(list => (argumentsOf(list) === '{}' ? [merged(list, '')] : list))
  if (has('whole') || has('fused')) lists = lists.map(list => [merged(list, argumentsOf(list))])
  let chunks = has('interleaved') ? inTurn(lists) : lists.flat()
  if (has('fused')) chunks = [fused(chunks)]
  changeNames(chunks, has)
  for (const { item } of chunks) yield item
}

function byCall(run: readonly CallChunk[]): CallChunk[][] {
  const lists = new Map<number | undefined, CallChunk[]>()
  for (const chunk of run) {
    const { index } = chunk.calls[0]!
    lists.set(index, [...(lists.get(index) ?? []), chunk])
  }
  return [...lists.values()]
}

function argumentsOf(list: readonly CallChunk[]): string {
  return list.map(({ calls }) => calls[0]!.function?.arguments ?? '').join('')
}

/** The first chunk with these arguments, and with the tokens of all. */
function merged(list: readonly CallChunk[], text: string): CallChunk {
  const [first] = list as [CallChunk]
  first.calls[0]!.function = { ...first.calls[0]!.function, arguments: text }
  return { ...first, item: withTokens(first.item, list) }
}

/** One chunk with all calls. */
function fused(chunks: readonly CallChunk[]): CallChunk {
  const [first] = chunks as [CallChunk]
  first.calls.push(...chunks.slice(1).flatMap(({ calls }) => calls))
  return { ...first, item: withTokens(first.item, chunks) }
}

function withTokens({ event, data }: WireEvent, list: readonly CallChunk[]): WireEvent {
  return { event: { ...event, paced: list.reduce((sum, { item }) => sum + tokensOf(item.event), 0) }, data }
}

/** What each part of a call says about which one it is. */
function changeNames(chunks: readonly CallChunk[], has: (value: string) => boolean): void {
  const begun = new Map<number | undefined, { call: WireCall; parts: number }>()
  for (const call of chunks.flatMap(({ calls }) => calls)) {
    const { index } = call
    const known = begun.get(index) ?? { call: { ...call, function: { ...call.function } }, parts: 0 }
    known.parts += 1
    begun.set(index, known)
    const { id, type, function: { name } = {} } = known.call
    const more = { ...(id === undefined ? {} : { id }), ...(type === undefined ? {} : { type }) }
    if (has('repeat-id'))
      Object.assign(call, more, { function: { ...(name === undefined ? {} : { name }), ...call.function } })
    if (has('late-name') && name !== undefined) {
      if (known.parts === 1) delete call.function!.name
      else if (known.parts === 2) call.function = { name, ...call.function }
    }
    if (has('no-id')) delete call.id
    else if (has('blank-id') && call.id !== undefined) call.id = ''
    if (has('no-index')) delete call.index
    else if (has('same-index')) call.index = 0
  }
}
