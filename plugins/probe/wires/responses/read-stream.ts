/** Reads streams of the Responses API, and checks their grammar. */
import { wireError } from '../errors.ts'
import { emptyReply } from '../neutral.ts'
import { readEvents } from '../sse.ts'
import type { GrammarProblem, StreamEvent, StreamReading, WireAnswer, WireError } from '../types.ts'
import { firstOf, isEqual, listOf, member, membersOf, numberOf, textOf, type Members } from '../values.ts'
import { readResponseObject } from './read-reply.ts'

export function readResponseStream(answer: WireAnswer): StreamReading {
  const events = readEvents(answer.body)
  const reader = new ResponseReader(answer)
  for (const [index, event] of events.entries()) {
    if (event.data === '[DONE]') continue
    reader.read(event, `event ${index}`)
    if (reader.error !== null) break
  }
  const response = reader.response()
  const reply = response === null ? emptyReply() : readResponseObject(response)
  return { reply, events, grammar: reader.grammarAtEnd(), error: reader.error, isEnded: reader.isEnded }
}

const ENDS = new Set(['response.completed', 'response.incomplete', 'response.failed'])

interface OpenItem {
  id: string | null
  item: Members
  hasDeltas: boolean
  /** `.done` of its deltas came. */
  isDone: boolean
  isClosed: boolean
  texts: Map<string, string>
}

class ResponseReader {
  error: WireError | null = null
  isEnded = false
  readonly #answer: WireAnswer
  readonly #items = new Map<number, OpenItem>()
  readonly #grammar: GrammarProblem[] = []
  #created: Members | null = null
  #last: Members | null = null
  #sequence: number | null = null
  #lastClosed = -1

  constructor(answer: WireAnswer) {
    this.#answer = answer
  }

  read({ name, value }: StreamEvent, at: string): void {
    const type = textOf(member(value, 'type')) ?? name
    if (type === 'error' || (type === null && member(value, 'error') !== undefined)) {
      this.error = wireError(this.#answer, membersOf(firstOf(member(value, 'error'), value)))
      return
    }
    if (type === null) return this.#wrong(at, 'the data have no type')
    if (this.#created === null && type !== 'response.created') this.#wrong(at, `${type} before response.created`)
    if (this.isEnded) this.#wrong(at, `${type} behind the end`)
    this.#readSequence(member(value, 'sequence_number'), at)
    const index = numberOf(member(value, 'output_index'))
    if (type === 'response.created') this.#create(membersOf(member(value, 'response')), at)
    else if (ENDS.has(type)) this.#end(type, membersOf(member(value, 'response')), at)
    else if (type === 'response.output_item.added') this.#add(index, membersOf(member(value, 'item')), at)
    else if (type === 'response.output_item.done') this.#close(index, membersOf(member(value, 'item')), at)
    else if (type.endsWith('.delta')) this.#readDelta(type, membersOf(value), at)
    else if (type.endsWith('.done')) this.#readDone(type, membersOf(value), at)
    else if (!/^response\.(?:queued|in_progress)$|\.added$|annotation/.test(type))
      this.#wrong(at, `an event ${type}`, true)
  }

  /** That of the end; without one, what the items that came make. */
  response(): Members | null {
    const items = [...this.#items].toSorted(([one], [other]) => one - other).map(([, { item }]) => item)
    if (this.#last === null) return this.#created === null ? null : { ...this.#created, output: items, status: null }
    return listOf(this.#last.output).length === 0 ? { ...this.#last, output: items } : this.#last
  }

  grammarAtEnd(): GrammarProblem[] {
    if (this.error !== null) return this.#grammar
    if (this.#created === null) this.#wrong('the end', 'no response.created')
    if (!this.isEnded) this.#wrong('the end', 'no response.completed')
    for (const [index, { isClosed }] of this.#items)
      if (!isClosed) this.#wrong('the end', `item ${index} has no response.output_item.done`)
    return this.#grammar
  }

  #wrong(at: string, text: string, isNote = false): void {
    this.#grammar.push({ at, text, isNote })
  }

  #readSequence(given: unknown, at: string): void {
    if (typeof given !== 'number') return this.#wrong(at, 'no sequence_number')
    if (this.#sequence !== null && given <= this.#sequence)
      this.#wrong(at, `sequence_number ${given} behind ${this.#sequence}`)
    this.#sequence = given
  }

  #create(response: Members, at: string): void {
    if (this.#created !== null) this.#wrong(at, 'response.created comes again')
    this.#created = response
  }

  #end(type: string, response: Members, at: string): void {
    this.isEnded = type !== 'response.failed'
    this.#last = response
    if (type === 'response.failed') {
      this.error = wireError(this.#answer, membersOf(response.error))
      return
    }
    if (this.#created !== null && response.id !== this.#created.id)
      this.#wrong(at, 'the id is not that of the beginning')
    if (response.usage === null || response.usage === undefined) this.#wrong(at, 'no usage')
    const items = [...this.#items.values()].map(({ item }) => item)
    const listed = listOf(response.output)
    if (listed.length !== items.length) this.#wrong(at, `${listed.length} output items, but ${items.length} came`)
    else if (items.some((item, place) => !isSameItem(item, membersOf(listed[place]))))
      this.#wrong(at, 'an output item is not as it came')
  }

  #add(index: number | null, item: Members, at: string): void {
    if (index === null) return this.#wrong(at, 'no output_index')
    if (this.#items.has(index)) this.#wrong(at, `item ${index} is added again`)
    if (index !== this.#items.size) this.#wrong(at, `item ${index} is added as number ${this.#items.size}`)
    const texts = new Map<string, string>()
    this.#items.set(index, {
      id: textOf(item.id),
      item: { ...item },
      hasDeltas: false,
      isDone: false,
      isClosed: false,
      texts,
    })
  }

  #itemOf(value: Members, at: string): OpenItem | null {
    const index = numberOf(value.output_index)
    const open = index === null ? undefined : this.#items.get(index)
    if (open === undefined) {
      this.#wrong(at, index === null ? 'no output_index' : `item ${index} was not added`)
      return null
    }
    if (typeof value.item_id !== 'string') this.#wrong(at, 'no item_id')
    else if (open.id !== null && value.item_id !== open.id) this.#wrong(at, 'item_id is that of another item')
    if (open.isClosed) this.#wrong(at, `a delta of item ${index}, which is done`)
    return open
  }

  #readDelta(type: string, value: Members, at: string): void {
    const open = this.#itemOf(value, at)
    if (open === null) return
    open.hasDeltas = true
    if (open.isDone && open.item.type === 'function_call') this.#wrong(at, 'a delta behind .done')
    const place = placeOf(type, value)
    const text = (open.texts.get(place) ?? '') + (textOf(value.delta) ?? '')
    open.texts.set(place, text)
    setText(open.item, type, value, text)
  }

  #readDone(type: string, value: Members, at: string): void {
    const open = this.#itemOf(value, at)
    if (open === null) return
    if (/content_part|summary_part/.test(type)) return
    open.isDone = true
    const whole = textOf(firstOf(value.text, value.refusal, value.arguments, value.input))
    const came = open.texts.get(placeOf(type, value))
    if (whole !== null && came !== undefined && came !== whole)
      this.#wrong(at, `${type} has another text than its deltas`)
  }

  #close(index: number | null, item: Members, at: string): void {
    const open = index === null ? undefined : this.#items.get(index)
    if (open === undefined || index === null) return this.#wrong(at, `item ${String(index)} was not added`)
    if (open.isClosed) this.#wrong(at, `item ${index} is done again`)
    if (open.hasDeltas && !open.isDone) this.#wrong(at, `item ${index} is done before the .done of its deltas`)
    if (index < this.#lastClosed) this.#wrong(at, `item ${index} is done behind item ${this.#lastClosed}`)
    if (open.id !== null && item.id !== open.id) this.#wrong(at, 'the id of the item is another')
    this.#lastClosed = index
    open.isClosed = true
    open.item = item
  }
}

function placeOf(type: string, value: Members): string {
  const place = firstOf(value.content_index, value.summary_index, 0)
  return `${type.replace(/\.(?:delta|done)$/, '')} ${String(place)}`
}

/** Builds an item from its deltas, for streams that break. */
function setText(item: Members, type: string, value: Members, text: string): void {
  if (type.startsWith('response.function_call_arguments')) item.arguments = text
  else if (type.startsWith('response.custom_tool_call_input')) item.input = text
  else if (type.startsWith('response.output_text'))
    item.content = withPart(item.content, value.content_index, { type: 'output_text', text })
  else if (type.startsWith('response.refusal'))
    item.content = withPart(item.content, value.content_index, { type: 'refusal', refusal: text })
  else if (type.startsWith('response.reasoning_summary_text'))
    item.summary = withPart(item.summary, value.summary_index, { type: 'summary_text', text })
  else if (type.startsWith('response.reasoning_text'))
    item.content = withPart(item.content, value.content_index, { type: 'reasoning_text', text })
}

function withPart(list: unknown, index: unknown, part: Members): unknown[] {
  const parts = [...listOf(list)]
  const at = Math.min(numberOf(index) ?? 0, parts.length)
  parts[at] = part
  return parts
}

/** What an agent would keep of two items is the same. */
function isSameItem(one: Members, other: Members): boolean {
  const kept = ({ type, id, call_id, name, arguments: args, input, content, summary }: Members): unknown => [
    type,
    id ?? null,
    call_id ?? null,
    name ?? null,
    args ?? input ?? null,
    listOf(content).map(part => firstOf(member(part, 'text'), member(part, 'refusal'), null)),
    listOf(summary).map(part => member(part, 'text') ?? null),
  ]
  return isEqual(kept(one), kept(other))
}
