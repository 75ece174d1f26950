/** The four sides of an exchange: sent, arrived, answered, came back. */
import { isRecord } from 'svc/toolkit'
import type { Call, Evidence } from '../client/evidence.ts'
import type { ArrivalRecord } from '../upstream/arrival-record.ts'
import { http2AnsweredSide, http2ArrivedSide, http2ReceivedSide, http2SentSide, type Http2Side } from './http2-sides.ts'
import { MAX_SIDE, relative, timed, type SideFacts } from './side-facts.ts'

/** A message of HTTP/1.1: bytes as text in ISO 8859-1. */
export interface BytesSide extends SideFacts {
  bytes: string
  /** Rules of the vendor that a request to a model violates. */
  violations?: unknown[]
}

export type Side = BytesSide | Http2Side

export interface ReportedExchange {
  step: number
  /** What the request is about, in checks with several. */
  label?: string
  through: 'direct' | 'gateway'
  sent: Side
  arrived: Side[]
  answered: Side | null
  came_back: Side | null
}

const MAX_EXCHANGES = 24
/** Of a check for pairs, which has many scenes. */
const MAX_EXCHANGES_OF_PAIR = 3

/** `values`: of a check for pairs, those of its result, whose differences say which scenes are shown. */
export function exchangesOf(evidence: Evidence, values: Record<string, unknown> | null = null): ReportedExchange[] {
  const connections = new Map(evidence.exchanges.map(({ record }, index) => [record, index + 1]))
  const calls = values === null ? evidence.calls.slice(0, MAX_EXCHANGES) : callsWithDifferences(evidence, values)
  return calls.map(call => {
    const connection = connections.get(call.exchange) ?? null
    return {
      step: call.record.step,
      ...(call.label === '' ? {} : { label: call.label }),
      through: evidence.through,
      sent: call.record.http2 === null ? sentSide(call, connection) : http2SentSide(call, connection),
      arrived: call.arrivals.map(view =>
        view.record.protocol === '2'
          ? http2ArrivedSide(view, call.record.sentAtMs)
          : arrivedSide(view.record, call.record.sentAtMs),
      ),
      answered: answeredSide(call),
      came_back: call.record.http2 === null ? receivedSide(call, connection) : http2ReceivedSide(call, connection),
    }
  })
}

function callsWithDifferences({ calls }: Evidence, { differences }: Record<string, unknown>): Call[] {
  const scenes = Array.isArray(differences)
    ? differences.filter(isRecord).map(({ scene, mode }) => `${String(scene)} ${String(mode)}`)
    : []
  const differs = ({ label }: Call): boolean => scenes.some(scene => label === scene || label.startsWith(`${scene} `))
  const own = calls.filter(differs)
  return (own.length > 0 ? own : calls).slice(0, MAX_EXCHANGES_OF_PAIR)
}

function sentSide({ record, exchange }: Call, connection: number | null): BytesSide {
  const isOnly = exchange.calls.length === 1 && exchange.sent.length > 0
  const chunks = isOnly ? timed(exchange.sent, record.sentAtMs) : [{ at_ms: 0, size: record.sent.length }]
  return bytesSide(record.sent, { size: record.sent.length, connection, chunks, ended: null })
}

function arrivedSide({ bytes, size, connection, chunks, ended, violations }: ArrivalRecord, origin: number): BytesSide {
  const side = bytesSide(bytes, { size, connection, chunks: relative(chunks, origin), ended })
  return violations === undefined ? side : { ...side, violations }
}

function answeredSide({ arrival, answered, record: { sentAtMs: origin } }: Call): Side | null {
  if (arrival === null || answered === null) return null
  if (arrival.record.protocol === '2') return http2AnsweredSide(arrival.record, origin)
  const { bytes, size, chunks } = answered
  const { connection } = arrival.record
  return bytesSide(bytes, { size, connection, chunks: relative(chunks, origin), ended: null })
}

/** What came back on a connection belongs to the request if it was the only one. */
function receivedSide({ record, exchange, response }: Call, connection: number | null): BytesSide | null {
  const ended = exchange.ended ?? 'kept'
  if (exchange.calls.length === 1) {
    const received = Buffer.concat(exchange.received.map(({ bytes }) => bytes))
    const chunks = timed(exchange.received, record.sentAtMs)
    return bytesSide(received, { size: received.length, connection, chunks, ended })
  }
  if (response === null) return null
  const received = Buffer.concat([response.head, response.body])
  return bytesSide(received, { size: received.length, connection, chunks: [], ended })
}

function bytesSide(bytes: Buffer | string, { size, chunks, ...facts }: Omit<SideFacts, 'truncated'>): BytesSide {
  return {
    bytes: typeof bytes === 'string' ? bytes.slice(0, MAX_SIDE) : bytes.subarray(0, MAX_SIDE).toString('latin1'),
    size,
    truncated: size > MAX_SIDE,
    chunks,
    ...facts,
  }
}
