/** A bin: its data and its JSON representation. */
import { copyData } from 'svc/toolkit'
import type { StreamInfo } from 'svc/plugin'
import type { BinResponse } from './bin-response.ts'
import type { BinLimits } from './limits.ts'

export interface Bin {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly expiresAt: number
  readonly response: BinResponse
  /** Bytes of memory of `response`. */
  readonly responseBytes: number
}

/** Memory of an empty bin. */
const EMPTY_BYTES = 512

/** Bytes of memory of a bin without its requests. */
export function sizeOfBin({ responseBytes }: Bin): number {
  return EMPTY_BYTES + responseBytes
}

export function emptyBin(id: string, response: BinResponse, limits: BinLimits): Bin {
  const createdAt = Date.now()
  const { copy, bytes: responseBytes } = copyData(response)
  return { id, createdAt, expiresAt: createdAt + limits.ttl_secs * 1000, response: copy, responseBytes }
}

/** The representation in lists; `info` is about its requests. */
export function summarize({ id, createdAt, expiresAt, response }: Bin, { lastSeq, count }: StreamInfo) {
  return {
    id,
    created_at: new Date(createdAt).toISOString(),
    expires_at: new Date(expiresAt).toISOString(),
    total_requests: lastSeq,
    stored_requests: count,
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
