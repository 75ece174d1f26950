/** What sides of all versions of HTTP have. */
import type { TimedChunk } from '../upstream/arrival-record.ts'

/** Times are milliseconds since the request was sent. */
export interface SideFacts {
  size: number
  truncated: boolean
  /** Numbers of the client's connections, or of the upstream's. */
  connection: number | null
  chunks: TimedChunk[]
  ended: 'kept' | 'fin' | 'reset' | null
}

export const MAX_SIDE = 8 * 1024
const MAX_CHUNKS = 40

/** Pieces with times since `origin`. */
export function timed(pieces: readonly { atMs: number; bytes: Buffer }[], origin: number): TimedChunk[] {
  return relative(
    pieces.map(({ atMs, bytes }) => ({ at_ms: atMs, size: bytes.length })),
    origin,
  )
}

export function relative(chunks: readonly TimedChunk[], origin: number): TimedChunk[] {
  return chunks.slice(0, MAX_CHUNKS).map(({ at_ms: at, size }) => ({ at_ms: round(at - origin), size }))
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10
}
