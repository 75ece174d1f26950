/** A bin: its data, adding a request, and its JSON representation. */
import { copyData } from 'svc/plugin'
import type { BinResponse } from './bin-response.ts'
import { storedBytes } from './captured-request.ts'
import type { CapturedRequest } from './captured-request.ts'
import type { BinLimits } from './limits.ts'

export interface Bin {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly expiresAt: number
  readonly response: BinResponse
  /** Requests captured so far; the `seq` of the newest. */
  readonly total: number
  /** The requests still stored, oldest first. */
  readonly requests: readonly CapturedRequest[]
  /** Bytes of memory of `requests`. */
  readonly bytes: number
  /** Bytes of memory of `response`. */
  readonly responseBytes: number
}

/** Memory of an empty bin. */
const EMPTY_BYTES = 512

/** Bytes of memory of a bin with its requests and its response. */
export function sizeOfBin({ bytes, responseBytes }: Bin): number {
  return EMPTY_BYTES + bytes + responseBytes
}

export function emptyBin(id: string, response: BinResponse, limits: BinLimits): Bin {
  const createdAt = Date.now()
  const { copy, bytes: responseBytes } = copyData(response)
  return {
    id,
    createdAt,
    expiresAt: createdAt + limits.ttl_secs * 1000,
    response: copy,
    total: 0,
    requests: [],
    bytes: 0,
    responseBytes,
  }
}

/** Returns the bin with one more request. Drops the oldest requests until count and size are within the limits. */
export function withRequest(bin: Bin, captured: Omit<CapturedRequest, 'seq'>, limits: BinLimits): Bin {
  const newest: CapturedRequest = { seq: bin.total + 1, ...captured }
  const requests = [...bin.requests, newest]
  let bytes = bin.bytes + storedBytes(newest)
  let dropped = 0
  while (
    dropped < requests.length &&
    (requests.length - dropped > limits.max_requests || bytes > limits.max_bytes_per_bin)
  ) {
    bytes -= storedBytes(requests[dropped]!)
    dropped++
  }
  return { ...bin, total: bin.total + 1, requests: dropped === 0 ? requests : requests.slice(dropped), bytes }
}

/** The representation in lists. */
export function summarize({ id, createdAt, expiresAt, total, requests, response }: Bin) {
  return {
    id,
    created_at: new Date(createdAt).toISOString(),
    expires_at: new Date(expiresAt).toISOString(),
    total_requests: total,
    stored_requests: requests.length,
    response,
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
