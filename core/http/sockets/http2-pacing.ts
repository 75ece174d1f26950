/**
 * Starts the requests of an HTTP/2 connection when it can take more. A client that reads nothing could otherwise have any
 * number of responses made in advance, which its connection holds even after their streams are reset.
 */
import type { ServerHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'
import { unwrittenBytes } from '../node-internals/write-queue.ts'
import { transportOf } from './transport.ts'

/** Requests that start in one turn of the event loop: bytes that they send are seen in later turns. */
const STARTS_PER_TURN = 8
/** No request starts while the kernel has not taken more bytes than this of the connection. */
const MAX_UNWRITTEN_BYTES = 256 * 1024
const CHECK_MS = 5
/** More requests than this wait only for a client that resets streams as fast as it opens them (CVE-2023-44487). */
const MANY_WAITING = 256

interface Waiting {
  start(): void
  /** Whether its stream was reset meanwhile. */
  isOver(): boolean
}

export class RequestPacer {
  readonly #session: ServerHttp2Session
  readonly #socket: Socket
  #waiting: Waiting[] = []
  #started = 0
  #isTurnWatched = false

  constructor(session: ServerHttp2Session) {
    this.#session = session
    this.#socket = session.socket as Socket
  }

  /**
   * Starts a request, now or when its turn comes. One whose connection closes before is dropped; where many wait, one whose stream
   * was reset, too.
   */
  start(request: Waiting): void {
    if (this.#waiting.length > 0 || !this.#mayStart()) {
      if (this.#waiting.length >= MANY_WAITING) this.#waiting = this.#waiting.filter(waiting => !waiting.isOver())
      this.#waiting.push(request)
      return
    }
    this.#started++
    request.start()
  }

  #mayStart(): boolean {
    if (!this.#isTurnWatched) {
      this.#isTurnWatched = true
      setImmediate(() => this.#onTurn())
    }
    return this.#started < STARTS_PER_TURN && unwrittenBytes(transportOf(this.#socket)) <= MAX_UNWRITTEN_BYTES
  }

  /** A connection waits for one turn at most: the next one is planned here. */
  #onTurn(): void {
    this.#started = 0
    if (this.#session.destroyed) this.#waiting.length = 0
    while (this.#waiting.length > 0 && this.#mayStart()) {
      this.#started++
      this.#waiting.shift()!.start()
    }
    this.#isTurnWatched = this.#waiting.length > 0 || this.#started > 0
    if (!this.#isTurnWatched) return
    if (this.#started > 0) setImmediate(() => this.#onTurn())
    // The connection is full: it takes some time until the client has read.
    else setTimeout(() => this.#onTurn(), CHECK_MS)
  }
}
