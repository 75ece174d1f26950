/** Runs the script of an arrival, and records what was written. */
import { createHash } from 'node:crypto'
import type { JsonObject } from 'svc/plugin'
import { sleep, type Arrival, type SvcTap } from 'svc/toolkit'
import { unchunked } from '../client/http2-request.ts'
import type { Conversation } from '../client/websocket-frames.ts'
import { answerUnary } from './grpc-web.ts'
import { messageBytes } from './rpc-message.ts'
import type { Wire } from '../wires/types.ts'
import { wireOf } from '../wires/wires.ts'
import { MAX_WAIT_MS, type Action } from './script.ts'
import { subgraphIn } from './subgraph-requests.ts'
import { acceptH2c, asksFor, WebSocketEnd } from './upgrade.ts'

const MAX_KEPT = 64 * 1024
/** Of a route, whose answers judges read whole. */
const MAX_SERVED = 1024 * 1024
const MAX_CHUNKS = 1_000
const MAX_HEADS = 100
const INVALID =
  'HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: 7\r\nConnection: close\r\n\r\ninvalid'
const UNAVAILABLE =
  'HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nContent-Length: 23\r\nConnection: close\r\n\r\n{"error":"unavailable"}'

/** Where a script writes: the connection of an HTTP/1 request, or the stream of an HTTP/2 request. */
export interface ScriptWriter {
  write(bytes: Buffer): Promise<boolean>
  keep(): void
  end(): void
  reset(): void
  /** HTTP/2 only: REFUSED_STREAM, and GOAWAY. */
  refuse(): void
  goAway(isRefused: boolean): void
  /** HTTP/1 only: bytes of the connection that no longer are requests. */
  onBytes(listener: (bytes: Buffer) => void): void
  readonly signal: AbortSignal
}

/** What was written as answer. */
export class Answered {
  readonly chunks: { atMs: number; size: number }[] = []
  readonly #hash = createHash('sha256')
  readonly #kept: Buffer[] = []
  #keptBytes = 0
  size = 0
  /** HTTP/2 only: sizes of the heads, which come first, and of the trailers, which come last. */
  readonly headSizes: number[] = []
  trailersSize = 0
  isDone = false
  /** A route answers. */
  isServed = false
  /** What came after a 101 of a WebSocket. */
  conversation: Conversation | null = null

  add(bytes: Buffer, atMs: number): void {
    if (bytes.length === 0) return
    this.size += bytes.length
    this.#hash.update(bytes)
    if (this.chunks.length < MAX_CHUNKS) this.chunks.push({ atMs, size: bytes.length })
    const kept = bytes.subarray(0, (this.isServed ? MAX_SERVED : MAX_KEPT) - this.#keptBytes)
    if (kept.length > 0) this.#kept.push(Buffer.from(kept))
    this.#keptBytes += kept.length
  }

  addHead(bytes: Buffer, atMs: number): void {
    const { headSizes } = this
    if (headSizes.length < MAX_HEADS) headSizes.push(bytes.length)
    else headSizes[MAX_HEADS - 1]! += bytes.length
    this.add(bytes, atMs)
  }

  addTrailers(bytes: Buffer, atMs: number): void {
    this.trailersSize = bytes.length
    this.add(bytes, atMs)
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#kept)
  }
  get sha256(): string {
    return this.#hash.copy().digest('hex')
  }
}

interface AnswerOptions {
  script: Action[]
  /** Counts the arrivals of the step from 1. */
  number: number
  answered: Answered
  /** Lets routes answer. */
  serve: SvcTap['serve']
  /** Formats of requests to models. */
  wires: readonly Wire[]
}

/** Runs a script. */
export async function answer(
  arrival: Arrival,
  reply: ScriptWriter,
  { script, number, answered, serve, wires }: AnswerOptions,
): Promise<void> {
  let webSocket: WebSocketEnd | null = null
  const write = (bytes: Buffer): Promise<boolean> => reply.write(bytes)
  for (const action of script) {
    if (reply.signal.aborted) break
    switch (action.do) {
      case 'bytes':
        if (!(await write(Buffer.from(action.bytes.replaceAll('{{n}}', String(number).padStart(5, '0')), 'latin1'))))
          return
        break
      case 'content':
        if (isHead(arrival)) break
        if (!(await write(Buffer.from(action.bytes, 'latin1')))) return
        break
      case 'message':
        if (!(await write(Buffer.from(messageBytes(action, contentOf(arrival)), 'latin1')))) return
        break
      case 'fill':
        if (!(await fill(action, write))) return
        break
      case 'wait':
        await sleep(action.ms, { signal: reply.signal })
        break
      case 'receive':
        await arrival.whenReceived
        if (arrival.framing === 'invalid' && arrival.ended === null) {
          await write(Buffer.from(INVALID))
          answered.isDone = true
          return reply.end()
        }
        break
      case 'echo':
        await echo(arrival, reply, write)
        break
      case 'reflect':
        if (!(await write(reflected(arrival, action)))) return
        break
      case 'keep':
        answered.isDone = true
        return isClosing(arrival) ? reply.end() : reply.keep()
      case 'end':
        answered.isDone = true
        return reply.end()
      case 'reset':
        answered.isDone = true
        return reply.reset()
      case 'accept':
        webSocket = new WebSocketEnd(reply)
        answered.conversation = webSocket.seen
        await webSocket.accept(arrival.head, action.protocol)
        break
      case 'frame':
        await webSocket?.send(action.opcode, Buffer.from(action.payload, 'latin1'))
        break
      case 'converse':
        if (webSocket !== null) await Promise.race([webSocket.whenClosed, sleep(action.ms, { signal: reply.signal })])
        break
      case 'unary':
        await answerUnary(arrival, reply, action.text)
        break
      case 'h2c':
        if (!asksFor(arrival.head, 'h2c')) break
        await acceptH2c(reply)
        await sleep(action.ms, { signal: reply.signal })
        answered.isDone = true
        return reply.end()
      case 'serve':
        answered.isServed = true
        await arrival.whenReceived
        if (isOfModels(arrival, wires))
          return handOver(arrival, reply, { step: stepAt(action.step, number), answered, serve })
        if (action.others === 'silent') {
          await sleep(MAX_WAIT_MS, { signal: reply.signal })
          break
        }
        if (action.others === undefined) return handOver(arrival, reply, { step: null, answered, serve })
        answered.isDone = true
        await write(Buffer.from(UNAVAILABLE))
        return reply.end()
      case 'subgraph': {
        answered.isServed = true
        await arrival.whenReceived
        const fault = action.faults[subgraphIn(arrival.head) ?? '']
        if (fault === 'silent') {
          await sleep(MAX_WAIT_MS, { signal: reply.signal })
          break
        }
        answered.isDone = fault === 'reset' || fault === 'unavailable'
        if (fault === 'reset') return reply.reset()
        if (fault !== 'unavailable') return handOver(arrival, reply, { step: fault ?? null, answered, serve })
        await write(Buffer.from(UNAVAILABLE))
        return reply.end()
      }
      case 'refuse':
        answered.isDone = true
        return reply.refuse()
      case 'goaway':
        answered.isDone = true
        return reply.goAway(action.refused)
    }
  }
  answered.isDone = true
  reply.end()
}

/** The step of the n-th arrival. */
export function stepAt(step: Extract<Action, { do: 'serve' }>['step'], number: number): JsonObject | null {
  return Array.isArray(step) ? (step[Math.min(number, step.length) - 1] ?? null) : step
}

/** The route of the request answers it. */
async function handOver(
  arrival: Arrival,
  reply: ScriptWriter,
  { step, answered, serve }: Pick<AnswerOptions, 'answered' | 'serve'> & { step: JsonObject | null },
): Promise<void> {
  if (arrival.framing !== 'complete' || arrival.truncated) {
    await reply.write(Buffer.from(INVALID))
    answered.isDone = true
    return reply.end()
  }
  const { then } = await serve(arrival, { step, write: bytes => reply.write(bytes), signal: reply.signal })
  answered.isDone = true
  if (then === 'reset') return reply.reset()
  return then === 'end' || isClosing(arrival) ? reply.end() : reply.keep()
}

/** Whether a route of a wire of models gets the request. */
export function isOfModels({ head }: Arrival, wires: readonly Wire[]): boolean {
  const [method = '', path = ''] = head.toString('latin1').split(/\r?\n/, 1)[0]!.split(' ')
  return wireOf(wires, method, path) !== null
}

function isHead({ head }: Arrival): boolean {
  return head.toString('latin1', 0, 5) === 'HEAD '
}

/** The body without the chunked coding. */
function contentOf({ head, bytes, protocol }: Arrival): Buffer {
  const body = bytes.subarray(head.length)
  return protocol !== '2' && /^transfer-encoding:/im.test(head.toString('latin1')) ? unchunked(body) : body
}

/** Whether the connection ends after the answer (RFC 9112, 9.3). */
function isClosing({ head, protocol }: Arrival): boolean {
  if (protocol === '2') return false
  const connection = /^connection:(.*)$/gim
  const options = [...head.toString('latin1').matchAll(connection)].map(([, value]) => value!.toLowerCase()).join(',')
  return /\bclose\b/.test(options) || (protocol === '1.0' && !options.includes('keep-alive'))
}

function reflected({ head }: Arrival, { field, fields }: { field: string; fields: string }): Buffer {
  const line = head
    .toString('latin1')
    .split('\r\n')
    .find(one => one.toLowerCase().startsWith(`${field.toLowerCase()}:`))
  const body = `reflected ${line?.slice(field.length + 1).trim() ?? 'nothing'}`
  return Buffer.from(`HTTP/1.1 200 OK\r\n${fields}Content-Length: ${body.length}\r\n\r\n${body}`, 'latin1')
}

const FILL = 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-\n'

async function fill(
  { size, piece, chunked }: { size: number; piece: number; chunked?: boolean },
  write: (bytes: Buffer) => Promise<boolean>,
): Promise<boolean> {
  for (let left = size; left > 0; left -= piece) {
    const content = Buffer.alloc(Math.min(piece, left), FILL)
    const bytes = chunked
      ? Buffer.concat([Buffer.from(`${content.length.toString(16)}\r\n`), content, Buffer.from('\r\n')])
      : content
    if (!(await write(bytes))) return false
  }
  return true
}

/** Writes the body back as it arrives, in chunks, until it is complete. */
async function echo(arrival: Arrival, reply: ScriptWriter, write: (bytes: Buffer) => Promise<boolean>): Promise<void> {
  let echoed = 0
  while (!reply.signal.aborted) {
    const isComplete = arrival.framing !== 'incomplete'
    if (arrival.bodySize > echoed) {
      const text = `echo ${arrival.bodySize}\n`
      echoed = arrival.bodySize
      await write(Buffer.from(`${text.length.toString(16)}\r\n${text}\r\n`))
    }
    if (isComplete) break
    await sleep(5, { signal: reply.signal })
  }
  await write(Buffer.from('0\r\n\r\n'))
}
