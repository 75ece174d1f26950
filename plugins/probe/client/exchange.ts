/** Sends the requests of one connection and records what came back. */
import { sleep } from 'svc/toolkit'
import { clock } from './changes.ts'
import { openConnection, type Connection, type Piece, type TlsTrust } from './connection.ts'
import type { Address } from './address.ts'
import type { EncodedRequest, Part, RequestSpec } from './request.ts'
import type { ServiceCall, ServiceScene } from './service-scene.ts'
import { ResponseParser, type Field, type Response } from './response-parser.ts'

/** The requests of one client connection, in order. */
export interface ConnectionSpec {
  requests: RequestSpec[]
  /** Where it goes instead of the place of the group: a name of `--routes`. */
  route?: string
  /** Between a response and the next request. */
  gapMs?: number
  /** How long the connection is watched after the last response; it ends earlier when the gateway closes it. */
  watchMs?: number
  /** How long to wait after an answer, whatever happens to the connection, so that the upstream can be watched. */
  stayMs?: number
  /** The client leaves this long after it has sent the last request. */
  leaveAfterMs?: number
  /** With it: the client leaves before, as soon as it has received this. */
  leaveWhen?: (received: Buffer) => boolean
  /** With it: how long the upstream is watched, until the gateway ends what it sent there. */
  untilEndedMs?: number
  /** Reads nothing for this long after the last request was sent. */
  pauseReadingMs?: number
  /** Before the connection is opened. */
  delayMs?: number
  /**
   * What the client sends on another connection while it still receives on this one. Called with all that was received, and the
   * number of connections that it has led to; null: nothing more for now.
   */
  meanwhile?: (received: Buffer, opened: number) => ConnectionSpec | null
  /** What svc does as a service of the gateway while the connection is open. Of checks without a direct run. */
  service?: ServiceScene
}

/** Connections that one leads to while it is open. */
export const MAX_MEANWHILE = 8

export interface CallRecord {
  spec: RequestSpec
  step: number
  method: string
  sentAtMs: number
  /** When the last byte was sent. */
  sentEndMs: number
  sent: Buffer
  response: Response | null
  /** HTTP/2 only. */
  http2: Http2Call | null
}

/** A request on a stream of HTTP/2. */
export interface Http2Call {
  /** As they were sent, pseudo-header fields first. */
  fields: readonly Field[]
  /** What came back on the stream. */
  received: Piece[]
  /** Of RST_STREAM. */
  errorCode: number | null
}

export interface ExchangeRecord {
  connectError: string | null
  /** Port of the client half. */
  port: number
  calls: CallRecord[]
  sent: Piece[]
  received: Piece[]
  receivedBytes: number
  /** Null: still open when the probe stopped watching. */
  ended: 'fin' | 'reset' | null
  endedMs: number | null
  watchedUntilMs: number
  /** Bytes behind the last response. */
  extra: Buffer
  /** The client left before the answer was complete. */
  hasLeft: boolean
  leftAtMs: number | null
  untilEndedMs: number
  /** HTTP/2 only: streams that the gateway allows at once, as it announced. */
  announcedStreams: number | null
  /** Why the probe left: more bytes came than any step has, or an answer did not end. */
  exceeded: 'bytes' | 'time' | null
  /** How often the request was sent again, since the gateway answered with an error without asking the upstream. */
  sentAgain?: number
  /** What the gateway asked the service of the scene about the first request. */
  asked?: readonly ServiceCall[]
}

export const SILENCE_MS = 2_000

export interface ExchangeOptions {
  address: Address
  trust: TlsTrust
  timeoutMs: number
  signal: AbortSignal
  /** Called when bytes have come, with all of them. */
  onReceived?: (received: Buffer) => void
  /** False for received bytes that are too many. */
  admits?: ((bytes: number) => boolean) | undefined
  /** Called when content of the last answer that began has come, with all of its parts. */
  onParts?: ((parts: Response['parts']) => void) | undefined
}

export async function runExchange(
  spec: ConnectionSpec,
  requests: readonly EncodedRequest[],
  { address, trust, timeoutMs, signal, onReceived, admits, onParts }: ExchangeOptions,
): Promise<ExchangeRecord> {
  if (spec.delayMs !== undefined) await sleep(spec.delayMs)
  const calls: CallRecord[] = requests.map((request, index) => ({
    spec: spec.requests[index]!,
    step: request.step,
    method: request.method,
    sentAtMs: 0,
    sentEndMs: 0,
    sent: Buffer.alloc(0),
    response: null,
    http2: null,
  }))
  let connection: Connection
  try {
    connection = await openConnection(address, trust, admits)
  } catch (error) {
    return failedExchange(calls, (error as NodeJS.ErrnoException).code ?? (error as Error).message)
  }
  const stop = (): void => connection.close()
  signal.addEventListener('abort', stop)
  if (onReceived !== undefined)
    connection.onReceived = () => onReceived(Buffer.concat(connection.received.map(({ bytes }) => bytes)))
  const reader = new Reader(connection, requests, onParts)
  let hasLeft = false
  let leftAtMs: number | null = null
  try {
    for (const [index, request] of requests.entries()) {
      const call = calls[index]!
      const isLast = index === requests.length - 1
      call.sentAtMs = clock()
      await send(connection, reader, call, request.parts)
      call.sentEndMs = clock()
      if (isLast && spec.pauseReadingMs !== undefined) {
        connection.pause()
        await sleep(spec.pauseReadingMs)
        connection.resume()
      }
      if (isLast && spec.leaveAfterMs !== undefined) {
        await connection.waitUntil(
          () =>
            !connection.isOpen ||
            spec.leaveWhen?.(Buffer.concat(connection.received.map(({ bytes }) => bytes))) === true,
          () => call.sentEndMs + spec.leaveAfterMs!,
        )
        hasLeft = true
        leftAtMs = clock()
        break
      }
      if (call.spec.isPipelined === true && !isLast) continue
      const own = { timeoutMs: call.spec.timeoutMs ?? timeoutMs, silenceMs: call.spec.silenceMs ?? SILENCE_MS }
      await reader.waitFor(index + 1, { ...own, maxMs: maxResponseMs(timeoutMs, own) })
      if (!connection.isOpen || reader.isEndless) break
      if (!isLast && spec.gapMs !== undefined) await sleep(spec.gapMs)
    }
    if (!hasLeft && spec.watchMs !== undefined && !reader.isEndless) {
      const until = clock() + spec.watchMs
      await connection.waitUntil(
        () => !connection.isOpen,
        () => until,
      )
    }
    if (spec.stayMs !== undefined && reader.responses.length > 0) await sleep(spec.stayMs)
  } finally {
    signal.removeEventListener('abort', stop)
  }
  const { ended, endedMs } = connection
  reader.finish()
  connection.close()
  for (const [index, call] of calls.entries()) call.response = reader.responses[index] ?? null
  return {
    connectError: null,
    port: connection.port,
    calls,
    sent: connection.sent,
    received: connection.received,
    receivedBytes: connection.receivedBytes,
    ended: hasLeft && ended === null ? null : ended,
    endedMs,
    watchedUntilMs: clock(),
    extra: reader.extra,
    hasLeft,
    leftAtMs,
    untilEndedMs: hasLeft ? (spec.untilEndedMs ?? 0) : 0,
    announcedStreams: null,
    exceeded: hasLeft ? null : connection.isTooLarge ? 'bytes' : reader.isEndless ? 'time' : null,
  }
}

export interface Patience {
  /** For an answer to begin, and silence after which it is given up. */
  timeoutMs: number
  silenceMs: number
}

/** How long an answer may take as a whole, so that one byte a second does not last forever. */
export function maxResponseMs(timeoutMs: number, own: Patience): number {
  return Math.max(6 * timeoutMs, 3 * own.timeoutMs, 3 * own.silenceMs)
}

async function send(connection: Connection, reader: Reader, call: CallRecord, parts: readonly Part[]): Promise<void> {
  const sent: Buffer[] = []
  for (const part of parts) {
    if (!connection.isOpen) break
    if (Buffer.isBuffer(part)) {
      sent.push(part)
      await connection.send(part)
    } else if ('waitMs' in part) {
      const until = clock() + part.waitMs
      await connection.waitUntil(
        () => !connection.isOpen,
        () => until,
      )
    } else if ('reply' in part) {
      const reply = await reader.waitForReply(part.reply, part.timeoutMs)
      if (reply === null || reply.length === 0) continue
      sent.push(reply)
      await connection.send(reply)
    } else await reader.waitForAny(part.timeoutMs)
  }
  call.sent = Buffer.concat(sent)
}

/** Parses what the connection receives. */
class Reader {
  readonly #connection: Connection
  readonly #parser: ResponseParser
  readonly #onParts: ExchangeOptions['onParts']
  #fed = 0
  isEndless = false

  constructor(
    connection: Connection,
    requests: readonly EncodedRequest[],
    onParts: ExchangeOptions['onParts'] = undefined,
  ) {
    this.#connection = connection
    this.#onParts = onParts
    this.#parser = new ResponseParser(requests.map(({ method }) => method))
  }

  get responses(): Response[] {
    return this.#parser.responses
  }
  get extra(): Buffer {
    return this.#parser.extra
  }

  /** Waits until the first `count` responses are complete, nothing comes any more, or the connection ends. */
  async waitFor(count: number, { timeoutMs, silenceMs, maxMs }: Patience & { maxMs: number }): Promise<void> {
    const from = clock()
    await this.#connection.waitUntil(
      () => {
        this.#feed()
        const { parts = [] } = this.#parser.responses.at(-1) ?? {}
        if (parts.length > 0) this.#onParts?.(parts)
        return this.#parser.isDone(count) || !this.#connection.isOpen
      },
      () => {
        const last = this.#connection.received.at(-1)
        const hasBegun = this.#parser.responses.length >= count && last !== undefined && last.atMs >= from
        const until = hasBegun ? Math.max(last.atMs + silenceMs, from) : Math.max(from, last?.atMs ?? 0) + timeoutMs
        return Math.min(until, from + maxMs)
      },
    )
    this.isEndless = clock() >= from + maxMs && this.#connection.isOpen && !this.#parser.isDone(count)
  }

  /** Waits for anything: an interim or a final response. */
  async waitForAny(timeoutMs: number): Promise<void> {
    const before = this.#connection.receivedBytes
    const until = clock() + timeoutMs
    await this.#connection.waitUntil(
      () => this.#connection.receivedBytes > before || !this.#connection.isOpen,
      () => until,
    )
  }

  /** Waits until what was received has a reply. */
  async waitForReply(replyTo: (received: Buffer) => Buffer | null, timeoutMs: number): Promise<Buffer | null> {
    const until = clock() + timeoutMs
    const connection = this.#connection
    let reply: Buffer | null = null
    await connection.waitUntil(
      () => {
        reply = replyTo(Buffer.concat(connection.received.map(({ bytes }) => bytes)))
        return reply !== null || !connection.isOpen
      },
      () => until,
    )
    return reply
  }

  finish(): void {
    this.#feed()
    const { ended, endedMs } = this.#connection
    if (ended !== null) this.#parser.end(ended, endedMs!)
    this.#parser.finish()
  }

  #feed(): void {
    const { received, ended, endedMs } = this.#connection
    for (; this.#fed < received.length; this.#fed++) this.#parser.feed(received[this.#fed]!)
    if (ended !== null) this.#parser.end(ended, endedMs!)
  }
}

export function failedExchange(calls: CallRecord[], reason: string): ExchangeRecord {
  return {
    connectError: reason,
    port: 0,
    calls,
    sent: [],
    received: [],
    receivedBytes: 0,
    ended: null,
    endedMs: null,
    watchedUntilMs: clock(),
    extra: Buffer.alloc(0),
    hasLeft: false,
    leftAtMs: null,
    untilEndedMs: 0,
    announcedStreams: null,
    exceeded: null,
  }
}
