/** Owns a bin: what it holds, how it takes a request in, how it is shown. */
import { copyData } from 'svc/plugin'
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
  /** What is kept of them, oldest first. */
  readonly requests: readonly CapturedRequest[]
  /** Bytes of memory of `requests`. */
  readonly bytes: number
  /** Bytes of memory of `answer`. */
  readonly answerBytes: number
}

/** Memory of a bin that is empty. */
const EMPTY_BYTES = 512

/** Bytes of memory of a bin with all that it holds. */
export function sizeOfBin({ bytes, answerBytes }: Bin): number {
  return EMPTY_BYTES + bytes + answerBytes
}

export function emptyBin(id: string, answer: BinAnswer, limits: BinLimits): Bin {
  const createdAt = Date.now()
  const { copy, bytes: answerBytes } = copyData(answer)
  return {
    id,
    createdAt,
    expiresAt: createdAt + limits.ttl_secs * 1000,
    answer: copy,
    total: 0,
    requests: [],
    bytes: 0,
    answerBytes,
  }
}

/** The bin with one more request; the oldest go until count and bytes are within bounds. */
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

/** As lists show it. */
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

/** Where a bin captures and where it shows: as paths of the service, and as URLs for clients. */
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
