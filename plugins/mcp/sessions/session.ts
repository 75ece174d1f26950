/** Owns a session of the handshake versions: what was agreed, what is in flight, and the ways to its client. */
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

/** What `initialize` settles. */
export interface SessionParameters {
  server: string
  transport: Transport
  version: Version
  clientCapabilities: ClientCapabilities
  /** `sub` of the credentials, null on open servers. */
  principal: string | null
}

/** Memory that a session takes with nothing in it, about. */
const SESSION_BYTES = 2048

/** Keeps count of what all sessions hold. */
export interface SessionMemory {
  /** Takes bytes for a session; false: even without those sessions that may end it would be too much. */
  reserve(session: Session, bytes: number): boolean
  release(bytes: number): void
}

/** A request that is being worked on. */
export interface InFlight {
  readonly id: RequestId
  /** Bytes of the body that brought it. */
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
  /** Null until the client sets one: no log messages. */
  logLevel: LogLevel | null = null
  /** Memory that it holds, about: itself, its subscriptions, the requests that are being worked on. */
  bytes = SESSION_BYTES
  /** URIs whose updates the client wants. */
  readonly #subscriptions = new Set<string>()
  readonly questions: PendingQuestions
  lastUsedAt: number
  openStreams = 0
  readonly #memory: SessionMemory
  readonly #log: ReplayLog
  readonly #streams = new Map<number, SessionStream>()
  /** A set, since a client may use an id twice. */
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

  /** Open streams and running requests count as use. */
  get isBusy(): boolean {
    return this.openStreams > 0 || this.#inFlight.size > 0
  }

  /** `bytes` without those of running requests, which go on when their session has ended. */
  get idleBytes(): number {
    let { bytes } = this
    for (const inFlight of this.#inFlight) bytes -= inFlight.bytes
    return bytes
  }

  // ------------------------------------------------------------------------------------------------- subscriptions

  subscribesTo(uri: string): boolean {
    return this.#subscriptions.has(uri)
  }

  /** Throws -32602 when there are too many, -32603 when sessions hold too much. */
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

  /** The stream of GET, for what belongs to no call; undefined while one is connected. */
  newStandalone(): SessionStream | undefined {
    if (this.#standalone?.isConnected) return undefined
    this.#standalone?.complete()
    this.#standalone = this.newStream()
    return this.#standalone
  }

  /** Counts a connection of the session until it is over. */
  hold(connection: SseStream, now: () => number): void {
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

  /** Sends on the one stream of the legacy transport. */
  writeHttpSse(text: string): void {
    this.#httpSse?.send({ event: 'message', data: text })
    if (this.#httpSse && this.#httpSse.pendingBytes > MAX_PENDING_BYTES) this.#httpSse.end()
  }

  /** Sends what belongs to no call; lost when the client has opened no stream for it. */
  push(method: string, params?: JsonObject): void {
    const text = notificationText(method, params)
    if (this.transport === 'http+sse') this.writeHttpSse(text)
    else this.#standalone?.write(text)
  }

  // ------------------------------------------------------------------------------------------------------ requests

  /** Registers a request that came in so many bytes. Throws -32603 when too many are in flight, or they are too large. */
  begin(id: RequestId, bytes: number, onCancel: () => void): InFlight {
    if (this.#inFlight.size >= MAX_REQUESTS_IN_FLIGHT)
      throw new RpcError(CODES.internal, `Too many requests in flight (at most ${MAX_REQUESTS_IN_FLIGHT})`)
    this.#reserve(bytes)
    let controller: AbortController | undefined
    let isCancelled = false
    const inFlight: InFlight = {
      id,
      bytes,
      // Made when first asked for: most tools never look at it.
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

  /** `notifications/cancelled`; an unknown id changes nothing. */
  cancel(id: unknown): void {
    for (const inFlight of this.#inFlight) if (inFlight.id === id) inFlight.cancel()
  }

  /** Closes streams, aborts what is in flight, forgets what was kept. Once. */
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
