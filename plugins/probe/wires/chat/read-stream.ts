/** Reads streams of chat completions as the official SDK does, and checks their grammar. */
import { wireError } from '../errors.ts'
import { emptyReply } from '../neutral.ts'
import { readEvents } from '../sse.ts'
import type { GrammarProblem, Reply, StreamReading, WireAnswer, WireError } from '../types.ts'
import { listOf, member, membersOf, textOf, type Members } from '../values.ts'
import { addUnknownMembers, readChatUsage } from './own-members.ts'
import { readFinish } from './read-reply.ts'
import { readAssistant } from './read-request.ts'

const END = '[DONE]'

export function readChatStream(answer: WireAnswer): StreamReading {
  const events = readEvents(answer.body)
  const reader = new ChunkReader(answer)
  for (const [index, { data, value }] of events.entries()) {
    if (data === '') continue
    reader.read(data, value, `event ${index}`)
    // What follows an error is not read.
    if (reader.error !== null) break
  }
  return { reply: reader.reply(), events, grammar: reader.grammarAtEnd(), error: reader.error, isEnded: reader.isEnded }
}

class ChunkReader {
  error: WireError | null = null
  isEnded = false
  readonly #answer: WireAnswer
  readonly #reply: Reply = emptyReply()
  readonly #message: Members = { role: 'assistant', content: null }
  readonly #calls: Members[] = []
  readonly #ids = new Set<string>()
  readonly #grammar: GrammarProblem[] = []
  #finish: unknown = null
  #finishes = 0
  #roles = 0
  #usages = 0
  #ends = 0

  constructor(answer: WireAnswer) {
    this.#answer = answer
  }

  read(data: string, value: unknown, at: string): void {
    if (this.#ends > 0) this.#wrong(at, data === END ? `${END} comes again` : `an event behind ${END}`)
    if (data === END) {
      this.#ends += 1
      this.isEnded = true
      return
    }
    if (value === undefined) return this.#wrong(at, 'the data are not JSON')
    const error = member(value, 'error')
    if (error !== undefined && error !== null) {
      this.error = wireError(this.#answer, typeof error === 'string' ? { message: error } : membersOf(error))
      return
    }
    this.#readChunk(value, at)
  }

  reply(): Reply {
    const reply = this.#reply
    if (this.#calls.length > 0) this.#message.tool_calls = this.#calls
    reply.parts = readAssistant(this.#message, '/message', reply.problems)
    reply.finish = readFinish(this.#finish, reply.parts)
    reply.native = this.#message
    return reply
  }

  /** Complete streams only: what is missing in a broken one is not against the grammar. */
  grammarAtEnd(): GrammarProblem[] {
    if (this.error !== null) return this.#grammar
    const end = 'the end'
    if (this.#ends === 0) this.#wrong(end, `no ${END}`)
    if (this.#roles !== 1) this.#wrong(end, `${this.#roles} roles`)
    if (this.#finishes !== 1) this.#wrong(end, `${this.#finishes} finish reasons`)
    if (this.#usages > 1) this.#wrong(end, `usage comes ${this.#usages} times`)
    if (this.#ids.size > 1) this.#wrong(end, `${this.#ids.size} ids`)
    if (this.#ids.size === 0) this.#wrong(end, 'no id')
    return this.#grammar
  }

  #wrong(at: string, text: string, isNote = false): void {
    this.#grammar.push({ at, text, isNote })
  }

  #readChunk(chunk: unknown, at: string): void {
    const reply = this.#reply
    const id = textOf(member(chunk, 'id'))
    const choices = listOf(member(chunk, 'choices'))
    // Azure begins with a chunk about the prompt, whose id is empty.
    if (id !== null && id !== '') this.#ids.add(id)
    reply.id ??= id === '' ? null : id
    reply.model ??= textOf(member(chunk, 'model')) || null
    const usage = readChatUsage(member(chunk, 'usage'))
    if (usage !== null) {
      reply.usage = usage
      this.#usages += 1
    }
    for (const choice of choices) if ((member(choice, 'index') ?? 0) === 0) this.#readChoice(choice, at)
    if (usage !== null && this.#finish === null) this.#wrong(at, 'usage comes before the finish reason', true)
  }

  #readChoice(choice: unknown, at: string): void {
    const delta = membersOf(member(choice, 'delta'))
    if (member(choice, 'delta') === undefined) this.#wrong(at, 'a choice without a delta')
    if (typeof delta.role === 'string') this.#roles += 1
    for (const name of ['content', 'refusal'] as const) {
      const text = delta[name]
      if (typeof text === 'string') this.#message[name] = `${textOf(this.#message[name]) ?? ''}${text}`
      else if (Array.isArray(text)) this.#message[name] = [...listOf(this.#message[name]), ...text]
    }
    addUnknownMembers(this.#message, delta)
    for (const call of listOf(delta.tool_calls)) this.#readCall(membersOf(call), at)
    const finish = member(choice, 'finish_reason')
    if (typeof finish === 'string') {
      this.#finish = finish
      this.#finishes += 1
    } else if (this.#finishes > 0 && Object.values(delta).some(value => value !== null && value !== ''))
      this.#wrong(at, 'content behind the finish reason')
  }

  /** Deltas find their call by their index. Servers that leave it out, or write 0 everywhere, begin a call with another id. */
  #readCall(delta: Members, at: string): void {
    const calls = this.#calls
    const id = textOf(delta.id) || null
    const index = typeof delta.index === 'number' ? delta.index : null
    const name = textOf(member(delta, 'function', 'name'))
    if (index === null) this.#wrong(at, 'a delta of a call without an index')
    let call = index === null ? calls.at(-1) : calls.findLast(one => one.index === index)
    const isAnother = id !== null && typeof call?.id === 'string' && call.id !== '' && call.id !== id
    if (isAnother) {
      if (index !== null) this.#wrong(at, `two calls with the index ${index}`)
      call = calls.find(one => one.id === id)
    }
    const startsAgain = index === null && id === null && name !== null && this.#isWhole(call)
    if (call === undefined || startsAgain) {
      call = { index: index ?? calls.length, type: 'function', function: { name: '', arguments: '' } }
      calls.push(call)
    }
    this.#add(call, delta, { id, name })
  }

  #isWhole(call: Members | undefined): boolean {
    return (textOf(member(call, 'function', 'name')) ?? '') !== ''
  }

  #add(call: Members, delta: Members, { id, name }: { id: string | null; name: string | null }): void {
    const { index: _index, id: _id, type: _type, function: called, ...others } = delta
    if (id !== null) call.id = id
    const { name: before, arguments: args } = membersOf(call.function)
    const added = member(called, 'arguments')
    call.function = {
      ...membersOf(call.function),
      name: name === null || name === '' ? before : name,
      arguments: `${textOf(args) ?? ''}${typeof added === 'string' ? added : ''}`,
    }
    for (const [member, value] of Object.entries(others)) if (value !== null) call[member] = value
  }
}
