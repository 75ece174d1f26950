/** Owns the one way in which a reply is streamed: head, back-pressure, lifetime, the client's leaving, the end. */
import { AsyncResource } from 'node:async_hooks'
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'
import type { Writable } from 'node:stream'
import type { BodyStream, BodyStreamOptions, StreamEnd } from '../../contract/plugin.ts'
import { onLossWhileQueued } from '../listener/pipelined-response.ts'
import type { ForcedEnd, OpenStream, StreamRegistry } from './stream-registry.ts'

/** What the pipeline knows when a stream is opened on a response. */
export interface StreamOpening<Options extends BodyStreamOptions = BodyStreamOptions> {
  /** Nothing of it may have been sent. Headers set on it are sent along. */
  response: ServerResponse | Http2ServerResponse
  registry: StreamRegistry
  /** Number of the generation that serves the request. */
  generation: number
  options?: Options
  /** Headers that the reply carries already; those of `options` win. */
  headers?: OutgoingHttpHeaders
  /** Answers a HEAD request: the head is sent, the stream opens closed. */
  headOnly?: boolean
  /** Takes the plan's slot; false: the 429 has been sent. Called once, before anything is written. */
  admit?: () => boolean
  /** Milliseconds that the plan gives a stream, from the head on. */
  planLifetimeMs?: number | null
  /** The response is fully sent or its connection gone: the slot is free again. Called once if `admit` passed. */
  onClose?: (reason: StreamEnd) => void
}

/** Milliseconds that a client has to read the rest after a forced end before it is cut off. */
const FAREWELL_MS = 5000

/** Statuses without content (RFC 9110, 15.3.5, 15.3.6, 15.4.5): what is written to them would be an error. */
const EMPTY_STATUSES = new Set([204, 205, 304])

/** Starts a streamed reply. Null: `admit` refused and has answered. Throws what Node throws at invalid headers. */
export function openBodyStream(opening: StreamOpening): BodyStream | null {
  return openStream(opening, {}, ResponseStream)
}

/**
 * Starts a stream of the class given, with `headers` where nobody has set one. When the client has left, or the core
 * has answered meanwhile (a time-out), no slot is taken, nothing is written, and the stream opens closed.
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
  // The plan may have refused at the sight of the head, and answered.
  if ((response as { isDetached?: boolean }).isDetached) return null
  const stream = new Stream(opening)
  stream.begin(opening, hasLength)
  return stream
}

/** Answers whether the head announces a length. */
function startHead(
  { response, headers, options = {}, onClose }: StreamOpening,
  defaults: Record<string, string>,
): boolean {
  try {
    const head = merged([defaults, headers, options.headers])
    // Those of a reply include what the response has already, in lower case; as they were set they read better.
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

/** Headers of all sources by their names in lower case; the later win. */
function merged(sources: readonly (OutgoingHttpHeaders | undefined)[]): OutgoingHttpHeaders {
  const all: OutgoingHttpHeaders = {}
  for (const source of sources) {
    for (const name in source) if (source[name] !== undefined) all[name.toLowerCase()] = source[name]
  }
  return all
}

/** Sends the head in this turn of the event loop, together with what is written in it. */
function flushHead(response: ServerResponse | Http2ServerResponse): void {
  // The one of HTTP/2 has left with `writeHead`.
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

/** A streamed body on a response whose head has been sent. */
export class ResponseStream implements BodyStream, OpenStream {
  readonly kind: OpenStream['kind'] = 'body'
  readonly generation: number
  readonly isEndless: boolean
  dueAt = Infinity
  place = -1
  link: OpenStream['link'] = null
  protected readonly registry: StreamRegistry
  readonly #response: ServerResponse | Http2ServerResponse
  /** The head announces the length of the body. */
  #hasLength = false
  readonly #farewell: BodyStreamOptions['farewell']
  readonly #onClose: StreamOpening['onClose']
  /** On the registry's clock. */
  readonly #endsAt: number
  readonly #endsBy: 'lifetime' | 'plan'
  #ended: StreamEnd | null = null
  #isLeaving = false
  #isFull = false
  // Made when somebody asks for it: idle streams come by the thousand, and most need none or one of the three.
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
    // It may run under the registry's timer; bound, what it throws or logs carries its plugin's name all the same.
    this.#farewell = options.farewell && AsyncResource.bind(options.farewell)
    this.#onClose = opening.onClose
    this.#endsAt = this.registry.now() + Math.min(lifetimeMs, planMs)
    this.#endsBy = planMs <= lifetimeMs ? 'plan' : 'lifetime'
  }

  /** Listens, registers, and ends at once what has no body. Called once the head has been sent. */
  begin({ headOnly, response }: StreamOpening, hasLength: boolean): void {
    this.#hasLength = hasLength
    response.on('close', () => this.#onResponseClose())
    response.on('drain', () => this.#onDrain())
    // Without a listener a write to a response that somebody else has ended would end the process; 'close' tells of it.
    response.on('error', ignore)
    this.registry.add(this)
    this.registry.schedule(this, this.nextDeadline())
    if (headOnly || EMPTY_STATUSES.has(response.statusCode)) this.end()
    else onLossWhileQueued(response, () => this.#onResponseClose())
  }

  /** Closes a stream that nobody can read, instead of `begin`. */
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

  /** The producer's farewell, the protocol's last words, the end of the body; in this order. */
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
    this.#finish(reason, this.lastWords(reason))
    this.#limitReading()
  }

  onDue(now: number): void {
    if (this.closed) return void this.#response.destroy()
    if (now >= this.#endsAt) return this.forceEnd(this.#endsBy)
    this.onQuietDeadline(now)
    this.registry.schedule(this, this.nextDeadline())
  }

  /** When `onDue` is to be called next. */
  protected nextDeadline(): number {
    return this.#endsAt
  }

  /** A deadline of a subclass has come. */
  protected onQuietDeadline(_now: number): void {}

  /** What the protocol says before a forced end. */
  protected lastWords(_reason: ForcedEnd): string {
    return ''
  }

  /** Whether the client is not keeping up. */
  protected get isFull(): boolean {
    return this.#isFull
  }

  #finish(reason: StreamEnd, lastWords: string): void {
    this.#ended = reason
    this.registry.schedule(this, Infinity)
    // A body that ends short of its announced length must not look complete, nor leave the client waiting for the rest.
    if (reason !== 'done' && reason !== 'client' && this.#hasLength) this.#response.destroy()
    else if (reason !== 'client') endBody(this.#response, lastWords)
    this.#ready?.resolve()
    this.#over?.resolve(reason)
    this.#abort?.abort(reason)
  }

  /** A client that does not read would hold its slot, and what is yet to be sent, for ever. */
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
  const promise = new Promise<T>(settle => {
    resolve = settle
  })
  return { promise, resolve }
}
