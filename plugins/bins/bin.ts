/** A bin: its data, adding a request, and its JSON representation. */
import type { BinAnswer } from './bin-answer.ts'
import { storedBytes } from './captured-request.ts'
import type { CapturedRequest } from './captured-request.ts'
import type { BinLimits } from './limits.ts'

export interface Bin {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly expiresAt: number
  readonly answer: BinAnswer
  /** Requests captured so far; the `seq` of the newest. */
  readonly total: number
  /** The requests still stored, oldest first. */
  readonly requests: readonly CapturedRequest[]
  /** Size of `requests` in bytes. */
  readonly bytes: number
}

export function emptyBin(id: string, answer: BinAnswer, limits: BinLimits): Bin {
  const createdAt = Date.now()
  return { id, createdAt, expiresAt: createdAt + limits.ttl_secs * 1000, answer, total: 0, requests: [], bytes: 0 }
}

/** Returns the bin with one more request. Drops the oldest requests until count and size are within the limits. */
export function withRequest(bin: Bin, captured: Omit<CapturedRequest, 'seq'>, limits: BinLimits): Bin {
  const newest: CapturedRequest = { seq: bin.total + 1, ...captured }
  const requests = [...bin.requests, newest]
  let bytes = bin.bytes + storedBytes(newest)
  let gone = 0
  while (gone < requests.length && (requests.length - gone > limits.max_requests || bytes > limits.max_bytes_per_bin)) {
    bytes -= storedBytes(requests[gone]!)
    gone++
  }
  return { ...bin, total: bin.total + 1, requests: gone === 0 ? requests : requests.slice(gone), bytes }
}

/** The representation in lists. */
export function summarize({ id, createdAt, expiresAt, total, requests, answer }: Bin) {
  return {
    id,
    created_at: new Date(createdAt).toISOString(),
    expires_at: new Date(expiresAt).toISOString(),
    total_requests: total,
    stored_requests: requests.length,
    response: answer,
  }
}

/** Paths and URLs of a bin: for capturing, for its requests, and for the live stream. */
export function linksOf(id: string, urlOf: (path: string) => string) {
  const path = `/bin/${id}`
  const url = urlOf(path)
  return {
    path,
    url,
    requests_path: `${path}/requests`,
    requests_url: `${url}/requests`,
    stream_path: `${path}/requests/stream`,
    stream_url: `${url}/requests/stream`,
  }
}
