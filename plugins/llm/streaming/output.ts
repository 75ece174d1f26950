/** Writes events to a stream, and counts what was written. */
import type { BodyStream } from 'svc/plugin'
import type { StreamEvent } from '../contract/stream.ts'
import type { Framer } from './framing.ts'
import { tokensOf } from './tokens-of.ts'

/** What was written of a stream. */
export interface Written {
  events: number
  tokens: number
  /** When the first token was written; null: none was. */
  firstTokenAt: number | null
}

export interface StreamOutput {
  readonly written: Readonly<Written>
  /** False: wait for `ready` before adding more. */
  readonly isWritable: boolean
  /** Adds what precedes all events. */
  begin(): void
  add(event: StreamEvent): void
  /** Adds an event that is not counted; `isBroken` truncates its data. */
  addExtra(event: StreamEvent, isBroken: boolean): void
  /** Writes what was added, since the next event has to wait. */
  flush(): void
  /** Writes everything that was added, since no event follows; resolves when it is written. */
  writeAll(): Promise<void>
  /** Resolves when all that was added is written and more can be added, or the stream has ended. */
  ready(): Promise<void>
  /** Ends the stream; `isWhole`: after what follows all events. */
  end(isWhole: boolean): void
}

/** Number of characters to buffer before a write, if no event has to wait. */
const BATCH_LENGTH = 12_288

/** Writes events as they are, several at once if none has to wait. */
export class PlainOutput implements StreamOutput {
  readonly written: Written = { events: 0, tokens: 0, firstTokenAt: null }
  isWritable = true
  readonly #stream: BodyStream
  readonly #framer: Framer
  readonly #now: () => number
  /** Buffered text, so that one turn of the event loop needs only one write. */
  #text = ''
  /** Events and tokens in the buffer or written. */
  #events = 0
  #tokens = 0
  #isFirst = true

  constructor(stream: BodyStream, framer: Framer, now: () => number) {
    this.#stream = stream
    this.#framer = framer
    this.#now = now
  }

  begin(): void {
    this.#add(this.#framer.head)
  }

  add(event: StreamEvent): void {
    this.#events += 1
    this.#tokens += tokensOf(event)
    this.#add(this.#framer.frame(event, this.#isFirst))
    this.#isFirst = false
  }

  addExtra(event: StreamEvent, isBroken: boolean): void {
    const { frame, broken } = this.#framer
    this.#add((isBroken ? broken : frame)(event, this.#isFirst))
  }

  flush(): void {
    if (this.#text === '' || this.#stream.closed) return
    this.isWritable = this.#stream.write(this.#text)
    this.#text = ''
    this.#count()
  }

  writeAll(): Promise<void> {
    this.flush()
    return this.ready()
  }

  async ready(): Promise<void> {
    this.isWritable = true
    await this.#stream.ready()
  }

  end(isWhole: boolean): void {
    if (isWhole) this.#add(this.#framer.tail)
    if (!this.#stream.closed) this.#count()
    this.#stream.end(this.#text)
  }

  #add(chunk: string | Buffer): void {
    if (typeof chunk === 'string') {
      this.#text += chunk
      if (this.#text.length >= BATCH_LENGTH) this.flush()
      return
    }
    this.flush()
    if (this.#stream.closed) return
    this.isWritable = this.#stream.write(chunk)
    this.#count()
  }

  /** All that was added is written. */
  #count(): void {
    const { written } = this
    written.events = this.#events
    written.tokens = this.#tokens
    if (written.firstTokenAt === null && this.#tokens > 0) written.firstTokenAt = this.#now()
  }
}
