/** Reads replies of Cohere's Chat v2, complete and streamed, and checks the grammar of streams. */
import { wireError } from '../errors.ts'
import { emptyReply, finishOf, unreadable } from '../neutral.ts'
import { readEvents } from '../sse.ts'
import type {
  Finish,
  GrammarProblem,
  Reply,
  StreamEvent,
  StreamReading,
  Usage,
  WireAnswer,
  WireError,
} from '../types.ts'
import { firstOf, member, membersOf, numberOf, parseJson, textOf, type Members } from '../values.ts'
import { readAssistant } from './read-request.ts'

export function readCohereReply({ body }: WireAnswer): Reply {
  const value = membersOf(parseJson(body.toString('utf8')))
  if (value.message === undefined) return unreadable('/message', 'no message')
  return readMessage(value)
}

function readMessage({ id, message, finish_reason, usage }: Members): Reply {
  const reply = emptyReply()
  const given = membersOf(message)
  reply.id = textOf(id)
  reply.parts = readAssistant(given, '/message', reply.problems)
  reply.finish = finishOf(FINISHES, finish_reason)
  reply.usage = readUsage(usage)
  reply.native = given
  return reply
}

const FINISHES: Readonly<Record<string, Finish>> = {
  COMPLETE: 'stop',
  STOP_SEQUENCE: 'stop_sequence',
  MAX_TOKENS: 'length',
  TOOL_CALL: 'calls',
  ERROR: 'filter',
  ERROR_TOXIC: 'filter',
}

/** The tokens themselves, not those that are billed. */
function readUsage(usage: unknown): Usage | null {
  if (usage === null || usage === undefined) return null
  const tokens = firstOf(member(usage, 'tokens'), member(usage, 'billed_units'))
  return {
    input: numberOf(member(tokens, 'input_tokens')),
    cached: numberOf(member(usage, 'cached_tokens')),
    write: null,
    write_1h: null,
    output: numberOf(member(tokens, 'output_tokens')),
    reasoning: null,
  }
}

export function readCohereStream(answer: WireAnswer): StreamReading {
  const events = readEvents(answer.body)
  const reader = new EventReader(answer)
  for (const [index, event] of events.entries()) {
    if (event.data === '[DONE]') continue
    reader.read(event, `event ${index}`)
    if (reader.error !== null) break
  }
  return { reply: reader.reply(), events, grammar: reader.grammarAtEnd(), error: reader.error, isEnded: reader.isEnded }
}

class EventReader {
  error: WireError | null = null
  isEnded = false
  readonly #answer: WireAnswer
  readonly #content: Members[] = []
  readonly #calls: Members[] = []
  readonly #grammar: GrammarProblem[] = []
  #plan = ''
  #id: unknown
  #hasStarted = false
  #delta: Members = {}

  constructor(answer: WireAnswer) {
    this.#answer = answer
  }

  read({ value }: StreamEvent, at: string): void {
    const type = textOf(member(value, 'type'))
    const delta = membersOf(member(value, 'delta'))
    if (type === null) {
      const message = textOf(member(value, 'message'))
      if (message === null) return this.#wrong(at, 'the data have no type')
      this.error = wireError(this.#answer, { message }, { isRaised: false })
      return
    }
    if (!this.#hasStarted && type !== 'message-start') this.#wrong(at, `${type} before message-start`)
    if (this.isEnded) this.#wrong(at, `${type} behind message-end`)
    const index = numberOf(member(value, 'index')) ?? 0
    const message = membersOf(delta.message)
    switch (type) {
      case 'message-start':
        if (this.#hasStarted) this.#wrong(at, 'message-start comes again')
        this.#hasStarted = true
        this.#id = member(value, 'id')
        return
      case 'content-start':
        this.#content[Math.min(index, this.#content.length)] = { ...membersOf(message.content) }
        return
      case 'content-delta':
        return this.#addContent(index, membersOf(message.content), at)
      case 'tool-plan-delta':
        this.#plan += textOf(message.tool_plan) ?? ''
        return
      case 'tool-call-start':
        this.#calls[Math.min(index, this.#calls.length)] = { ...membersOf(message.tool_calls) }
        return
      case 'tool-call-delta':
        return this.#addArguments(index, message.tool_calls, at)
      case 'message-end':
        return this.#end(delta)
      default:
        if (!/^(?:content|tool-call|citation)-(?:start|end)$|^debug$/.test(type))
          this.#wrong(at, `an event ${type}`, true)
    }
  }

  reply(): Reply {
    const message = {
      role: 'assistant',
      ...(this.#content.length === 0 ? {} : { content: this.#content }),
      ...(this.#plan === '' ? {} : { tool_plan: this.#plan }),
      ...(this.#calls.length === 0 ? {} : { tool_calls: this.#calls }),
    }
    const { finish_reason, usage } = this.#delta
    return this.#hasStarted ? readMessage({ id: this.#id, message, finish_reason, usage }) : emptyReply()
  }

  grammarAtEnd(): GrammarProblem[] {
    if (this.error !== null) return this.#grammar
    if (!this.#hasStarted) this.#wrong('the end', 'no message-start')
    if (!this.isEnded) this.#wrong('the end', 'no message-end')
    else if (this.#delta.usage === undefined) this.#wrong('the end', 'no usage')
    return this.#grammar
  }

  #wrong(at: string, text: string, isNote = false): void {
    this.#grammar.push({ at, text, isNote })
  }

  #addContent(index: number, delta: Members, at: string): void {
    const block = this.#content[index]
    if (block === undefined) return this.#wrong(at, `content ${index} did not start`)
    for (const name of ['text', 'thinking'] as const)
      if (typeof delta[name] === 'string') block[name] = `${textOf(block[name]) ?? ''}${delta[name]}`
  }

  #addArguments(index: number, delta: unknown, at: string): void {
    const call = this.#calls[index]
    if (call === undefined) return this.#wrong(at, `call ${index} did not start`)
    const called = membersOf(call.function)
    const added = textOf(member(delta, 'function', 'arguments')) ?? ''
    call.function = { ...called, arguments: `${textOf(called.arguments) ?? ''}${added}` }
  }

  /** A stream that failed has no reason to stop, though it ends in order. */
  #end(delta: Members): void {
    const error = textOf(delta.error)
    if (error !== null) {
      this.error = wireError(this.#answer, { type: delta.finish_reason, message: error })
      return
    }
    this.isEnded = true
    this.#delta = delta
  }
}
