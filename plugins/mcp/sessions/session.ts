/** Owns what a session has in this process: its requests in flight, questions and streams. */
import type { SseStream } from 'svc/plugin'
import { MAX_PENDING_BYTES, MAX_REQUESTS_IN_FLIGHT } from '../bounds.ts'
import { CODES, RpcError } from '../errors.ts'
import { errorText, notificationText, type RequestId, type RpcResponse } from '../protocol/json-rpc.ts'
import type { ClientCapabilities } from '../protocol/questions.ts'
import type { JsonObject } from '../types.ts'
import { legacyVersion, OLDEST, type Version } from '../protocol/versions.ts'
import type { KeptMessage } from './kept-messages.ts'
import { PendingQuestions } from './pending-questions.ts'
import type { SessionRecord } from './session-record.ts'
import { sendMessage, SessionStream } from './session-stream.ts'

const LOST = 'The replica that worked on this request is gone'

/** What sessions need of the replica. */
export interface SessionHost {
  /** Name of this replica. */
  readonly replica: string
  readonly questionMs: number
  /** Reserves bytes for a request in flight; false if too many are in flight. */
  reserve(bytes: number): boolean
  release(bytes: number): void
  /** The id of the question with this number in its session. */
  questionId(count: number): string
  /** Marks the session as used. */
  touch(session: Session): void
  /** Returns the number of a new stream; undefined if the session has ended. */
  numberStream(id: string): Promise<number | undefined>
  keep(id: string, message: KeptMessage): void
  /** Calls `on` with the kept messages of the session, then with new ones. Returns a function that stops. */
  follow(id: string, on: (message: KeptMessage) => void, ended: () => void): () => void
  /** Sends a message on the HTTP+SSE stream of another replica. */
  forward(replica: string, id: string, text: string): void
}

/** A request in flight. */
export interface InFlight {
  readonly id: RequestId
  /** Bytes of the request body. */
  readonly bytes: number
  readonly signal: AbortSignal
  cancel(): void
}

/** What a replica knows about a stream. */
export interface StreamStatus {
  /** Whether a client receives the stream from this replica. */
  isConnected: boolean
  /** Position of the newest message, if this replica writes the stream. */
  position: number | null
}

export class Session {
  readonly id: string
  /** The newest known data. */
  record: SessionRecord
  /** Whether a request used the session since the last sweep. */
  isRecent = true
  readonly #host: SessionHost
  /** Streams that this replica writes. */
  readonly #streams = new Set<SessionStream>()
  /** Connections that resumed a stream, by its number. */
  readonly #resumed = new Map<number, SseStream>()
  /** A set, because a client may use an id twice. */
  readonly #inFlight = new Set<InFlight>()
  #questions: PendingQuestions | null = null
  #openStreams = 0
  #standalone: SessionStream | null = null
  #httpSse: SseStream | null = null
  #hasEnded = false
  readonly #whenEnded = new Set<() => void>()

  constructor(id: string, record: SessionRecord, host: SessionHost) {
    this.id = id
    this.record = record
    this.#host = host
  }

  get version(): Version {
    return legacyVersion(this.record.version) ?? OLDEST
  }

  get clientCapabilities(): ClientCapabilities {
    return new Set(this.record.capabilities)
  }

  /** Created on first access, because few sessions use it. */
  get questions(): PendingQuestions {
    this.#questions ??= new PendingQuestions(this.#host.questionMs, count => this.#host.questionId(count))
    return this.#questions
  }

  /** Whether the session has open streams or requests in flight. */
  get isBusy(): boolean {
    return this.#openStreams > 0 || this.#inFlight.size > 0
  }

  /** Whether the session has anything that exists only here. Ids of questions must not be used again. */
  get isLocal(): boolean {
    return this.isBusy || this.#standalone !== null || this.#questions !== null || this.#whenEnded.size > 0
  }

  /** Calls `callback` when the session ends, or this process no longer serves it. Returns a function that removes it. */
  whenEnded(callback: () => void): () => void {
    if (this.#hasEnded) callback()
    else this.#whenEnded.add(callback)
    return () => this.#whenEnded.delete(callback)
  }

  subscribesTo(uri: string): boolean {
    return this.record.subscriptions.includes(uri)
  }

  // ------------------------------------------------------------------------------------------------------- streams

  /** A stream for the messages of one call. */
  newStream(call: RequestId | null = null): SessionStream {
    for (const stream of this.#streams) if (stream.isComplete) this.#streams.delete(stream)
    const keep = (message: KeptMessage): void => this.#host.keep(this.id, message)
    const stream = new SessionStream(this.#host.numberStream(this.id), keep, call)
    this.#streams.add(stream)
    return stream
  }

  /** A stream for GET; undefined if one is already connected. */
  newStandalone(): SessionStream | undefined {
    if (!this.releaseStandalone()) return undefined
    this.#standalone = this.newStream()
    return this.#standalone
  }

  /** Completes the stream for GET unless it is connected; then false. */
  releaseStandalone(): boolean {
    const stream = this.#standalone
    if (stream === null) return true
    if (stream.isConnected || this.#isResumed(stream.number)) return false
    stream.complete()
    this.#standalone = null
    return true
  }

  statusOf(number: number): StreamStatus {
    const stream = [...this.#streams].find(one => one.number === number && !one.isComplete)
    return {
      isConnected: stream?.isConnected === true || this.#isResumed(number),
      position: stream?.position ?? null,
    }
  }

  /** Sends the messages of a stream after `position`, then new ones until the stream is complete. */
  resume(connection: SseStream, number: number, position: number): void {
    this.#resumed.set(number, connection)
    const stop = this.#host.follow(
      this.id,
      message => {
        if (message.stream !== number) return
        if (message.text !== null && message.position > position)
          sendMessage(connection, number, message.position, message.text, message.isLast)
        if (message.isLast) connection.end()
      },
      () => connection.end(),
    )
    void connection.over.then(() => {
      stop()
      if (this.#resumed.get(number) === connection) this.#resumed.delete(number)
    })
  }

  /** Ends the stream of a call whose replica is gone, with an error after its last message. */
  endLost({ stream, position, call }: KeptMessage): void {
    const text = errorText(call ?? null, new RpcError(CODES.internal, LOST, { data: { retry: true } }))
    this.#host.keep(this.id, { stream, position: position + 1, text, isLast: true })
  }

  /** Counts an open connection of the session. */
  trackConnection(connection: SseStream): void {
    this.#openStreams++
    void connection.over.then(() => {
      this.#openStreams--
      if (!this.#hasEnded) this.#host.touch(this)
    })
  }

  attachHttpSse(connection: SseStream): void {
    this.#httpSse = connection
    void connection.over.then(() => {
      this.#httpSse = null
    })
  }

  /** Sends a message on the stream of the HTTP+SSE transport, which another replica may have. */
  writeHttpSse(text: string): void {
    const { replica } = this.record
    if (replica !== this.#host.replica) return this.#host.forward(replica, this.id, text)
    this.#httpSse?.send({ event: 'message', data: text })
    if (this.#httpSse && this.#httpSse.pendingBytes > MAX_PENDING_BYTES) this.#httpSse.end()
  }

  /** Handles a client's response to a question. */
  answer(response: RpcResponse): void {
    this.#questions?.answer(response)
  }

  /** Sends a message that belongs to no call; dropped if this replica has no stream for it. */
  push(method: string, params?: JsonObject): void {
    const text = notificationText(method, params)
    if (this.#httpSse) this.writeHttpSse(text)
    else this.#standalone?.write(text)
  }

  #isResumed(number: number | null): boolean {
    const connection = number === null ? undefined : this.#resumed.get(number)
    return connection !== undefined && !connection.closed
  }

  // ------------------------------------------------------------------------------------------------------ requests

  /** Registers a request with a body of `bytes`. Throws -32603 if too many requests or bytes are in flight. */
  begin(id: RequestId, bytes: number, onCancel: () => void): InFlight {
    if (this.#inFlight.size >= MAX_REQUESTS_IN_FLIGHT)
      throw new RpcError(CODES.internal, `Too many requests in flight (at most ${MAX_REQUESTS_IN_FLIGHT})`)
    if (!this.#host.reserve(bytes)) throw new RpcError(CODES.internal, 'Too many bytes in flight')
    let controller: AbortController | undefined
    let isCancelled = false
    const inFlight: InFlight = {
      id,
      bytes,
      // Created on first access, because most tools do not use it.
      get signal() {
        controller ??= new AbortController()
        if (isCancelled) controller.abort()
        return controller.signal
      },
      cancel() {
        isCancelled = true
        controller?.abort()
        onCancel()
      },
    }
    this.#inFlight.add(inFlight)
    return inFlight
  }

  finish(inFlight: InFlight): void {
    if (this.#inFlight.delete(inFlight)) this.#host.release(inFlight.bytes)
  }

  /** Handles `notifications/cancelled`; unknown ids are ignored. */
  cancel(id: unknown): void {
    for (const inFlight of this.#inFlight) if (inFlight.id === id) inFlight.cancel()
  }

  /** Closes the streams and aborts requests in flight. Repeated calls have no effect. */
  end(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    for (const inFlight of this.#inFlight) inFlight.cancel()
    for (const stream of this.#streams) stream.abandon()
    for (const connection of this.#resumed.values()) connection.end()
    this.#httpSse?.end()
    this.#streams.clear()
    for (const callback of this.#whenEnded) callback()
    this.#whenEnded.clear()
  }
}
