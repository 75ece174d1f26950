/**
 * One HTTP/1 connection while the tap is armed. It reads the bytes first, passes unclaimed requests to the HTTP server one
 * by one, and withholds claimed ones.
 */
import type { Socket } from 'node:net'
import type { Arrival, TapOptions, TapReply } from '../../contract/tap.ts'
import { resetSocket } from '../../toolkit/reset-socket.ts'
import type { ConnectionActivity } from '../sockets/connection-activity.ts'
import { LiveArrival } from './live-arrival.ts'
import { bodyReaderFor, fieldsOf, headLength, versionOf, type BodyReader } from './message-framing.ts'

/** A longer head is left to the HTTP server, which rejects it. */
const MAX_HEAD_BYTES = 256 * 1024
/** So much of the content is read to find out who claims a request. */
const MAX_CONTENT_BYTES = 1024 * 1024
/** How long an incomplete head is kept from the HTTP server, which has a timeout for it. */
const MAX_HEAD_MS = 90_000
const KEEP_ALIVE_MS = 75_000
/** How long a connection that was ended waits for the peer to end it too. */
const LINGER_MS = 10_000
const BUSY_CHECK_MS = 5
/** HTTP/2 with prior knowledge begins with it (RFC 9113, 3.4). */
const HTTP2_PREFACE = 'PRI * HTTP/2.0\r\n\r\n'

export interface TapClaim {
  step: string
  options: TapOptions
}

export interface TappedConnection {
  socket: Socket
  number: number
  listener: Arrival['listener']
  /** Passes the connection to the HTTP server; null if the server has it already. */
  serve: ((socket: Socket) => void) | null
  activity(): ConnectionActivity | null
  /** The session that claims the head. */
  claim(head: Buffer): TapClaim | null
  /** Whether a session claims requests by their content. */
  readsContent(): boolean
  claimContent(head: Buffer, content: Buffer): TapClaim | null
  onRelease(): void
}

type DataListener = (chunk: Buffer) => void

export class TappedSocket {
  readonly #connection: TappedConnection
  readonly #socket: Socket
  /** Listeners of the HTTP server; null while it does not have the connection. */
  #server: DataListener[] | null = null
  #pending: Buffer = Buffer.alloc(0)
  #requests = 0
  /** A request of others that the server is reading. */
  #foreign: BodyReader | null = null
  #arrival: LiveArrival | null = null
  #isAnswered = false
  #isEnding = false
  #isReleased = false
  #onBytes: DataListener | null = null
  readonly #gone = new AbortController()
  #headTimer: NodeJS.Timeout | null = null

  constructor(connection: TappedConnection) {
    this.#connection = connection
    const { socket } = connection
    this.#socket = socket
    // Node stops parsing natively as soon as there is such a listener.
    socket.on('data', this.#onData)
    socket.on('end', this.#onEnd).on('close', this.#onClose).on('error', this.#onError)
    if (connection.serve === null) this.#server = this.#takeListeners()
    else {
      socket.setTimeout(KEEP_ALIVE_MS)
      socket.on('timeout', this.#onTimeout)
    }
  }

  /** The tap is no longer armed: the server gets the connection unless a claimed request is in progress. */
  disarmed(): void {
    if (this.#arrival === null) this.#release()
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#onBytes !== null) return this.#onBytes(chunk)
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk])
    this.#advance()
  }

  #advance(): void {
    while (this.#pending.length > 0 && !this.#isReleased && !this.#socket.destroyed) if (!this.#step()) return
  }

  /** Processes what has arrived; returns false if it has to wait. */
  #step(): boolean {
    if (this.#arrival !== null) return this.#readArrival(this.#arrival)
    if (this.#foreign !== null) return this.#readForeign(this.#foreign)
    if (this.#isServerBusy()) return this.#waitForServer()
    const length = headLength(this.#pending)
    if (length === -1) return this.#awaitHead()
    this.#clearHeadTimer()
    const head = this.#pending.subarray(0, length)
    let claim = this.#connection.claim(head)
    if (claim === null && this.#connection.readsContent() && isJson(head)) {
      const content = this.#contentOf(head)
      if (content === null) return this.#awaitContent()
      claim = this.#connection.claimContent(head, content)
      this.#clearHeadTimer()
    }
    if (claim === null) return this.#passOn(head)
    this.#consume(length)
    this.#begin(head, claim)
    return true
  }

  /** Up to 1 MiB of the content behind the head; null if more of it has to arrive. */
  #contentOf(head: Buffer): Buffer | null {
    const reader = bodyReaderFor(head)
    const parts: Buffer[] = []
    let size = 0
    reader.take(this.#pending.subarray(head.length), content => {
      if (size < MAX_CONTENT_BYTES) parts.push(content)
      size += content.length
    })
    return reader.state === 'incomplete' && size < MAX_CONTENT_BYTES ? null : Buffer.concat(parts)
  }

  #begin(head: Buffer, { step, options }: TapClaim): void {
    const { number, listener } = this.#connection
    this.#requests++
    this.#socket.setTimeout(0)
    const arrival = new LiveArrival(head, {
      step,
      connection: number,
      requestOnConnection: this.#requests,
      listener,
      socket: this.#socket,
      protocol: versionOf(head),
      reader: bodyReaderFor(head),
    })
    this.#isAnswered = false
    this.#arrival = arrival
    options.onArrival(arrival)
    if (options.answer === undefined) this.#observe(arrival, head)
    else options.answer(arrival, this.#replyTo(arrival))
  }

  /** The server answers the request itself; only its bytes are recorded. */
  #observe(arrival: LiveArrival, head: Buffer): void {
    this.#attachServer()
    this.#foreign = {
      get state() {
        return arrival.framing
      },
      take: bytes => arrival.take(bytes),
    }
    this.#arrival = null
    this.#toServer(head)
    const check = (): void => {
      if (this.#socket.destroyed || arrival.ended !== null) return
      if (this.#isServerBusy() || arrival.framing === 'incomplete') setTimeout(check, BUSY_CHECK_MS)
      else arrival.end('kept')
    }
    setTimeout(check, BUSY_CHECK_MS)
    this.#socket.once('close', () => arrival.end('reset'))
  }

  #replyTo(arrival: LiveArrival): TapReply {
    const finish = (end: () => void): void => {
      if (this.#arrival !== arrival || this.#isAnswered) return
      this.#isAnswered = true
      end()
    }
    return {
      signal: this.#gone.signal,
      write: bytes =>
        new Promise(resolve => {
          if (this.#socket.destroyed || !this.#socket.writable) return resolve(false)
          this.#socket.write(bytes, error => resolve(error === null || error === undefined))
        }),
      keep: () => finish(() => this.#finishArrival(arrival)),
      end: () =>
        finish(() => {
          this.#isEnding = true
          this.#socket.end()
          setTimeout(() => this.#socket.destroy(), LINGER_MS).unref()
        }),
      reset: () =>
        finish(() => {
          arrival.end('kept')
          resetSocket(this.#socket)
        }),
      onBytes: listener => {
        this.#onBytes = bytes => {
          arrival.addStray(bytes)
          listener(bytes)
        }
        const early = this.#pending
        this.#pending = Buffer.alloc(0)
        if (early.length > 0) this.#onBytes(early)
      },
    }
  }

  #readArrival(arrival: LiveArrival): boolean {
    if (this.#isEnding && arrival.framing !== 'incomplete') {
      arrival.addStray(this.#pending)
      this.#consume(this.#pending.length)
      return true
    }
    if (arrival.framing === 'complete') return false
    this.#consume(arrival.take(this.#pending))
    if (this.#isAnswered) this.#finishArrival(arrival)
    return true
  }

  /** The request has been answered; the next one may begin once all of it has arrived. */
  #finishArrival(arrival: LiveArrival): void {
    if (this.#isEnding || arrival.framing === 'incomplete') return
    arrival.end('kept')
    this.#arrival = null
    this.#socket.setTimeout(KEEP_ALIVE_MS)
    queueMicrotask(() => this.#advance())
  }

  #readForeign(reader: BodyReader): boolean {
    if (reader.state === 'complete') {
      this.#foreign = null
      return true
    }
    const taken = reader.take(this.#pending, () => {})
    const bytes = this.#pending.subarray(0, taken)
    this.#consume(taken)
    this.#toServer(bytes)
    if (reader.state !== 'incomplete') this.#foreign = null
    if (reader.state === 'invalid') this.#release()
    return true
  }

  /** A request of others, or something that is not a request: the server reads it. */
  #passOn(head: Buffer): boolean {
    const start = head.toString('latin1', 0, HTTP2_PREFACE.length)
    const isUpgrade =
      fieldsOf(head).some(([name]) => name === 'upgrade') || start.startsWith('CONNECT ') || start === HTTP2_PREFACE
    const reader = bodyReaderFor(head)
    if (isUpgrade || reader.state === 'invalid') {
      this.#release()
      return true
    }
    this.#attachServer()
    this.#consume(head.length)
    if (reader.state === 'incomplete') this.#foreign = reader
    this.#toServer(head)
    return true
  }

  #awaitHead(): boolean {
    if (this.#pending.length > MAX_HEAD_BYTES) {
      this.#release()
      return true
    }
    return this.#awaitContent()
  }

  /** The content in memory is bounded by how much of it is read. */
  #awaitContent(): boolean {
    this.#headTimer ??= setTimeout(() => this.#release(), MAX_HEAD_MS)
    return false
  }

  #clearHeadTimer(): void {
    if (this.#headTimer !== null) clearTimeout(this.#headTimer)
    this.#headTimer = null
  }

  #isServerBusy(): boolean {
    return this.#server !== null && (this.#connection.activity()?.busy ?? 0) > 0
  }

  #waitForServer(): boolean {
    setTimeout(() => this.#advance(), BUSY_CHECK_MS)
    return false
  }

  #consume(length: number): void {
    this.#pending = this.#pending.subarray(length)
  }

  #toServer(bytes: Buffer): void {
    if (bytes.length > 0) for (const listener of this.#server ?? []) listener.call(this.#socket, bytes)
  }

  #attachServer(): void {
    if (this.#server !== null) return
    this.#socket.off('timeout', this.#onTimeout)
    this.#socket.setTimeout(0)
    this.#connection.serve!(this.#socket)
    this.#server = this.#takeListeners()
  }

  /** Takes the listeners of the server from the socket, so that it gets only what is passed to it. */
  #takeListeners(): DataListener[] {
    // Added again, because it has to be there when Node stops parsing natively.
    this.#socket.off('data', this.#onData).on('data', this.#onData)
    const listeners = (this.#socket.listeners('data') as DataListener[]).filter(listener => listener !== this.#onData)
    for (const listener of listeners) this.#socket.off('data', listener)
    return listeners
  }

  /** Leaves the connection to the server for good. */
  #release(): void {
    if (this.#isReleased) return
    this.#clearHeadTimer()
    if (this.#socket.destroyed) return
    this.#attachServer()
    this.#isReleased = true
    const socket = this.#socket
    for (const listener of this.#server!) socket.on('data', listener)
    socket.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose).off('error', this.#onError)
    this.#connection.onRelease()
    const rest = this.#pending
    this.#pending = Buffer.alloc(0)
    this.#toServer(rest)
  }

  readonly #onEnd = (): void => {
    this.#arrival?.end('fin')
    this.#gone.abort()
    if (this.#server === null || this.#arrival !== null) this.#socket.end()
  }

  readonly #onClose = (): void => {
    this.#clearHeadTimer()
    this.#arrival?.end('reset')
    this.#gone.abort()
    this.#connection.onRelease()
  }

  readonly #onTimeout = (): void => {
    if (this.#arrival === null) this.#socket.destroy()
  }

  readonly #onError = (): void => {
    this.#socket.destroy()
  }
}

function isJson(head: Buffer): boolean {
  return fieldsOf(head).some(([name, value]) => name === 'content-type' && value.toLowerCase().includes('json'))
}
