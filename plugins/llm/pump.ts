/** Writes the events of one streamed reply at its pace, and breaks it where a fault says so. */
import type { BodyStream } from 'svc/plugin'
import type { StreamBreak } from './faults.ts'
import type { Framer } from './framing/framing.ts'
import type { StreamEvent } from './provider.ts'
import type { TokenClock } from './token-clock.ts'

export interface PumpOptions {
  framer: Framer
  clock: TokenClock
  ttftMs: number
  /** Milliseconds before the next token. */
  nextGap: () => number
  break?: { what: StreamBreak; afterTokens: number }
  /** The event that reports an error in the format's own words. */
  errorEvent: () => StreamEvent
  /** Destroys the connection. */
  destroy: () => void
  /** How long a stalled stream is held open. */
  stallMs: number
}

/** Bytes that are gathered before they are written, where nothing waits in between: what leaves in one plain write. */
const batchBytes = 12_288
/** What is due within this time is written at once. */
const earlyMs = 0.5
/**
 * By so much a stream may be behind and still catches up. One that is later goes on from there: a server with more tokens than
 * it can write slows all streams a little, instead of leaving those that begin without their first token.
 */
const lateMs = 10

/** Resolves when the stream is over, whoever ended it. */
export async function pump(stream: BodyStream, events: Iterable<StreamEvent>, options: PumpOptions): Promise<void> {
  const writer = new Writer(stream)
  const sleeper = new Sleeper(stream, options.clock)
  const { framer } = options
  writer.add(framer.head)
  let dueAt: number | undefined
  let now = 0
  let tokens = 0
  let isFirst = true
  for (const event of events) {
    const paced = event.paced === true ? 1 : event.paced || 0
    if (paced > 0) {
      if (options.break !== undefined && tokens >= options.break.afterTokens) return breakStream(writer, sleeper, event, isFirst, options)
      // The first token waits for the TTFT alone. Due times add up from there, so that late timers do not slow a stream.
      if (dueAt === undefined) dueAt = (now = performance.now()) + options.ttftMs
      else for (let i = 0; i < paced; i++) dueAt += options.nextGap()
      // Asking the clock is felt, and a stream without pauses need not.
      if (dueAt - now > earlyMs && dueAt - (now = performance.now()) > earlyMs) {
        writer.flush()
        await sleeper.until(dueAt)
        now = performance.now()
        if (now - dueAt > lateMs) dueAt = now
      }
      tokens += paced
    }
    writer.add(framer.frame(event, isFirst))
    isFirst = false
    if (writer.bytes >= batchBytes) {
      writer.flush()
      await stream.ready()
    }
    if (stream.closed) return
  }
  // A reply shorter than the count breaks at its end: the fault was asked for, so it comes.
  if (options.break !== undefined) return breakStream(writer, sleeper, { data: {} }, isFirst, options)
  writer.add(framer.tail)
  writer.end()
}

/** Gathers frames, so that a turn of the event loop costs one write. */
class Writer {
  readonly stream: BodyStream
  bytes = 0
  #text = ''

  constructor(stream: BodyStream) {
    this.stream = stream
  }

  add(chunk: string | Buffer): void {
    if (typeof chunk === 'string') this.#text += chunk
    else {
      this.flush()
      this.stream.write(chunk)
    }
    this.bytes += chunk.length
  }

  end(): void {
    this.stream.end(this.#text)
  }

  flush(): void {
    if (this.#text !== '') this.stream.write(this.#text)
    this.#text = ''
    this.bytes = 0
  }
}

async function breakStream(writer: Writer, sleeper: Sleeper, event: StreamEvent, isFirst: boolean, options: PumpOptions): Promise<void> {
  const { framer } = options
  const { stream } = writer
  const what = options.break?.what
  if (what === 'stream_error') writer.add(framer.frame(options.errorEvent(), isFirst))
  if (what === 'malformed') writer.add(framer.broken(event, isFirst))
  if (what === 'stream_error') writer.add(framer.tail)
  writer.flush()
  if (what === 'stall') await sleeper.until(performance.now() + options.stallMs)
  if (what !== 'disconnect' && what !== 'stall') return stream.end()
  // What was written leaves first: the client has to see the tokens before the connection breaks.
  await stream.ready()
  await new Promise((resolve) => setImmediate(resolve))
  options.destroy()
}

/** Sleeps, but not beyond the end of the stream. One listener for all its sleeps: streams come by the thousand. */
class Sleeper {
  readonly #stream: BodyStream
  readonly #clock: TokenClock
  #isListening = false
  #cancel = (): void => {}
  #wake = (): void => {}

  constructor(stream: BodyStream, clock: TokenClock) {
    this.#stream = stream
    this.#clock = clock
  }

  until(dueAt: number): Promise<void> {
    if (this.#stream.closed) return Promise.resolve()
    this.#listen()
    return new Promise((resolve) => {
      this.#wake = resolve
      this.#cancel = this.#clock.at(dueAt, resolve)
    })
  }

  /** A stream without pauses needs no signal, and making one is felt. */
  #listen(): void {
    if (this.#isListening) return
    this.#isListening = true
    this.#stream.signal.addEventListener('abort', () => {
      this.#cancel()
      this.#wake()
    }, { once: true })
  }
}
