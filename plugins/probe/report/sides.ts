/** The four sides of an exchange: sent, arrived, answered, came back. */
import type { Evidence } from '../client/evidence.ts'
import type { ArrivalRecord, TimedChunk } from '../upstream/arrival-record.ts'

/** Bytes are text in ISO 8859-1; times are milliseconds since the request was sent. */
export interface Side {
  bytes: string
  size: number
  truncated: boolean
  connection: number | null
  chunks: TimedChunk[]
  ended: string | null
}

export interface ReportedExchange {
  step: number
  through: 'direct' | 'gateway'
  sent: Side
  arrived: Side[]
  answered: Side | null
  came_back: Side | null
}

const MAX_SIDE = 8 * 1024
const MAX_CHUNKS = 40
const MAX_EXCHANGES = 24

export function exchangesOf(evidence: Evidence): ReportedExchange[] {
  return evidence.calls.slice(0, MAX_EXCHANGES).map(call => {
    const { record, exchange, response } = call
    const origin = record.sentAtMs
    const isOnly = exchange.calls.length === 1
    const received = isOnly
      ? Buffer.concat(exchange.received.map(({ bytes }) => bytes))
      : response === null
        ? null
        : Buffer.concat([response.head, response.body])
    return {
      step: record.step,
      through: evidence.through,
      sent: side(record.sent, record.sent.length, [{ at_ms: 0, size: record.sent.length }], null, null),
      arrived: call.arrivals.map(view => arrivedSide(view.record, origin)),
      answered: call.answered === null ? null : answeredSide(call.answered, origin),
      came_back:
        received === null
          ? null
          : side(
              received,
              received.length,
              isOnly
                ? exchange.received.map(({ atMs, bytes }) => ({ at_ms: round(atMs - origin), size: bytes.length }))
                : [],
              null,
              exchange.ended ?? 'kept',
            ),
    }
  })
}

function arrivedSide(record: ArrivalRecord, origin: number): Side {
  return {
    bytes: record.bytes.slice(0, MAX_SIDE),
    size: record.size,
    truncated: record.size > MAX_SIDE,
    connection: record.connection,
    chunks: relative(record.chunks, origin),
    ended: record.ended,
  }
}

function answeredSide(answered: ArrivalRecord['answered'], origin: number): Side {
  return {
    bytes: answered.bytes.slice(0, MAX_SIDE),
    size: answered.size,
    truncated: answered.size > MAX_SIDE,
    connection: null,
    chunks: relative(answered.chunks, origin),
    ended: null,
  }
}

function side(
  bytes: Buffer,
  size: number,
  chunks: TimedChunk[],
  connection: number | null,
  ended: string | null,
): Side {
  return {
    bytes: bytes.subarray(0, MAX_SIDE).toString('latin1'),
    size,
    truncated: size > MAX_SIDE,
    connection,
    chunks: chunks.slice(0, MAX_CHUNKS),
    ended,
  }
}

function relative(chunks: readonly TimedChunk[], origin: number): TimedChunk[] {
  return chunks.slice(0, MAX_CHUNKS).map(({ at_ms: at, size }) => ({ at_ms: round(at - origin), size }))
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10
}
