/** Reads streams of Converse as the official SDK and the applications of its examples do, and checks their grammar. */
import { readAwsEvents, type AwsEvent } from '../aws-event-stream.ts'
import { wireError } from '../errors.ts'
import type { GrammarProblem, Problem, StreamReading, WireAnswer, WireError } from '../types.ts'
import { member, membersOf, numberOf, parseJson, textOf, type Members } from '../values.ts'
import { readTurn } from './read-reply.ts'

export function readConverseStream(answer: WireAnswer): StreamReading {
  const { events, problems } = readAwsEvents(answer.body)
  const reader = new TurnReader(answer)
  for (const [index, event] of events.entries()) {
    reader.read(event, `event ${index}`)
    if (reader.error !== null) break
  }
  const reply = readTurn(reader.turn())
  reply.problems.push(...reader.problems)
  const grammar = [...problems, ...reader.grammarAtEnd()]
  return { reply, events, grammar, error: reader.error, isEnded: reader.isEnded }
}

const KNOWN = new Set([
  'messageStart',
  'contentBlockStart',
  'contentBlockDelta',
  'contentBlockStop',
  'messageStop',
  'metadata',
])

class TurnReader {
  error: WireError | null = null
  isEnded = false
  readonly problems: Problem[] = []
  readonly #answer: WireAnswer
  readonly #blocks = new Map<number, Members>()
  readonly #inputs = new Map<number, string>()
  readonly #stopped = new Set<number>()
  readonly #grammar: GrammarProblem[] = []
  #hasStarted = false
  #stopReason: unknown
  #usage: unknown

  constructor(answer: WireAnswer) {
    this.#answer = answer
  }

  read({ name, value, messageType }: AwsEvent, at: string): void {
    if (messageType === 'exception' || messageType === 'error') {
      const message = textOf(member(value, 'message')) ?? ''
      this.error = wireError(this.#answer, { type: name, message })
      return
    }
    if (name === null || !KNOWN.has(name)) return this.#wrong(at, `an event ${name ?? 'without a name'}`, true)
    if (name === 'messageStart') {
      if (this.#hasStarted) this.#wrong(at, 'messageStart comes again')
      this.#hasStarted = true
      return
    }
    if (!this.#hasStarted) this.#wrong(at, `${name} before messageStart`)
    if (name === 'messageStop') return this.#stop(value, at)
    if (name === 'metadata') {
      if (this.#stopReason === undefined) this.#wrong(at, 'metadata before messageStop')
      if (this.#usage !== undefined) this.#wrong(at, 'metadata come again')
      this.#usage = member(value, 'usage') ?? null
      return
    }
    if (this.#stopReason !== undefined) this.#wrong(at, `${name} behind messageStop`)
    const index = numberOf(member(value, 'contentBlockIndex')) ?? 0
    if (name === 'contentBlockStart') this.#startBlock(index, member(value, 'start'), at)
    else if (name === 'contentBlockDelta') this.#readDelta(index, membersOf(member(value, 'delta')), at)
    else this.#stopBlock(index, at)
  }

  /** In the form of a complete reply. */
  turn(): Members {
    const content = [...this.#blocks].toSorted(([one], [other]) => one - other).map(([, block]) => block)
    return { content, stopReason: this.#stopReason, usage: this.#usage }
  }

  grammarAtEnd(): GrammarProblem[] {
    if (this.error !== null) return this.#grammar
    if (!this.#hasStarted) this.#wrong('the end', 'no messageStart')
    if (this.#stopReason === undefined) this.#wrong('the end', 'no messageStop')
    if (this.#usage === undefined) this.#wrong('the end', 'no metadata')
    return this.#grammar
  }

  #wrong(at: string, text: string, isNote = false): void {
    this.#grammar.push({ at, text, isNote })
  }

  #stop(value: unknown, at: string): void {
    if (this.#stopReason !== undefined) this.#wrong(at, 'messageStop comes again')
    const open = [...this.#blocks.keys()].filter(index => !this.#stopped.has(index))
    if (open.length > 0) this.#wrong(at, `messageStop while block ${open[0]} is open`)
    this.#stopReason = member(value, 'stopReason') ?? null
    this.isEnded = true
  }

  #startBlock(index: number, start: unknown, at: string): void {
    if (this.#blocks.has(index)) this.#wrong(at, `block ${index} starts again`)
    const toolUse = member(start, 'toolUse')
    if (toolUse !== undefined) this.#blocks.set(index, { toolUse: { ...membersOf(toolUse), input: {} } })
  }

  #readDelta(index: number, delta: Members, at: string): void {
    if (this.#stopped.has(index)) this.#wrong(at, `a delta of block ${index}, which has stopped`)
    const open = [...this.#blocks.keys()].find(other => other !== index && !this.#stopped.has(other))
    if (open !== undefined) this.#wrong(at, `a delta of block ${index} while block ${open} is open`)
    const block = this.#blocks.get(index) ?? {}
    this.#blocks.set(index, block)
    const input = member(delta.toolUse, 'input')
    if (typeof delta.text === 'string') block.text = `${textOf(block.text) ?? ''}${delta.text}`
    else if (delta.toolUse !== undefined) {
      if (block.toolUse === undefined) this.#wrong(at, `block ${index} has no start`)
      this.#inputs.set(index, `${this.#inputs.get(index) ?? ''}${textOf(input) ?? ''}`)
    } else if (delta.reasoningContent !== undefined) readReasoningDelta(block, membersOf(delta.reasoningContent))
  }

  #stopBlock(index: number, at: string): void {
    if (!this.#blocks.has(index)) this.#wrong(at, `block ${index} stops, which did not start`)
    if (this.#stopped.has(index)) this.#wrong(at, `block ${index} stops again`)
    this.#stopped.add(index)
    const text = this.#inputs.get(index) ?? ''
    const block = this.#blocks.get(index)
    if (text === '' || block?.toolUse === undefined) return
    const input = parseJson(text)
    if (input === undefined) this.problems.push({ at: `block ${index}`, text: 'the arguments are not JSON' })
    block.toolUse = { ...membersOf(block.toolUse), input: input ?? text }
  }
}

/** Signatures are the last one that came. */
function readReasoningDelta(block: Members, { text, signature, redactedContent }: Members): void {
  const before = membersOf(block.reasoningContent)
  if (typeof redactedContent === 'string') {
    block.reasoningContent = { redactedContent }
    return
  }
  const reasoning = membersOf(before.reasoningText)
  block.reasoningContent = {
    reasoningText: {
      ...reasoning,
      text: `${textOf(reasoning.text) ?? ''}${textOf(text) ?? ''}`,
      ...(typeof signature === 'string' ? { signature } : {}),
    },
  }
}
