/** Sends the requests of one HTTP/2 connection, each on a stream of its own. */
import {
  connect,
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type OutgoingHttpHeaders,
} from 'node:http2'
import type { Socket } from 'node:net'
import { sleep } from 'svc/toolkit'
import { Changes, clock } from './changes.ts'
import { MAX_RECEIVED, openSocket, type Piece } from './connection.ts'
import {
  SILENCE_MS,
  failedExchange,
  maxResponseMs,
  type CallRecord,
  type ConnectionSpec,
  type ExchangeOptions,
  type ExchangeRecord,
  type Patience,
} from './exchange.ts'
import { http2RequestHead, http2ResponseHead, http2Trailers } from './http2-message.ts'
import { runFormExchange } from './http2-form.ts'
import type { EncodedHttp2Request } from './http2-request.ts'
import type { Field, Response } from './response-parser.ts'

const SETTINGS_MS = 2_000

export async function runHttp2Exchange(
  spec: ConnectionSpec,
  requests: readonly EncodedHttp2Request[],
  options: ExchangeOptions,
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
    http2: { fields: request.fields, received: [], errorCode: null },
  }))
  let socket: Socket
  try {
    socket = await openSocket(options.address, options.trust, ['h2'])
  } catch (error) {
    return failedExchange(calls, (error as NodeJS.ErrnoException).code ?? (error as Error).message)
  }
  if (requests[0]?.form) return runFormExchange(socket, requests[0], calls, options)
  const session = connect(options.address.url, { createConnection: () => socket })
  session.on('error', () => {})
  const stop = (): void => session.destroy()
  options.signal.addEventListener('abort', stop)
  try {
    return await onSession(session, spec, requests, calls, options)
  } finally {
    options.signal.removeEventListener('abort', stop)
    session.destroy()
  }
}

async function onSession(
  session: ClientHttp2Session,
  spec: ConnectionSpec,
  requests: readonly EncodedHttp2Request[],
  calls: readonly CallRecord[],
  { timeoutMs, admits = () => true, onParts }: ExchangeOptions,
): Promise<ExchangeRecord> {
  const changes = new Changes()
  let ended: ExchangeRecord['ended'] = null
  let endedMs: number | null = null
  session.on('close', () => {
    ended = 'fin'
    endedMs = clock()
    changes.notify()
  })
  let hasSettings = false
  session.once('remoteSettings', () => {
    hasSettings = true
    changes.notify()
  })
  const port = session.socket.localPort ?? 0
  const settingsUntil = clock() + SETTINGS_MS
  await changes.waitUntil(
    () => hasSettings || ended !== null,
    () => settingsUntil,
  )
  if (ended !== null) return failedExchange([...calls], 'no HTTP/2 connection')
  let hasLeft = false
  const started: StreamCall[] = []
  for (const [index, request] of requests.entries()) {
    const call = calls[index]!
    const isLast = index === requests.length - 1
    if (session.closed || session.destroyed) break
    const stream = new StreamCall(session, call, request, { changes, admits, onParts })
    started.push(stream)
    await stream.sendContent()
    if (isLast && spec.leaveAfterMs !== undefined) {
      const until = call.sentEndMs + spec.leaveAfterMs
      await changes.waitUntil(
        () => stream.isOver,
        () => until,
      )
      hasLeft = true
      stream.leave()
      break
    }
    if (call.spec.isPipelined === true) continue
    await stream.waitForEnd(patienceOf(call, timeoutMs))
    if (!isLast && spec.gapMs !== undefined) await sleep(spec.gapMs)
  }
  for (const [index, stream] of started.entries()) {
    if (!hasLeft) await stream.waitForEnd(patienceOf(calls[index]!, timeoutMs))
  }
  if (!hasLeft && spec.watchMs !== undefined) await sleep(spec.watchMs)
  for (const stream of started) stream.finish()
  const pieces = calls.flatMap(({ http2 }) => http2!.received)
  const announced = session.destroyed ? null : (session.remoteSettings.maxConcurrentStreams ?? null)
  const isBroken = calls.some(({ http2 }) => http2!.errorCode !== null)
  return {
    connectError: null,
    port,
    calls: [...calls],
    sent: calls.map(({ sentAtMs: atMs, sent: bytes }) => ({ atMs, bytes })),
    received: pieces,
    receivedBytes: pieces.reduce((sum, { bytes }) => sum + bytes.length, 0),
    ended: hasLeft ? null : (ended ?? (isBroken ? 'reset' : null)),
    endedMs,
    watchedUntilMs: clock(),
    extra: Buffer.alloc(0),
    hasLeft,
    leftAtMs: null,
    untilEndedMs: 0,
    announcedStreams: announced,
    exceeded: started.some(({ isTooLarge }) => isTooLarge)
      ? 'bytes'
      : started.some(({ isEndless }) => isEndless)
        ? 'time'
        : null,
  }
}

function patienceOf({ spec }: CallRecord, timeoutMs: number): Patience & { maxMs: number } {
  const own = { timeoutMs: spec.timeoutMs ?? timeoutMs, silenceMs: spec.silenceMs ?? SILENCE_MS }
  return { ...own, maxMs: maxResponseMs(timeoutMs, own) }
}

type Flat = readonly string[]

/** One request on its stream. */
class StreamCall {
  readonly #call: CallRecord
  readonly #stream: ClientHttp2Stream
  readonly #parts: EncodedHttp2Request['parts']
  readonly #changes: Changes
  readonly #admits: (bytes: number) => boolean
  readonly #onParts: ExchangeOptions['onParts']
  readonly #received: Piece[]
  readonly #interims: Response['interims'] = []
  #response: Response | null = null
  #hasEnd = false
  #isClosed = false
  #beganAtMs = clock()
  #size = 0
  isTooLarge = false
  isEndless = false

  constructor(
    session: ClientHttp2Session,
    call: CallRecord,
    request: EncodedHttp2Request,
    {
      changes,
      admits,
      onParts,
    }: { changes: Changes; admits(bytes: number): boolean } & Pick<ExchangeOptions, 'onParts'>,
  ) {
    this.#call = call
    this.#parts = request.parts
    this.#changes = changes
    this.#admits = admits
    this.#onParts = onParts
    this.#received = call.http2!.received
    call.sentAtMs = clock()
    const stream = session.request(headersOf(request.fields), { endStream: request.parts.length === 0 })
    this.#stream = stream
    call.sent = http2RequestHead(request.fields)
    stream.on('headers', (_headers: unknown, _flags: unknown, ...more: unknown[]) => this.#onInterim(more[0] as Flat))
    stream.on('response', (_headers: unknown, _flags: unknown, ...more: unknown[]) => this.#onHead(more[0] as Flat))
    stream.on('data', (bytes: Buffer) => this.#onContent(bytes))
    stream.on('trailers', (_headers: unknown, _flags: unknown, ...more: unknown[]) => {
      const fields = pairsOf(more[0] as Flat)
      if (this.#response !== null) this.#response.trailers = fields
      this.#add(http2Trailers(fields))
    })
    stream.on('end', () => {
      this.#hasEnd = true
    })
    stream.on('error', () => {})
    stream.on('close', () => {
      this.#isClosed = true
      this.#changes.notify()
    })
  }

  get isOver(): boolean {
    return this.#isClosed
  }

  async sendContent(): Promise<void> {
    const sent = [this.#call.sent]
    for (const part of this.#parts) {
      if (this.#isClosed) break
      if (Buffer.isBuffer(part)) {
        sent.push(part)
        await this.#write(part)
      } else {
        const before = this.#received.length
        const until = clock() + ('waitMs' in part ? part.waitMs : part.timeoutMs)
        await this.#changes.waitUntil(
          () => this.#isClosed || (!('waitMs' in part) && this.#received.length > before),
          () => until,
        )
      }
    }
    if (this.#parts.length > 0 && !this.#stream.destroyed) this.#stream.end()
    this.#call.sent = Buffer.concat(sent)
    this.#call.sentEndMs = clock()
    this.#beganAtMs = clock()
  }

  /** Resolves when the stream has ended, or nothing comes any more. */
  async waitForEnd({ timeoutMs, silenceMs, maxMs }: Patience & { maxMs: number }): Promise<void> {
    await this.#changes.waitUntil(
      () => this.#isClosed || this.isTooLarge,
      () => {
        const last = this.#received.at(-1)
        const until =
          last === undefined || this.#response === null
            ? Math.max(this.#beganAtMs, last?.atMs ?? 0) + timeoutMs
            : Math.max(last.atMs + silenceMs, this.#beganAtMs)
        return Math.min(until, this.#beganAtMs + maxMs)
      },
    )
    this.isEndless = !this.#isClosed && clock() >= this.#beganAtMs + maxMs
    if (this.isTooLarge || this.isEndless) this.leave()
  }

  leave(): void {
    this.#stream.close(constants.NGHTTP2_CANCEL)
  }

  finish(): void {
    const { rstCode } = this.#stream
    const isEnded = this.#isClosed && this.#hasEnd && rstCode === 0
    if (this.#isClosed && !isEnded) this.#call.http2!.errorCode = rstCode
    if (this.#response === null) return
    this.#response.body = Buffer.concat(this.#response.parts.map(({ bytes }) => bytes))
    this.#response.isComplete = isEnded
    this.#call.response = this.#response
  }

  #write(bytes: Buffer): Promise<void> {
    return new Promise(resolve => {
      if (this.#stream.destroyed || this.#stream.closed) return resolve()
      const done = (): void => {
        this.#stream.off('close', done)
        resolve()
      }
      this.#stream.on('close', done)
      this.#stream.write(bytes, done)
    })
  }

  #onInterim(raw: Flat): void {
    const { status, fields } = split(raw)
    this.#interims.push({ status, fields, atMs: clock() })
    this.#add(http2ResponseHead(status, fields))
  }

  #onHead(raw: Flat): void {
    const { status, fields } = split(raw)
    const head = http2ResponseHead(status, fields)
    this.#response = {
      version: 'HTTP/2',
      status,
      reason: '',
      fields,
      interims: this.#interims,
      head,
      body: Buffer.alloc(0),
      trailers: [],
      framing: fields.some(([name]) => name === 'content-length') ? 'length' : 'chunked',
      isComplete: false,
      headAtMs: clock(),
      endAtMs: clock(),
      parts: [],
    }
    this.#add(head)
  }

  #onContent(bytes: Buffer): void {
    if (!this.isTooLarge) this.#response?.parts.push({ atMs: clock(), bytes })
    this.#add(bytes)
    if (!this.isTooLarge && this.#response !== null) this.#onParts?.(this.#response.parts)
  }

  #add(bytes: Buffer): void {
    const atMs = clock()
    this.#size += bytes.length
    this.isTooLarge ||= this.#size > MAX_RECEIVED || !this.#admits(bytes.length)
    if (!this.isTooLarge) this.#received.push({ atMs, bytes })
    if (this.#response !== null) this.#response.endAtMs = atMs
    this.#changes.notify()
  }
}

function pairsOf(raw: Flat): Field[] {
  return Array.from({ length: raw.length / 2 }, (_, index) => [raw[index * 2]!, raw[index * 2 + 1]!])
}

function split(raw: Flat): { status: number; fields: Field[] } {
  const pairs = pairsOf(raw)
  return {
    status: Number(pairs.find(([name]) => name === ':status')?.[1] ?? 0),
    fields: pairs.filter(([name]) => !name.startsWith(':')),
  }
}

function headersOf(fields: readonly Field[]): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {}
  for (const [name, value] of fields) {
    const before = headers[name]
    headers[name] = before === undefined ? value : [...(Array.isArray(before) ? before : [String(before)]), value]
  }
  return headers
}
