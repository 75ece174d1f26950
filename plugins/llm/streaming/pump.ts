/** Writes the events of one streamed reply at its pace, and breaks it where a fault says so. */
import { setTimeout as wait } from 'node:timers/promises'
import type { BodyStream } from 'svc/plugin'
import type { StreamBreak } from '../exchange/faults.ts'
import type { Framer } from './framing.ts'
import type { StreamEvent } from '../provider.ts'
import type { Sleeper, TokenClock } from './token-clock.ts'

export interface BreakPoint {
  what: StreamBreak
  afterTokens: number
  /** The stream has no further tokens: what would end it does not come. */
  isLast: boolean
}

export interface PumpOptions {
  framer: Framer
  clock: TokenClock
  ttftMs: number
  /** Milliseconds before the next token. */
  nextGap: () => number
  /** A stream with fewer tokens ends whole. */
  break?: BreakPoint
  /** The event that reports an error in the format's own words. */
  errorEvent: () => StreamEvent
  /** Destroys the connection. */
  destroy: () => void
  /** Takes what `events` throws. Nothing more is written then. */
  fail: (error: unknown) => void
  /** How long a stalled stream is held open. */
  stallMs: number
}

/** Characters that are gathered before they are written, where nothing waits in between: what leaves in one plain write. */
const batchLength = 12_288
/** What is due within this time is written at once. */
const earlyMs = 0.5
/**
 * By so much a stream may be behind and still catches up. One that is later goes on from there: a server with more tokens than
 * it can write slows all streams a little, instead of leaving those that begin without their first token.
 */
const lateMs = 10

/** Writes until the stream is over, whoever ends it. Never throws. */
export function pump(stream: BodyStream, events: Iterable<StreamEvent>, options: PumpOptions): void {
  new Pump(stream, events, options).begin()
}

/** Waits in the clock as it is: a promise for every token would cost as much as making the token. */
class Pump implements Sleeper {
  readonly #stream: BodyStream
  readonly #events: Iterator<StreamEvent>
  readonly #options: PumpOptions
  /** What is gathered, so that a turn of the event loop costs one write. */
  #text = ''
  /** Whether the reader keeps up. */
  #hasRoom = true
  /** The event that waits for its time, and when that is. */
  #held: StreamEvent | null = null
  #dueAt = 0
  /** The clock as it was last looked at: looking is felt, and a stream without pauses need not. */
  #now = 0
  #tokens = 0
  #isFirst = true

  constructor(stream: BodyStream, events: Iterable<StreamEvent>, options: PumpOptions) {
    this.#stream = stream
    this.#events = events[Symbol.iterator]()
    this.#options = options
  }

  begin(): void {
    this.#options.clock.begin()
    this.#add(this.#options.framer.head)
    this.#run()
  }

  /** The time of the event that is held has come, or it is far away and is to be asked for again. */
  wake(): void {
    this.#now = this.#options.clock.now()
    if (this.#now < this.#dueAt && !this.#stream.closed) return this.#sleep()
    if (this.#now - this.#dueAt > lateMs) this.#dueAt = this.#now
    this.#run()
  }

  #run(): void {
    try {
      let event = this.#held
      this.#held = null
      while (!this.#stream.closed && (event ??= this.#next()) !== null) {
        this.#add(this.#options.framer.frame(event, this.#isFirst))
        this.#isFirst = false
        event = null
        if (this.#hasRoom) continue
        this.#hasRoom = true
        return void this.#stream.ready().then(() => this.#run())
      }
      if (this.#stream.closed) this.#events.return?.()
    } catch (error) {
      this.#options.fail(error)
    }
  }

  /** The next event that is to be written now; null: it waits, or there is none, which has been seen to. */
  #next(): StreamEvent | null {
    const { value: event, done } = this.#events.next()
    if (done === true) return this.#finish()
    const tokens = event.paced === true ? 1 : event.paced || 0
    if (this.#breaksBefore(tokens)) return this.#break(event)
    if (tokens === 0) return event
    if (this.#advance(tokens)) return event
    this.#held = event
    this.#flush()
    this.#sleep()
    return null
  }

  /** Moves the due time on by so many tokens; answers whether it has come. */
  #advance(tokens: number): boolean {
    const { ttftMs, nextGap } = this.#options
    // The first token waits for the TTFT alone. Due times add up from there, so that late timers do not slow a stream.
    if (this.#tokens === 0) this.#dueAt = (this.#now = this.#options.clock.now()) + ttftMs
    else for (let token = 0; token < tokens; token++) this.#dueAt += nextGap()
    this.#tokens += tokens
    return this.#dueAt - this.#now <= earlyMs || this.#dueAt - (this.#now = this.#options.clock.now()) <= earlyMs
  }

  #sleep(): void {
    this.#options.clock.at(this.#dueAt, this, this.#now)
  }

  #add(chunk: string | Buffer): void {
    if (typeof chunk === 'string') {
      this.#text += chunk
      if (this.#text.length >= batchLength) this.#flush()
    } else {
      this.#flush()
      this.#hasRoom = this.#stream.write(chunk)
    }
  }

  #flush(): void {
    if (this.#text === '') return
    this.#hasRoom = this.#stream.write(this.#text)
    this.#text = ''
  }

  #finish(): null {
    // Its last event had the last token.
    if (this.#options.break !== undefined && this.#tokens >= this.#options.break.afterTokens)
      return this.#break({ data: {} })
    this.#add(this.#options.framer.tail)
    this.#stream.end(this.#text)
    return null
  }

  /** Whether the break comes before an event of so many tokens. */
  #breaksBefore(tokens: number): boolean {
    const point = this.#options.break
    return point !== undefined && this.#tokens >= point.afterTokens && (tokens > 0 || point.isLast)
  }

  #break(event: StreamEvent): null {
    this.#breakOff(event).catch(this.#options.fail)
    return null
  }

  async #breakOff(event: StreamEvent): Promise<void> {
    const { framer, errorEvent, stallMs, destroy, break: broken } = this.#options
    const stream = this.#stream
    const what = broken?.what
    if (what === 'stream_error') this.#add(framer.frame(errorEvent(), this.#isFirst))
    if (what === 'malformed') this.#add(framer.broken(event, this.#isFirst))
    if (what === 'stream_error') this.#add(framer.tail)
    this.#flush()
    // Over before its time, the stream has no client any more.
    if (what === 'stall') await wait(stallMs, undefined, { signal: stream.signal }).catch(() => {})
    if (what !== 'disconnect' && what !== 'stall') return stream.end()
    // What was written leaves first: the client has to see the tokens before the connection breaks.
    await stream.ready()
    await new Promise(resolve => setImmediate(resolve))
    destroy()
  }
}
