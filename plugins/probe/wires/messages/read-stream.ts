/** Reads streams of the Messages API as the official SDK does, and checks their grammar. */
import { wireError } from '../errors.ts'
import { emptyReply } from '../neutral.ts'
import { readEvents } from '../sse.ts'
import type { GrammarProblem, StreamEvent, StreamReading, WireAnswer, WireError } from '../types.ts'
import { defined, listOf, member, membersOf, numberOf, parseJson, textOf, type Members } from '../values.ts'
import { readMessage } from './read-reply.ts'

export function readMessageStream(answer: WireAnswer): StreamReading {
  const events = readEvents(answer.body)
  const reader = new MessageReader(answer)
  for (const [index, event] of events.entries()) {
    reader.read(event, `event ${index}`)
    if (reader.error !== null) break
  }
  const message = reader.message
  const reply = message === null ? emptyReply() : readMessage(message)
  reply.problems.push(...reader.problems)
  return { reply, events, grammar: reader.grammarAtEnd(), error: reader.error, isEnded: reader.isEnded }
}

/** Which deltas a block of a type takes. */
const DELTAS: Readonly<Record<string, readonly string[]>> = {
  text: ['text_delta', 'citations_delta'],
  thinking: ['thinking_delta', 'signature_delta'],
  tool_use: ['input_json_delta'],
  server_tool_use: ['input_json_delta'],
  mcp_tool_use: ['input_json_delta'],
}
const KNOWN = new Set([
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
  'ping',
  'error',
])

class MessageReader {
  message: Members | null = null
  error: WireError | null = null
  isEnded = false
  readonly problems: { at: string; text: string }[] = []
  readonly #answer: WireAnswer
  readonly #blocks: Members[] = []
  /** Texts of arguments by block. */
  readonly #inputs = new Map<number, string>()
  readonly #grammar: GrammarProblem[] = []
  /** The block that is open. */
  #open: number | null = null
  #reasons = 0

  constructor(answer: WireAnswer) {
    this.#answer = answer
  }

  read({ name, value }: StreamEvent, at: string): void {
    const type = textOf(member(value, 'type'))
    // The SDK reads the events whose names it knows.
    if (name === 'error' || type === 'error') return this.#readError(value)
    if (type === null) return this.#wrong(at, 'the data have no type')
    if (name !== type) this.#wrong(at, `the event is called ${name ?? 'nothing'}, its type is ${type}`)
    if (!KNOWN.has(type)) return this.#wrong(at, `an event ${type}`, true)
    if (type === 'ping') return
    if (this.isEnded) this.#wrong(at, `${type} behind message_stop`)
    if (type === 'message_start') return this.#start(membersOf(member(value, 'message')), at)
    if (this.message === null) return this.#wrong(at, `${type} before message_start`)
    const index = numberOf(member(value, 'index')) ?? -1
    if (type === 'content_block_start') this.#startBlock(index, membersOf(member(value, 'content_block')), at)
    else if (type === 'content_block_delta') this.#readDelta(index, membersOf(member(value, 'delta')), at)
    else if (type === 'content_block_stop') this.#stopBlock(index, at)
    else if (type === 'message_delta') this.#readEnd(membersOf(value), at)
    else {
      this.isEnded = true
      if (this.#open !== null) this.#wrong(at, 'message_stop while a block is open')
    }
  }

  grammarAtEnd(): GrammarProblem[] {
    if (this.error !== null) return this.#grammar
    if (this.message === null) this.#wrong('the end', 'no message_start')
    if (this.#reasons !== 1) this.#wrong('the end', `${this.#reasons} stop reasons`)
    if (!this.isEnded) this.#wrong('the end', 'no message_stop')
    return this.#grammar
  }

  #wrong(at: string, text: string, isNote = false): void {
    this.#grammar.push({ at, text, isNote })
  }

  #readError(value: unknown): void {
    const error = membersOf(member(value, 'error'))
    this.error = wireError(this.#answer, error, { isOfWire: typeof error.message === 'string' })
  }

  #start(message: Members, at: string): void {
    if (this.message !== null) return this.#wrong(at, 'message_start comes again')
    this.message = { ...message, content: this.#blocks }
  }

  #startBlock(index: number, block: Members, at: string): void {
    if (this.#open !== null) this.#wrong(at, `block ${index} starts while block ${this.#open} is open`)
    if (index !== this.#blocks.length) this.#wrong(at, `block ${index} starts as number ${this.#blocks.length}`)
    this.#open = index
    this.#blocks[index >= 0 && index <= this.#blocks.length ? index : this.#blocks.length] = { ...block }
  }

  #readDelta(index: number, delta: Members, at: string): void {
    const block = this.#blocks[index]
    if (block === undefined) return this.#wrong(at, `a delta of block ${index}, which did not start`)
    if (this.#open !== index) this.#wrong(at, `a delta of block ${index}, which is not open`)
    const type = textOf(delta.type) ?? ''
    const taken = DELTAS[textOf(block.type) ?? '']
    if (taken?.includes(type) !== true) this.#wrong(at, `${type} in a block of type ${textOf(block.type) ?? 'none'}`)
    const join = (name: string): void => {
      block[name] = `${textOf(block[name]) ?? ''}${textOf(delta[name]) ?? ''}`
    }
    if (type === 'text_delta') join('text')
    else if (type === 'thinking_delta') join('thinking')
    // The SDK keeps the last one.
    else if (type === 'signature_delta') block.signature = delta.signature
    else if (type === 'citations_delta') block.citations = [...listOf(block.citations), delta.citation]
    else if (type === 'input_json_delta')
      this.#inputs.set(index, (this.#inputs.get(index) ?? '') + (textOf(delta.partial_json) ?? ''))
  }

  #stopBlock(index: number, at: string): void {
    if (this.#open !== index) this.#wrong(at, `block ${index} stops, which is not open`)
    this.#open = null
    const text = this.#inputs.get(index)
    const block = this.#blocks[index]
    if (text === undefined || text === '' || block === undefined) return
    const input = parseJson(text)
    if (input === undefined) this.problems.push({ at: `/content/${index}/input`, text: 'the arguments are not JSON' })
    block.input = input ?? text
  }

  #readEnd({ delta, usage }: Members, at: string): void {
    const message = this.message!
    if (this.#open !== null) this.#wrong(at, 'message_delta while a block is open')
    const { stop_reason, stop_sequence, ...rest } = membersOf(delta)
    if (typeof stop_reason === 'string') this.#reasons += 1
    Object.assign(message, defined({ ...rest, stop_reason, stop_sequence }))
    // Counts of the end replace those of the beginning, where they are given.
    const given = Object.fromEntries(
      Object.entries(membersOf(usage)).filter(([, value]) => value !== null && value !== undefined),
    )
    if (usage !== undefined && usage !== null) message.usage = { ...membersOf(message.usage), ...given }
  }
}
