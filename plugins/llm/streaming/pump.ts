/** Writes the events of a streamed reply at its speed, and breaks the stream if a fault requests it. */
import { setTimeout as wait } from 'node:timers/promises'
import { Pacer, type BodyStream, type StreamEnd } from 'svc/plugin'
import type { StreamBreak } from '../headers/faults.ts'
import type { StreamOutput, Written } from './output.ts'
import type { StreamEnding, StreamEvent } from '../contract/stream.ts'
import type { Sleeper, TokenClock } from './token-clock.ts'
import { tokensOf } from './tokens-of.ts'

export interface BreakPoint {
  what: StreamBreak
  afterTokens: number
  /** The stream has no more tokens: it breaks before its final events. */
  isLast: boolean
}

export interface PumpOptions {
  output: StreamOutput
  clock: TokenClock
  ttftMs: number
  /** Milliseconds before the next token. */
  nextGap: () => number
  /** A stream with fewer tokens completes. */
  break?: BreakPoint | undefined
  /** The error event of the format. */
  errorEvent: (replaced: StreamEvent) => StreamEvent
  /** Destroys the connection. */
  destroy: () => void
  /** Receives errors thrown by `events`. Nothing more is written after that. */
  fail: (error: unknown) => void
  /** What ends the stream before its last event. */
  ending?: StreamEnding | undefined
  /** How long a stalled stream stays open. */
  stallMs: number
  /** Called once when the stream has ended, on either side. Must not throw. */
  ended: (outcome: StreamOutcome) => void
}

/** How a stream ended, and what was written of it. */
export interface StreamOutcome extends Written {
  /** All events were written. */
  isWhole: boolean
  /** What ended the stream early. */
  by: 'client' | 'fault' | 'server' | null
}

/** Events due within this time are written immediately. */
const earlyMs = 0.5
/**
 * A stream that is at most this late catches up. A later one continues without catching up: an overloaded server then
 * slows all streams a little, instead of delaying the first token of new ones.
 */
const lateMs = 10

/** Events between two looks at how long the stream has kept other requests waiting. */
const EVENTS_PER_LOOK = 64

/** Writes until the stream ends, on either side. Never throws. */
export function pump(stream: BodyStream, events: Iterable<StreamEvent>, options: PumpOptions): void {
  new Pump(stream, events, options).begin()
}

/** The clock calls it directly: a promise per token would cost as much as generating the token. */
class Pump implements Sleeper {
  readonly #stream: BodyStream
  readonly #events: Iterator<StreamEvent>
  readonly #options: PumpOptions
  readonly #output: StreamOutput
  /** The event that waits, and its due time. */
  #pending: StreamEvent | null = null
  #dueAt = 0
  /** Cached clock value: reading the clock takes measurable time, and a stream without pauses doesn't need it. */
  #now = 0
  #tokens = 0
  /** Events since the stream has slept, and the time since then, if they are many. */
  #added = 0
  #pacer: Pacer | null = null
  #isBroken = false
  #hasFailed = false
  #hasEndedEarly = false

  constructor(stream: BodyStream, events: Iterable<StreamEvent>, options: PumpOptions) {
    this.#stream = stream
    this.#events = events[Symbol.iterator]()
    this.#options = options
    this.#output = options.output
  }

  begin(): void {
    this.#options.clock.begin()
    const remove = this.#options.ending?.(() => this.#endEarly())
    void this.#stream.over.then(reason => {
      remove?.()
      this.#options.ended(this.#outcome(reason))
    })
    this.#output.begin()
    this.#run()
  }

  /** Called when the pending event is due, or earlier if it was too far ahead for the clock. */
  wake(): void {
    this.#added = 0
    this.#pacer = null
    this.#now = this.#options.clock.now()
    if (this.#now < this.#dueAt && !this.#stream.closed && !this.#hasEndedEarly) return this.#sleep()
    if (this.#now - this.#dueAt > lateMs) this.#dueAt = this.#now
    this.#run()
  }

  #run(): void {
    try {
      let event = this.#pending
      this.#pending = null
      while (!this.#stream.closed && !this.#hasEndedEarly && (event ??= this.#next()) !== null) {
        this.#output.add(event)
        event = null
        if (this.#isLong()) return void this.#pause().then(() => this.#run())
        if (!this.#output.isWritable) return void this.#output.ready().then(() => this.#run())
      }
      if (this.#stream.closed || this.#hasEndedEarly) this.#events.return?.()
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Whether the stream has kept other requests waiting for long enough: a fast reader would never make it wait. */
  #isLong(): boolean {
    if (++this.#added % EVENTS_PER_LOOK !== 0) return false
    this.#pacer ??= new Pacer()
    return this.#pacer.isDue
  }

  async #pause(): Promise<void> {
    await this.#pacer!.pause()
    if (!this.#output.isWritable) await this.#output.ready()
  }

  /** A client has cancelled the reply. */
  #endEarly(): void {
    if (this.#stream.closed || this.#isBroken || this.#hasEndedEarly) return
    this.#hasEndedEarly = true
    this.#pending = null
    this.#output.end(true)
  }

  #fail(error: unknown): void {
    this.#hasFailed = true
    this.#options.fail(error)
  }

  /** The next event to write now; null if it has to wait, or if the stream has ended or broken. */
  #next(): StreamEvent | null {
    const { value: event, done } = this.#events.next()
    if (done === true) return this.#finish()
    const tokens = tokensOf(event)
    if (this.#breaksBefore(tokens)) return this.#break(event)
    if (event.dueAt !== undefined) {
      if (this.#isDue(event.dueAt, tokens)) return event
    } else if (tokens === 0 || this.#advance(tokens)) return event
    this.#pending = event
    this.#output.flush()
    this.#sleep()
    return null
  }

  /** Advances the due time by a number of tokens; returns whether it has been reached. */
  #advance(tokens: number): boolean {
    const { ttftMs, nextGap } = this.#options
    // The first token waits only for the TTFT. Later due times add up, so that late timers don't slow the stream.
    if (this.#tokens === 0) this.#dueAt = (this.#now = this.#options.clock.now()) + ttftMs
    else for (let token = 0; token < tokens; token++) this.#dueAt += nextGap()
    this.#tokens += tokens
    return this.#dueAt - this.#now <= earlyMs || this.#dueAt - (this.#now = this.#options.clock.now()) <= earlyMs
  }

  /** Whether a time of the wall clock has been reached. */
  #isDue(at: number, tokens: number): boolean {
    this.#tokens += tokens
    this.#now = this.#options.clock.now()
    this.#dueAt = this.#now + at - Date.now()
    return this.#dueAt - this.#now <= earlyMs
  }

  #sleep(): void {
    this.#options.clock.at(this.#dueAt, this, this.#now)
  }

  #outcome(reason: StreamEnd): StreamOutcome {
    const isWhole = reason === 'done' && !this.#isBroken && !this.#hasEndedEarly
    const ended = this.#hasFailed || (reason !== 'client' && !this.#hasEndedEarly) ? 'server' : 'client'
    return {
      isWhole,
      by: isWhole ? null : this.#isBroken ? 'fault' : ended,
      ...this.#output.written,
    }
  }

  #finish(): null {
    // The break comes after the last token.
    if (this.#options.break !== undefined && this.#tokens >= this.#options.break.afterTokens)
      return this.#break({ data: {} })
    this.#output.end(true)
    return null
  }

  /** Whether the break comes before an event with this number of tokens. */
  #breaksBefore(tokens: number): boolean {
    const point = this.#options.break
    return point !== undefined && this.#tokens >= point.afterTokens && (tokens > 0 || point.isLast)
  }

  #break(event: StreamEvent): null {
    this.#isBroken = true
    this.#breakOff(event).catch((error: unknown) => this.#fail(error))
    return null
  }

  async #breakOff(event: StreamEvent): Promise<void> {
    const { errorEvent, stallMs, destroy, break: broken } = this.#options
    const stream = this.#stream
    const output = this.#output
    const what = broken?.what
    if (what === 'stream_error') output.addExtra(errorEvent(event), false)
    if (what === 'malformed') output.addExtra(event, true)
    if (what !== 'disconnect' && what !== 'stall') return output.end(what === 'stream_error')
    // Writes first: the client must receive the tokens before the connection breaks.
    await output.writeAll()
    // Ends early if the client disconnects.
    if (what === 'stall') await wait(stallMs, undefined, { signal: stream.signal }).catch(() => {})
    await new Promise(resolve => setImmediate(resolve))
    destroy()
  }
}
