/**
 * The unsent bytes of a response, and of what waits to be written to it. Most responses never have one: it is made when
 * bytes remain after a write.
 */
import { constants, type Http2ServerResponse, type Http2Session } from 'node:http2'
import type { Socket } from 'node:net'
import { transportOf } from '../sockets/transport.ts'
import { unwrittenBytes } from '../node-internals/write-queue.ts'
import type { RequestContext } from '../request/context.ts'
import type { UnsentBytes } from '../request/types.ts'
import { PATIENCE_MS, type UnsentMemory, type UnsentShare, type UnsentStream } from '../../limits/unsent-memory.ts'

/** Fewer bytes are those of an ordinary write: the high-water mark of a stream. */
const UNCOUNTED_BYTES = 16_384
/**
 * Writes to a full response after which its writer is one that never waits. Bytes alone do not tell: one message may exceed
 * every bound, and it is a few writes, since protocols write its head, its parts and its end apart. A writer can only look
 * whether to wait between messages.
 */
const MAX_WRITES_WHILE_FULL = 8

/** Call it after a write. Counts what remains unsent; ends the response if its writer never waits for the client. */
export function countUnsent(context: RequestContext): void {
  if (context.unsent === null) {
    if (context.response.writableLength <= UNCOUNTED_BYTES || context.unsentMemory === null || context.closed) return
    context.unsent = new UnsentResponse(context, context.unsentMemory)
  }
  context.unsent.countWrite()
}

/** Counts bytes that are not yet written to the response. Returns a function that no longer counts them. */
export function holdUnsent(context: RequestContext, bytes: number): () => void {
  if (context.unsentMemory === null || context.closed) return () => {}
  context.unsent ??= new UnsentResponse(context, context.unsentMemory)
  return context.unsent.hold(bytes)
}

export class UnsentResponse implements UnsentBytes, UnsentStream {
  readonly #context: RequestContext
  readonly #share: UnsentShare
  /** Bytes that plugins keep for the response. */
  #held = 0
  #released = 0
  #sent = 0
  #writesWhileFull = 0

  constructor(context: RequestContext, memory: UnsentMemory) {
    this.#context = context
    this.#share = memory.open(context.clientIp, this)
    context.response.on('drain', () => this.measure())
    context.whenClosed(() => this.#share.release())
  }

  /** Whether its writer never waits. */
  get isOverflowing(): boolean {
    return this.#share.isOverflowing && this.#writesWhileFull > MAX_WRITES_WHILE_FULL
  }

  countWrite(): void {
    this.#writesWhileFull = this.#share.isFull ? this.#writesWhileFull + 1 : 0
    this.measure()
  }

  hold(bytes: number): () => void {
    this.#held += bytes
    this.measure()
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#held -= bytes
      this.#released += bytes
      this.measure()
    }
  }

  measure(): void {
    const { response, bytesSent } = this.#context
    const unsent = response.writableLength
    const sent = bytesSent - unsent + this.#released
    const hasSent = sent > this.#sent
    if (hasSent) this.#sent = sent
    this.#share.set(unsent + this.#held, hasSent)
  }

  cutOff(): void {
    const { response, request } = this.#context
    this.#context.breakOff()
    // Whoever needs the memory may be waiting for it.
    this.#context.output?.release()
    if ('stream' in response) endStream(response)
    else request.socket.destroy()
  }
}

/** Resets the stream. What its connection has already taken from it is freed by ending the connection, if nobody reads it. */
function endStream({ stream }: Http2ServerResponse): void {
  const { session } = stream
  // gRPC clients report it as RESOURCE_EXHAUSTED.
  stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM)
  if (session !== undefined && !session.destroyed) endUnlessRead(session)
}

const watched = new WeakSet<Http2Session>()

/** Ends a connection if the client takes nothing of it for a while. */
function endUnlessRead(session: Http2Session): void {
  if (watched.has(session)) return
  watched.add(session)
  const socket = transportOf(session.socket as Socket)
  const sent = (): number => socket.bytesWritten - unwrittenBytes(socket)
  let before = sent()
  const timer = setInterval(() => {
    const now = sent()
    if (!session.destroyed && unwrittenBytes(socket) > 0 && now === before) session.destroy()
    if (session.destroyed || unwrittenBytes(socket) === 0) {
      clearInterval(timer)
      watched.delete(session)
    }
    before = now
  }, PATIENCE_MS)
  timer.unref()
}
