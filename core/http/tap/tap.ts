/**
 * The tap, which shows claimed requests as bytes. While it is not armed, it costs one check per connection and nothing per
 * request.
 */
import type { Http2Session, ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import type { AnyRequest } from '../../contract/http.ts'
import type { Arrival, ArmedTap, SvcTap, TapOptions, TapServed, TapServing } from '../../contract/tap.ts'
import type { ConnectionActivity } from '../sockets/connection-activity.ts'
import { tapNow } from './live-arrival.ts'
import { TappedSocket, type TapClaim } from './tapped-socket.ts'
import { TappedStream, headOf } from './tapped-stream.ts'

const MAX_ARMED = 4
const MAX_LIFETIME_MS = 15 * 60_000

/** A listener whose connections can be tapped. */
export interface TappedListener {
  readonly kind: Arrival['listener']
  /** Connections that the HTTP/1 server has. */
  servedSockets(): Iterable<Socket>
  activityOf(socket: Socket): ConnectionActivity | null
}

/** Lets routes answer claimed requests. */
export type ClaimServer = Pick<SvcTap, 'stepProblem' | 'serve' | 'isServed' | 'note'>

export class Tap implements SvcTap {
  /** Null before the listeners are open. */
  #server: ClaimServer | null = null
  readonly #isPublic: boolean
  readonly #listeners = new Set<TappedListener>()
  readonly #armed = new Set<TapOptions>()
  readonly #sockets = new Map<Socket, TappedSocket>()
  /** HTTP/2 connections with claimed requests: their number, and how many requests they had. */
  readonly #sessions = new WeakMap<Http2Session, { number: number; requests: number }>()
  #connections = 0

  constructor({ isPublic }: { isPublic: boolean }) {
    this.#isPublic = isPublic
  }

  get isArmed(): boolean {
    return this.#armed.size > 0
  }

  now(): number {
    return tapNow()
  }

  serveWith(server: ClaimServer): void {
    this.#server = server
  }

  stepProblem(step: unknown): string | null {
    return this.#server!.stepProblem(step)
  }

  serve(arrival: Arrival, serving: TapServing): Promise<TapServed> {
    return this.#server!.serve(arrival, serving)
  }

  isServed(request: AnyRequest): boolean {
    return this.#server?.isServed(request) ?? false
  }

  note(request: AnyRequest, name: string, value: unknown): void {
    this.#server?.note(request, name, value)
  }

  /** Returns a function that removes the listener. */
  addListener(listener: TappedListener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  arm(options: TapOptions): ArmedTap {
    if (this.#isPublic) throw new Error('requests are not shown as bytes in public mode')
    const replaced = [...this.#armed].find(({ id }) => id !== undefined && id === options.id)
    if (replaced !== undefined) this.#armed.delete(replaced)
    if (this.#armed.size >= MAX_ARMED) throw new Error(`the tap is armed ${MAX_ARMED} times already`)
    this.#armed.add(options)
    for (const listener of this.#listeners)
      for (const socket of listener.servedSockets()) if (!this.#sockets.has(socket)) this.#tap(listener, socket, null)
    const disarm = (): void => {
      clearTimeout(timer)
      if (!this.#armed.delete(options) || this.isArmed) return
      for (const socket of this.#sockets.values()) socket.disarmed()
    }
    const timer = setTimeout(disarm, Math.min(options.lifetimeMs, MAX_LIFETIME_MS))
    timer.unref()
    return { disarm }
  }

  /** Taps a new connection; `serve` passes it to the HTTP server. */
  accept(listener: TappedListener, socket: Socket, serve: (socket: Socket) => void): void {
    this.#tap(listener, socket, serve)
  }

  #tap(listener: TappedListener, socket: Socket, serve: ((socket: Socket) => void) | null): void {
    const number = ++this.#connections
    this.#sockets.set(
      socket,
      new TappedSocket({
        socket,
        number,
        listener: listener.kind,
        serve,
        activity: () => listener.activityOf(socket),
        claim: head => this.#claim(head),
        readsContent: () => [...this.#armed].some(({ claimsContent }) => claimsContent !== undefined),
        claimContent: (head, content) => this.#claimContent(head, content),
        onRelease: () => this.#sockets.delete(socket),
      }),
    )
  }

  /** Returns whether the request of an HTTP/2 connection is claimed; the server must not answer it then. */
  claimStream(kind: Arrival['listener'], stream: ServerHttp2Stream, rawHeaders: readonly string[]): boolean {
    const { session } = stream
    if (session === undefined || session.destroyed) return false
    const head = headOf(rawHeaders)
    const claim = this.#claim(head)
    if (claim?.options.answerHttp2 === undefined) return false
    const connection = this.#sessions.get(session) ?? { number: ++this.#connections, requests: 0 }
    this.#sessions.set(session, connection)
    connection.requests++
    new TappedStream(stream, head, {
      step: claim.step,
      options: claim.options,
      connection: connection.number,
      requestOnConnection: connection.requests,
      listener: kind,
    })
    return true
  }

  #claimContent(head: Buffer, content: Buffer): TapClaim | null {
    for (const options of this.#armed) {
      const step = options.claimsContent?.(head, content) ?? null
      if (step !== null) return { step, options }
    }
    return null
  }

  #claim(head: Buffer): TapClaim | null {
    for (const options of this.#armed) {
      const step = options.claims(head)
      if (step !== null) return { step, options }
    }
    return null
  }
}
