/** One side of a stream, the request or the response: its messages so far, and how its body is changed. */
import type { KeptBody } from './bodies/kept-body.ts'
import { answerOf, type Modes, piecesOf, unchangedPiece } from './grpc/answer.ts'
import type { HttpBody, ProcessingResponse } from './grpc/messages.ts'
import { headerOf, type BodyChange, type Changes, type Immediate, type Message, type Plan } from './plan.ts'
import { type BodyMode, isBuffered, isDuplex, type Phase, type Side } from './phase.ts'
import { StreamError } from './stream-error.ts'

const FAILED_PRECONDITION = 9
const NOTHING = Buffer.alloc(0)

/** Answers to one message; `changes` is what they do, for the record. */
export interface Answers {
  messages: ProcessingResponse[]
  changes: Changes | Immediate | null
}

export class StreamSide {
  readonly phases: Phase[] = []
  rawHeaders: string[] = []
  hasMore = true
  /** Of its body, as the gateway says; null if it does not. */
  mode: BodyMode | null = null
  /** The gateway was asked to send the whole body. */
  #isAsked = false
  #change: BodyChange | null = null
  #plan: Plan | null = null
  #isDone = false
  #answered = 0
  /** Headers whose answer waits for the body. */
  #waiting: Changes | null = null
  readonly #side: Side
  readonly #kept: KeptBody

  constructor(side: Side, kept: KeptBody) {
    this.#side = side
    this.#kept = kept
  }

  /** Decides how the body is changed; returns what the answer to the headers must ask for. */
  plan(plan: Plan, message: Message): Changes['mode'] {
    if (this.#plan === plan) return undefined
    this.#plan = plan
    this.#change = plan.body?.(message) ?? null
    const change = this.#change
    if (change === null || change.kind === 'late head' || !this.hasMore) return undefined
    const isSent =
      change.kind === 'pieces'
        ? this.mode !== null && this.mode !== 'NONE'
        : isBuffered(this.mode) || isDuplex(this.mode)
    if (isSent) return undefined
    this.#isAsked = true
    return this.#side === 'request' ? { requestBody: 'BUFFERED' } : { responseBody: 'BUFFERED' }
  }

  /** Whether the answer to the headers waits for the body. */
  waits(changes: Changes): boolean {
    const change = this.#change
    if (change?.kind !== 'whole' || !change.ofHead || !this.hasMore || this.mode !== 'FULL_DUPLEX_STREAMED')
      return false
    this.#waiting = changes
    return true
  }

  /** A body that was requested and did not come. */
  get missing(): boolean {
    return this.#isAsked && this.hasMore && !this.phases.includes(`${this.#side}_body`)
  }

  async body(given: HttpBody, message: Message, modes: Modes): Promise<Answers> {
    const phase: Phase = `${this.#side}_body`
    const mode = this.mode === 'NONE' && this.#isAsked ? 'BUFFERED' : this.mode
    const isLast = given.end_of_stream || isBuffered(mode)
    if (given.end_of_stream) this.hasMore = false
    const change = mode === 'GRPC' || this.#isDone ? null : this.#change
    this.#answered += given.body.length
    if (change === null || change.kind === 'late head') {
      if (isDuplex(mode))
        return { messages: [...this.#headers(modes), unchangedPiece(this.#side, given)], changes: null }
      if (change === null || !isBuffered(mode)) return { messages: [answerOf(phase, UNCHANGED, modes)], changes: null }
      const changes: Changes = { kind: 'changes', head: change.head(), reason: 'tagged' }
      return { messages: [answerOf(phase, changes, modes)], changes }
    }
    if (change.kind === 'pieces') {
      const body = change.pieces.push(given.body, isLast)
      if (isLast) this.#isDone = true
      const isSame = body.equals(given.body)
      const changes: Changes | null = isSame ? null : { kind: 'changes', reason: 'the body is changed' }
      const messages = isDuplex(mode)
        ? piecesOf(this.#side, body, given.end_of_stream)
        : [isSame ? answerOf(phase, UNCHANGED, modes) : this.#replaced(phase, UNCHANGED, { body, mode, modes })]
      return { messages, changes }
    }
    if (this.#side === 'response') this.#kept.add(given.body)
    if (this.#kept.isCut) return this.#giveUp(given, mode, modes)
    if (isLast) return this.#whole(change, { phase, mode, modes, received: given.body })
    return { messages: isDuplex(mode) ? [] : [answerOf(phase, UNCHANGED, modes, NOTHING)], changes: null }
  }

  /** What is left of the body when trailers follow it. Throws a `StreamError` if it can't be sent any more. */
  async endBody(modes: Modes): Promise<Answers> {
    this.hasMore = false
    const change = this.#change
    if (change === null || change.kind === 'late head' || this.#isDone || this.mode === 'GRPC')
      return { messages: this.#headers(modes), changes: null }
    if (this.mode !== 'FULL_DUPLEX_STREAMED') {
      const held = change.kind === 'pieces' ? change.pieces.held : this.#kept.bytes().length
      if (held > 0 && this.#answered > 0)
        throw new StreamError(
          FAILED_PRECONDITION,
          `trailers follow while ${held} bytes of the body are held back: send it buffered, or in full-duplex mode`,
        )
      return { messages: [], changes: null }
    }
    if (change.kind === 'whole')
      return this.#whole(change, { phase: `${this.#side}_body`, mode: this.mode, modes, received: NOTHING })
    this.#isDone = true
    return { messages: piecesOf(this.#side, change.pieces.push(NOTHING, true), true), changes: null }
  }

  async #whole(
    change: Extract<BodyChange, { kind: 'whole' }>,
    { phase, mode, modes, received }: { phase: Phase; mode: BodyMode | null; modes: Modes; received: Buffer },
  ): Promise<Answers> {
    this.#isDone = true
    const original = this.#kept.bytes()
    const outcome = await change.change(original)
    if (outcome.kind === 'immediate') return { messages: [], changes: outcome }
    const { body, ...changes } = outcome
    if (mode === 'FULL_DUPLEX_STREAMED')
      return { messages: [...this.#headers(modes, changes), ...piecesOf(this.#side, body ?? original, true)], changes }
    // Headers were sent before the body, unless the body is a single message.
    const isLate = !isBuffered(mode) && this.#answered > received.length
    const sent = isLate ? withoutHead(changes, this.#side) : changes
    const replaced = body ?? (isLate ? original : undefined)
    const answer =
      replaced === undefined
        ? answerOf(phase, sent, modes)
        : this.#replaced(phase, sent, { body: replaced, mode, modes })
    return { messages: [answer], changes: sent }
  }

  /**
   * The answer with another body. Envoy removes the length of bodies that it streams, and refuses a buffered one whose length
   * differs from `content-length`.
   */
  #replaced(
    phase: Phase,
    changes: Changes,
    { body, mode, modes }: { body: Buffer; mode: BodyMode | null; modes: Modes },
  ): ProcessingResponse {
    if (!isBuffered(mode) || headerOf(this, 'content-length') === undefined)
      return answerOf(phase, changes, modes, body)
    const length: Changes = { kind: 'changes', head: { set: [['content-length', String(body.length)]] } }
    return answerOf(phase, merged(changes, length), modes, body)
  }

  /** A body that is too large to be kept goes on as it is. */
  #giveUp(given: HttpBody, mode: BodyMode | null, modes: Modes): Answers {
    this.#isDone = true
    const before = this.#kept.bytes()
    const body = isBuffered(mode) ? given.body : Buffer.concat([before, given.body])
    const changes: Changes = {
      kind: 'changes',
      leftOut: [`${this.#side}.body`],
      reason: 'the body is too large to be kept',
    }
    const messages =
      mode === 'FULL_DUPLEX_STREAMED'
        ? [...this.#headers(modes), ...piecesOf(this.#side, body, given.end_of_stream)]
        : [answerOf(`${this.#side}_body`, UNCHANGED, modes, isBuffered(mode) ? undefined : body)]
    return { messages, changes }
  }

  /** The answer to the headers that has waited. */
  #headers(modes: Modes, changes: Changes = UNCHANGED): ProcessingResponse[] {
    const waiting = this.#waiting
    this.#waiting = null
    if (waiting === null) return []
    return [answerOf(`${this.#side}_headers`, merged(waiting, changes), modes)]
  }
}

export const UNCHANGED: Changes = { kind: 'changes' }

/** Both changes; what the second says wins. */
export function merged(first: Changes, second: Changes): Changes {
  const { head: a = {}, leftOut: before = [] } = first
  const { head: b = {}, leftOut: after = [] } = second
  return {
    ...first,
    ...second,
    head: {
      set: [...(a.set ?? []), ...(b.set ?? [])],
      append: [...(a.append ?? []), ...(b.append ?? [])],
      remove: [...(a.remove ?? []), ...(b.remove ?? [])],
    },
    leftOut: [...before, ...after],
  }
}

function withoutHead({ head, clearsRouteCache: _cleared, ...changes }: Changes, side: Side): Changes {
  return head === undefined ? changes : { ...changes, leftOut: [...(changes.leftOut ?? []), `${side}.headers`] }
}
