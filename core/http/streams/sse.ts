/** Writes event streams (WHATWG HTML, 9.2 "Server-sent events"), with heartbeats and closing comments. */
import type { SseEvent, SseOptions, SseStream } from '../../contract/plugin.ts'
import { openStream, ResponseStream, type StreamOpening } from './body-stream.ts'
import { formatComment, formatEvent, isBetweenEvents, separatorAfter } from '../response/sse-format.ts'
import type { ForcedEnd } from './stream-registry.ts'

/** Headers of every event stream; those of the caller take precedence. */
const SSE_HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache',
  // Tells reverse proxies that buffer responses to pass this one through.
  'X-Accel-Buffering': 'no',
}

/** Comments that say why a stream ends although its producer had more. */
export const CLOSING_COMMENTS: Record<ForcedEnd, string | null> = {
  plan: 'svc plan stream lifetime reached',
  reload: 'svc reloaded',
  lifetime: null,
  stop: null,
}

/**
 * Starts an event stream. Returns null if `admit` rejected it and sent a response. Throws Node's error for invalid
 * headers.
 */
export function openSse(opening: StreamOpening<SseOptions>): SseStream | null {
  return openStream(opening, SSE_HEADERS, EventStream)
}

/**
 * Number of trailing characters that determine the position within an event: at most two line ends of two characters.
 */
const TAIL_LENGTH = 4

class EventStream extends ResponseStream implements SseStream {
  override readonly kind = 'sse'
  readonly #heartbeat: string
  readonly #heartbeatMs: number
  /** On the clock of the registry. */
  #lastWriteAt: number
  /** The last characters of raw writes; empty after a complete event. */
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

  /** Writes preformatted bytes of an event stream. They may stop within an event. */
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

  /**
   * A heartbeat in the middle of an event would end that event, and one queued for a client that reads nothing is
   * useless.
   */
  protected override onQuietDeadline(now: number): void {
    if (now < this.#lastWriteAt + this.#heartbeatMs) return
    if (isBetweenEvents(this.#tail) && !this.isFull) super.write(this.#heartbeat)
    this.#lastWriteAt = now
  }

  protected override closingMessage(reason: ForcedEnd): string {
    const text = CLOSING_COMMENTS[reason]
    return text === null ? '' : separatorAfter(this.#tail) + formatComment(text)
  }
}
