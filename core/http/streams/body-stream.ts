/** Streams a response: headers, back-pressure, lifetime, client disconnects, and the end. */
import { AsyncResource } from 'node:async_hooks'
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'
import type { Writable } from 'node:stream'
import type { BodyStream, BodyStreamOptions, StreamEnd } from '../../contract/plugin.ts'
import { onLossWhileQueued } from '../sockets/pipelined-response.ts'
import type { ForcedEnd, OpenStream, StreamRegistry } from './stream-registry.ts'

/** What the pipeline knows when a stream is opened on a response. */
export interface StreamOpening<Options extends BodyStreamOptions = BodyStreamOptions> {
  /** The response must be unsent. Headers set on it are sent too. */
  response: ServerResponse | Http2ServerResponse
  registry: StreamRegistry
  /** Number of the generation that serves the request. */
  generation: number
  options?: Options
  /** Headers that are already set on the reply; those of `options` take precedence. */
  headers?: OutgoingHttpHeaders
  /** Whether this is a HEAD request: the headers are sent and the stream starts closed. */
  headOnly?: boolean
  /** Takes a stream slot of the plan; returns false if the 429 was sent. Called once, before anything is written. */
  admit?: () => boolean
  /** Lifetime granted by the plan in milliseconds, from when the headers are sent. */
  planLifetimeMs?: number | null
  /**
   * Called when the response is fully sent or its connection is closed, so that the slot is released. Called once if
   * `admit` passed.
   */
  onClose?: (reason: StreamEnd) => void
}

/** How long a client has to read the rest after a forced end before it is cut off, in milliseconds. */
const FAREWELL_MS = 5000

/** Statuses without content (RFC 9110, 15.3.5, 15.3.6, 15.4.5): writing to them would be an error. */
const EMPTY_STATUSES = new Set([204, 205, 304])

/**
 * Starts a streamed response. Returns null if `admit` rejected it and sent a response. Throws Node's error for invalid
 * headers.
 */
export function openBodyStream(opening: StreamOpening): BodyStream | null {
  return openStream(opening, {}, ResponseStream)
}

/**
 * Starts a stream of the given class, with `headers` as defaults. If the client has disconnected, or the core has
 * already sent a response (a timeout), no slot is taken, nothing is written, and the stream starts closed.
 */
export function openStream<Options extends BodyStreamOptions, S extends ResponseStream>(
  opening: StreamOpening<Options>,
  headers: Record<string, string>,
  Stream: new (opening: StreamOpening<Options>) => S,
): S | null {
  const { response } = opening
  if (response.headersSent || isGone(response)) {
    const stream = new Stream(opening)
    stream.abandon()
    return stream
  }
  if (opening.admit?.() === false) return null
  const hasLength = startHead(opening, headers)
  // The plan may have rejected the response when it saw the headers.
  if ((response as { isDetached?: boolean }).isDetached) return null
  const stream = new Stream(opening)
  stream.begin(opening, hasLength)
  return stream
}

/** Returns whether the headers announce a length. */
function startHead(
  { response, headers, options = {}, onClose }: StreamOpening,
  defaults: Record<string, string>,
): boolean {
  try {
    const head = merged([defaults, headers, options.headers])
    // Headers of a reply include those already set on the response, in lower case; their original spelling is
    // preferred.
    for (const name of response.getHeaderNames()) if (head[name] === response.getHeader(name)) delete head[name]
    const hasLength = head['content-length'] !== undefined || response.hasHeader('content-length')
    response.writeHead(options.status ?? response.statusCode, head)
    flushHead(response)
    return hasLength
  } catch (error) {
    onClose?.('done')
    throw error
  }
}

/** Merges headers of all sources by lower-case name; later ones take precedence. */
function merged(sources: readonly (OutgoingHttpHeaders | undefined)[]): OutgoingHttpHeaders {
  const all: OutgoingHttpHeaders = {}
  for (const source of sources) {
    for (const name in source) if (source[name] !== undefined) all[name.toLowerCase()] = source[name]
  }
  return all
}

/** Sends the headers in this turn of the event loop, together with what is written in it. */
function flushHead(response: ServerResponse | Http2ServerResponse): void {
  // HTTP/2 headers were already sent by `writeHead`.
  if (isHttp2(response)) return
  response.socket?.setNoDelay(true)
  process.nextTick(flushUnlessEnded, response)
}

function flushUnlessEnded(response: ServerResponse): void {
  if (!response.writableEnded) response.flushHeaders()
}

function isHttp2(response: ServerResponse | Http2ServerResponse): response is Http2ServerResponse {
  return 'stream' in response
}

const ignore = (): void => {}

/** A streamed body on a response with sent headers. */
export class ResponseStream implements BodyStream, OpenStream {
  readonly kind: OpenStream['kind'] = 'body'
  readonly generation: number
  readonly isEndless: boolean
  dueAt = Infinity
  place = -1
  link: OpenStream['link'] = null
  protected readonly registry: StreamRegistry
  readonly #response: ServerResponse | Http2ServerResponse
  /** Whether the headers announce the length of the body. */
  #hasLength = false
  readonly #farewell: BodyStreamOptions['farewell']
  readonly #onClose: StreamOpening['onClose']
  /** On the clock of the registry. */
  readonly #endsAt: number
  readonly #endsBy: 'lifetime' | 'plan'
  #ended: StreamEnd | null = null
  #isLeaving = false
  #isFull = false
  // Created on demand: there may be thousands of idle streams, and most need none or one of the three.
  #ready: Deferred<void> | null = null
  #over: Deferred<StreamEnd> | null = null
  #abort: AbortController | null = null

  constructor(opening: StreamOpening) {
    const { options = {} } = opening
    const lifetimeMs = options.lifetimeMs ?? Infinity
    const planMs = opening.planLifetimeMs ?? Infinity
    this.registry = opening.registry
    this.generation = opening.generation
    this.isEndless = options.endless === true
    this.#response = opening.response
    // It may run under the timer of the registry; because it is bound, what it throws or logs still names its plugin.
    this.#farewell = options.farewell && AsyncResource.bind(options.farewell)
    this.#onClose = opening.onClose
    this.#endsAt = this.registry.now() + Math.min(lifetimeMs, planMs)
    this.#endsBy = planMs <= lifetimeMs ? 'plan' : 'lifetime'
  }

  /**
   * Attaches listeners, registers the stream, and immediately ends one without a body. Called once the headers are
   * sent.
   */
  begin({ headOnly, response }: StreamOpening, hasLength: boolean): void {
    this.#hasLength = hasLength
    response.on('close', () => this.#onResponseClose())
    response.on('drain', () => this.#onDrain())
    // Without a listener, a write to a response that was ended elsewhere would end the process; 'close' reports that
    // case.
    response.on('error', ignore)
    this.registry.add(this)
    this.registry.schedule(this, this.nextDeadline())
    if (headOnly || EMPTY_STATUSES.has(response.statusCode)) this.end()
    else onLossWhileQueued(response, () => this.#onResponseClose())
  }

  /** Closes a stream that nobody can read; called instead of `begin`. */
  abandon(): void {
    this.#finish('client', '')
  }

  write(chunk: string | Buffer): boolean {
    if (this.#ended !== null) return false
    const body: Writable = this.#response
    this.#isFull = !body.write(chunk)
    return !this.#isFull
  }

  ready(): Promise<void> {
    if (!this.#isFull || this.#ended !== null) return Promise.resolve()
    this.#ready ??= deferred()
    return this.#ready.promise
  }

  get pendingBytes(): number {
    const response = this.#response
    return (isHttp2(response) ? response.stream?.writableLength : response.writableLength) ?? 0
  }

  end(last = ''): void {
    if (this.#ended === null && !this.#isLeaving) this.#finish('done', last)
  }

  get closed(): boolean {
    return this.#ended !== null
  }

  get signal(): AbortSignal {
    if (this.#abort === null) {
      this.#abort = new AbortController()
      if (this.#ended !== null) this.#abort.abort(this.#ended)
    }
    return this.#abort.signal
  }

  get over(): Promise<StreamEnd> {
    if (this.#over === null) {
      this.#over = deferred()
      if (this.#ended !== null) this.#over.resolve(this.#ended)
    }
    return this.#over.promise
  }

  /** In this order: the final data of the producer, the closing message of the protocol, the end of the body. */
  forceEnd(reason: ForcedEnd): void {
    if (this.closed) return this.#limitReading()
    if (this.#isLeaving) return
    this.#isLeaving = true
    try {
      this.#farewell?.(reason)
    } catch (error) {
      this.registry.report(error)
    }
    if (this.closed) return
    this.#finish(reason, this.closingMessage(reason))
    this.#limitReading()
  }

  onDue(now: number): void {
    if (this.closed) return void this.#response.destroy()
    if (now >= this.#endsAt) return this.forceEnd(this.#endsBy)
    this.onQuietDeadline(now)
    this.registry.schedule(this, this.nextDeadline())
  }

  /** When `onDue` must be called next. */
  protected nextDeadline(): number {
    return this.#endsAt
  }

  /** Called when a deadline of a subclass is reached. */
  protected onQuietDeadline(_now: number): void {}

  /** The message of the protocol before a forced end. */
  protected closingMessage(_reason: ForcedEnd): string {
    return ''
  }

  /** Whether the client is not keeping up. */
  protected get isFull(): boolean {
    return this.#isFull
  }

  #finish(reason: StreamEnd, closingMessage: string): void {
    this.#ended = reason
    this.registry.schedule(this, Infinity)
    // A body that ends before its announced length must not look complete, nor leave the client waiting for the rest.
    if (reason !== 'done' && reason !== 'client' && this.#hasLength) this.#response.destroy()
    else if (reason !== 'client') endBody(this.#response, closingMessage)
    this.#ready?.resolve()
    this.#over?.resolve(reason)
    this.#abort?.abort(reason)
  }

  /** A client that does not read would hold its slot and the unsent data forever. */
  #limitReading(): void {
    if (this.place < 0) this.registry.schedule(this, this.registry.now() + FAREWELL_MS)
  }

  #onDrain(): void {
    this.#isFull = false
    this.#ready?.resolve()
    this.#ready = null
  }

  #onResponseClose(): void {
    if (this.#ended === null) this.#finish('client', '')
    this.registry.remove(this)
    this.#onClose?.(this.#ended ?? 'client')
  }
}

function endBody(response: Writable, last: string): void {
  if (last === '') response.end()
  else response.end(last)
}

function isGone(response: ServerResponse | Http2ServerResponse): boolean {
  return isHttp2(response) ? response.stream === undefined || response.stream.destroyed : response.destroyed
}

interface Deferred<T> {
  readonly promise: Promise<T>
  resolve(value: T): void
}

function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = ignore
  const promise = new Promise<T>(resolvePromise => {
    resolve = resolvePromise
  })
  return { promise, resolve }
}
