/** The form in which arrivals go over the back channel. */
import { createHash } from 'node:crypto'
import type { Arrival } from 'svc/toolkit'
import type { Conversation } from '../client/websocket-frames.ts'
import type { Answered } from './answer.ts'

export interface TimedChunk {
  at_ms: number
  size: number
}

/** Bytes are text in ISO 8859-1, times milliseconds of the upstream's clock. */
export interface ArrivalRecord {
  number: number
  /** The svc where it arrived. */
  instance: string
  step: string
  connection: number
  request_on_connection: number
  listener: Arrival['listener']
  peer: string
  tls: { version: string | null; alpn: string | null; sni: string | null; client_certificate: boolean } | null
  protocol: Arrival['protocol']
  bytes: string
  size: number
  truncated: boolean
  sha256: string
  head_size: number
  body_size: number
  body_sha256: string
  chunks: TimedChunk[]
  head_at_ms: number
  first_body_byte_ms: number | null
  last_byte_ms: number
  framing: Arrival['framing']
  ended: Arrival['ended']
  ended_ms: number | null
  /** HTTP/2 only: those of the request, and the error code with which the gateway reset the stream. */
  trailers: [name: string, value: string][]
  reset_code: number | null
  /** After a 101 of a WebSocket. */
  conversation: Conversation | null
  /** Rules of the vendor that the request violates, of a request that a route answered. */
  violations?: unknown[]
  answered: AnsweredRecord
}

/** What the upstream wrote. */
export interface AnsweredRecord {
  bytes: string
  size: number
  sha256: string
  chunks: TimedChunk[]
  /** HTTP/2 only: sizes of the heads, which come first, and of the trailers, which come last. */
  head_sizes: number[]
  trailers_size: number
  done: boolean
}

const MAX_SHOWN = 128 * 1024
/** Of a request that a route answered: judges read it whole. */
const MAX_SERVED = 1280 * 1024

export function arrivalRecord(
  { number, instance }: Pick<ArrivalRecord, 'number' | 'instance'>,
  arrival: Arrival,
  answered: Answered,
): ArrivalRecord {
  const shown = arrival.bytes.subarray(0, answered.isServed ? MAX_SERVED : MAX_SHOWN)
  const { violations } = arrival.notes
  return {
    number,
    instance,
    step: arrival.step,
    connection: arrival.connection,
    request_on_connection: arrival.requestOnConnection,
    listener: arrival.listener,
    peer: arrival.peer,
    tls:
      arrival.tls === null
        ? null
        : {
            version: arrival.tls.version,
            alpn: arrival.tls.alpn,
            sni: arrival.tls.sni,
            client_certificate: arrival.tls.clientCertificate,
          },
    protocol: arrival.protocol,
    bytes: shown.toString('latin1'),
    size: arrival.size,
    truncated: arrival.size > shown.length,
    sha256: arrival.sha256,
    head_size: arrival.head.length,
    body_size: arrival.bodySize,
    body_sha256: arrival.bodySha256,
    chunks: arrival.chunks.map(timed),
    head_at_ms: arrival.headAtMs,
    first_body_byte_ms: arrival.firstBodyByteMs,
    last_byte_ms: arrival.lastByteMs,
    framing: arrival.framing,
    ended: arrival.ended,
    ended_ms: arrival.endedMs,
    trailers: arrival.trailers.map(([name, value]) => [name, value]),
    reset_code: arrival.resetCode,
    conversation: answered.conversation,
    ...(Array.isArray(violations) ? { violations } : {}),
    answered: {
      bytes: answered.bytes.toString('latin1'),
      size: answered.size,
      sha256: answered.sha256,
      chunks: answered.chunks.map(timed),
      head_sizes: [...answered.headSizes],
      trailers_size: answered.trailersSize,
      done: answered.isDone,
    },
  }
}

/** A message on a socket: the head of the request that opened it, and the message as its body. Nothing tells when it is over. */
export function messageRecord(
  { number, step, atMs }: { number: number; step: string; atMs: number },
  { head, peer }: { head: string; peer: string },
  text: Buffer,
): ArrivalRecord {
  const bytes = Buffer.concat([Buffer.from(head, 'latin1'), text])
  const hash = (part: Buffer): string => createHash('sha256').update(part).digest('hex')
  return {
    number,
    instance: '',
    step,
    connection: 0,
    request_on_connection: 1,
    listener: 'http',
    peer,
    tls: null,
    protocol: '1.1',
    bytes: bytes.toString('latin1'),
    size: bytes.length,
    truncated: false,
    sha256: hash(bytes),
    head_size: head.length,
    body_size: text.length,
    body_sha256: hash(text),
    chunks: [],
    head_at_ms: atMs,
    first_body_byte_ms: atMs,
    last_byte_ms: atMs,
    framing: 'complete',
    ended: 'kept',
    ended_ms: null,
    trailers: [],
    reset_code: null,
    conversation: null,
    // The route writes to the socket, so the tap sees nothing of it.
    answered: {
      bytes: '',
      size: 0,
      sha256: hash(Buffer.alloc(0)),
      chunks: [],
      head_sizes: [],
      trailers_size: 0,
      done: true,
    },
  }
}

function timed({ atMs, size }: { atMs: number; size: number }): TimedChunk {
  return { at_ms: atMs, size }
}

/** Moves all times of arrivals, from one clock to another. */
export function shiftTimes(arrivals: readonly ArrivalRecord[], byMs: number): void {
  for (const arrival of arrivals) {
    arrival.head_at_ms += byMs
    arrival.last_byte_ms += byMs
    if (arrival.first_body_byte_ms !== null) arrival.first_body_byte_ms += byMs
    if (arrival.ended_ms !== null) arrival.ended_ms += byMs
    for (const chunk of [...arrival.chunks, ...arrival.answered.chunks]) chunk.at_ms += byMs
  }
}
