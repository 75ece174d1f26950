/** Owns a session of a legacy revision: its parameters, requests in flight and streams. */
import { heldBytes, type SseStream } from 'svc/plugin'
import { MAX_PENDING_BYTES, MAX_REQUESTS_IN_FLIGHT, MAX_SUBSCRIPTIONS } from '../bounds.ts'
import { CODES, invalidParams, RpcError } from '../errors.ts'
import { notificationText, type RequestId } from '../calls/json-rpc.ts'
import type { ClientCapabilities } from '../calls/questions.ts'
import type { JsonObject, LogLevel } from '../types.ts'
import type { Version } from '../wire/versions.ts'
import { PendingQuestions } from './pending-questions.ts'
import type { ReplayLog } from './replay.ts'
import { SessionStream } from './session-stream.ts'

export type Transport = 'streamable-http' | 'http+sse'

/** The parameters that `initialize` sets. */
export interface SessionParameters {
  server: string
  transport: Transport
  version: Version
  clientCapabilities: ClientCapabilities
  /** `sub` of the credentials, null on open servers. */
  principal: string | null
}

/** Approximate memory of an empty session. */
const SESSION_BYTES = 2048

/** Counts the memory of all sessions. */
export interface SessionMemory {
  /** Reserves bytes for a session; false if they exceed the limit even after ending other sessions. */
  reserve(session: Session, bytes: number): boolean
  release(bytes: number): void
}

/** A request in flight. */
export interface InFlight {
  readonly id: RequestId
  /** Bytes of the request body. */
  readonly bytes: number
  readonly signal: AbortSignal
  cancel(): void
}

export class Session {
  readonly id: string
  readonly server: string
  readonly transport: Transport
  readonly principal: string | null
  version: Version
  clientCapabilities: ClientCapabilities
  /** Null until the client sets a level: no log messages. */
  logLevel: LogLevel | null = null
  /** Approximate memory, including subscriptions and requests in flight. */
  bytes = SESSION_BYTES
  /** URIs of the subscribed resources. */
  readonly #subscriptions = new Set<string>()
  readonly questions: PendingQuestions
  lastUsedAt: number
  openStreams = 0
  readonly #memory: SessionMemory
  readonly #log: ReplayLog
  readonly #streams = new Map<number, SessionStream>()
  /** A set, because a client may use an id twice. */
  readonly #inFlight = new Set<InFlight>()
  #streamCount = 0
  #standalone: SessionStream | null = null
  #httpSse: SseStream | null = null
  #hasEnded = false

  constructor(
    id: string,
    parameters: SessionParameters,
    log: ReplayLog,
    memory: SessionMemory,
    questionMs: number,
    now: number,
  ) {
    this.id = id
    this.server = parameters.server
    this.transport = parameters.transport
    this.principal = parameters.principal
    this.version = parameters.version
    this.clientCapabilities = parameters.clientCapabilities
    this.lastUsedAt = now
    this.#log = log
    this.#memory = memory
    this.questions = new PendingQuestions(questionMs)
  }

  /** Whether the session has open streams or requests in flight. */
  get isBusy(): boolean {
    return this.openStreams > 0 || this.#inFlight.size > 0
  }

  /** `bytes` without requests in flight, which continue when their session ends. */
  get idleBytes(): number {
    let { bytes } = this
    for (const inFlight of this.#inFlight) bytes -= inFlight.bytes
    return bytes
  }

  // ------------------------------------------------------------------------------------------------- subscriptions

  subscribesTo(uri: string): boolean {
    return this.#subscriptions.has(uri)
  }

  /** Throws -32602 if there are too many subscriptions, -32603 if the sessions use too much memory. */
  subscribe(uri: string): void {
    if (this.#subscriptions.has(uri)) return
    if (this.#subscriptions.size >= MAX_SUBSCRIPTIONS)
      throw invalidParams(`Too many subscriptions (at most ${MAX_SUBSCRIPTIONS})`)
    this.#reserve(heldBytes(uri))
    this.#subscriptions.add(uri)
  }

  unsubscribe(uri: string): void {
    if (this.#subscriptions.delete(uri)) this.#release(heldBytes(uri))
  }

  // ------------------------------------------------------------------------------------------------------- streams

  /** A stream for the messages of one call. */
  newStream(): SessionStream {
    for (const [number, stream] of this.#streams) if (stream.isFinished) this.#streams.delete(number)
    const stream = new SessionStream(++this.#streamCount, this.#log)
    this.#streams.set(stream.number, stream)
    return stream
  }

  stream(number: number): SessionStream | undefined {
    return this.#streams.get(number)
  }

  /** A stream for GET; undefined if one is already connected. */
  newStandalone(): SessionStream | undefined {
    if (this.#standalone?.isConnected) return undefined
    this.#standalone?.complete()
    this.#standalone = this.newStream()
    return this.#standalone
  }

  /** Counts an open connection of the session. */
  trackConnection(connection: SseStream, now: () => number): void {
    this.openStreams++
    void connection.over.then(() => {
      this.openStreams--
      this.lastUsedAt = now()
    })
  }

  attachHttpSse(connection: SseStream): void {
    this.#httpSse = connection
    void connection.over.then(() => {
      this.#httpSse = null
    })
  }

  /** Sends a message on the stream of the HTTP+SSE transport. */
  writeHttpSse(text: string): void {
    this.#httpSse?.send({ event: 'message', data: text })
    if (this.#httpSse && this.#httpSse.pendingBytes > MAX_PENDING_BYTES) this.#httpSse.end()
  }

  /** Sends a message that belongs to no call; dropped if the client has no stream for it. */
  push(method: string, params?: JsonObject): void {
    const text = notificationText(method, params)
    if (this.transport === 'http+sse') this.writeHttpSse(text)
    else this.#standalone?.write(text)
  }

  // ------------------------------------------------------------------------------------------------------ requests

  /** Registers a request with a body of `bytes`. Throws -32603 if too many requests or bytes are in flight. */
  begin(id: RequestId, bytes: number, onCancel: () => void): InFlight {
    if (this.#inFlight.size >= MAX_REQUESTS_IN_FLIGHT)
      throw new RpcError(CODES.internal, `Too many requests in flight (at most ${MAX_REQUESTS_IN_FLIGHT})`)
    this.#reserve(bytes)
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

  finish(inFlight: InFlight, now: number): void {
    if (this.#inFlight.delete(inFlight)) this.#release(inFlight.bytes)
    this.lastUsedAt = now
  }

  /** Handles `notifications/cancelled`; unknown ids are ignored. */
  cancel(id: unknown): void {
    for (const inFlight of this.#inFlight) if (inFlight.id === id) inFlight.cancel()
  }

  /** Closes the streams, aborts requests in flight and drops kept messages. Repeated calls have no effect. */
  end(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    for (const inFlight of this.#inFlight) inFlight.cancel()
    for (const stream of this.#streams.values()) stream.complete()
    this.#httpSse?.end()
    this.#streams.clear()
    this.#log.close()
  }

  #reserve(bytes: number): void {
    if (!this.#memory.reserve(this, bytes)) throw new RpcError(CODES.internal, 'Too many bytes in flight')
    this.bytes += bytes
  }

  #release(bytes: number): void {
    this.bytes -= bytes
    this.#memory.release(bytes)
  }
}
