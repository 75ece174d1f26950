/** Owns the one writer of event streams (WHATWG HTML, 9.2 "Server-sent events"): heartbeats and last words. */
import type { SseEvent, SseOptions, SseStream } from '../../contract/plugin.ts'
import { openStream, ResponseStream, type StreamOpening } from './body-stream.ts'
import { formatComment, formatEvent, isBetweenEvents, separatorAfter } from './sse-format.ts'
import type { ForcedEnd } from './stream-registry.ts'

/** Headers of every event stream; a caller's own win. */
const SSE_HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache',
  // Reverse proxies that collect a response before passing it on let this one through as it comes.
  'X-Accel-Buffering': 'no',
}

/** Comments that tell why a stream ends although its producer had more. */
export const LAST_WORDS: Record<ForcedEnd, string | null> = {
  plan: 'svc plan stream lifetime reached',
  reload: 'svc reloaded',
  lifetime: null,
  stop: null,
}

/** Starts an event stream. Null: `admit` refused and has answered. Throws what Node throws at invalid headers. */
export function openSse(opening: StreamOpening<SseOptions>): SseStream | null {
  return openStream(opening, SSE_HEADERS, EventStream)
}

/** Characters at the end of the stream that say where in an event it stands: at most two line ends of two. */
const TAIL_LENGTH = 4

class EventStream extends ResponseStream implements SseStream {
  override readonly kind = 'sse'
  readonly #heartbeat: string
  readonly #heartbeatMs: number
  /** On the registry's clock. */
  #lastWriteAt: number
  /** The last characters of raw writes; empty after a whole event. */
  #tail = ''

  constructor(opening: StreamOpening<SseOptions>) {
    super(opening)
    this.#heartbeat = formatComment(opening.options?.heartbeatText ?? 'heartbeat')
    this.#heartbeatMs = opening.options?.heartbeatMs || Infinity
    this.#lastWriteAt = this.registry.now()
  }

  send(event: SseEvent): boolean {
    return this.#writeWhole(formatEvent(event))
  }

  comment(text: string): boolean {
    return this.#writeWhole(formatComment(text))
  }

  /** Bytes of an event stream that somebody else has formatted. They may stop within an event. */
  override write(chunk: string | Buffer): boolean {
    const end =
      typeof chunk === 'string'
        ? chunk.slice(-TAIL_LENGTH)
        : chunk.toString('latin1', Math.max(0, chunk.length - TAIL_LENGTH))
    this.#tail = (this.#tail + end).slice(-TAIL_LENGTH)
    this.#lastWriteAt = this.registry.now()
    return super.write(chunk)
  }

  #writeWhole(text: string): boolean {
    this.#tail = ''
    this.#lastWriteAt = this.registry.now()
    return super.write(text)
  }

  protected override nextDeadline(): number {
    return Math.min(super.nextDeadline(), this.#lastWriteAt + this.#heartbeatMs)
  }

  /** A heartbeat in the middle of an event would end that event; one behind a client that reads nothing helps nobody. */
  protected override onQuietDeadline(now: number): void {
    if (now < this.#lastWriteAt + this.#heartbeatMs) return
    if (isBetweenEvents(this.#tail) && !this.isFull) super.write(this.#heartbeat)
    this.#lastWriteAt = now
  }

  protected override lastWords(reason: ForcedEnd): string {
    const text = LAST_WORDS[reason]
    return text === null ? '' : separatorAfter(this.#tail) + formatComment(text)
  }
}
