/** Recent requests of a mock, in a bounded buffer with subscriptions. */
import { copyData, heldBytes, RingBuffer } from 'svc/plugin'
import type { Violation } from '../request/validation.ts'

export interface CapturedRequest {
  id: string
  request_id: string
  timestamp: string
  session: string | null
  client_ip: string
  method: string
  /** The path below the mock. */
  path: string
  query: string | null
  headers: { name: string; value: string }[]
  body: string | null
  body_truncated: boolean
  operation: string | null
  version: number
  status: number
  source: string | null
  rule: string | null
  violations: Violation[]
  credential: string | null
  response: { headers: { name: string; value: string }[]; body: string | null; truncated: boolean }
  latency_ms: number
}

/** Maximum number of bytes kept of a request or response body. */
export const BODY_LIMIT = 16 << 10

/** The text of a body, truncated to the limit. Invalid UTF-8 becomes replacement characters. */
export function captureBody(body: Buffer | null): { text: string | null; truncated: boolean } {
  if (body === null || body.length === 0) return { text: null, truncated: false }
  return { text: body.subarray(0, BODY_LIMIT).toString('utf8'), truncated: body.length > BODY_LIMIT }
}

export interface TrafficFilter {
  operation: string | null
  session: string | null
  status: number | null
}

export class Traffic {
  readonly #ring: RingBuffer<CapturedRequest>
  readonly #listeners = new Set<(request: CapturedRequest) => void>()

  constructor(capacity: number, maxBytes: number) {
    this.#ring = new RingBuffer({ maxCount: capacity, maxBytes, sizeOf })
  }

  get capacity(): number {
    return this.#ring.capacity
  }

  add(request: CapturedRequest): void {
    this.#ring.add(request)
    for (const listener of this.#listeners) listener(request)
  }

  /** Newest first. */
  list(filter: TrafficFilter, limit: number): CapturedRequest[] {
    return this.#ring.newest(limit, request => passes(request, filter))
  }

  /** Finds an entry by its id or request id. */
  find(id: string): CapturedRequest | undefined {
    return this.#ring.find(request => request.id === id || request.request_id === id)?.value
  }

  /** Deletes all entries, or those of a session. Returns the number of deleted entries. */
  clear(session: string | null): number {
    return this.#ring.clear(request => session === null || request.session === session)
  }

  /** Calls back for each new request. Returns a function that ends the subscription. */
  subscribe(listener: (request: CapturedRequest) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

/** Whether a captured request matches the filter. */
export function passes(request: CapturedRequest, filter: TrafficFilter): boolean {
  return (
    (filter.operation === null || request.operation === filter.operation) &&
    (filter.session === null || request.session === filter.session) &&
    (filter.status === null || request.status === filter.status)
  )
}

/** Memory of an entry and of a header in bytes, without texts from clients. */
const ENTRY_BYTES = 768
const HEADER_BYTES = 96

/** Memory of an entry in bytes. Texts from the request head are Latin-1, with one byte per character. */
function sizeOf({ headers, path, query, body, violations, response }: CapturedRequest): number {
  let bytes = ENTRY_BYTES + path.length + (query?.length ?? 0) + heldBytes(body ?? '') + heldBytes(response.body ?? '')
  for (const { name, value } of headers) bytes += HEADER_BYTES + name.length + value.length
  for (const { name, value } of response.headers) bytes += HEADER_BYTES + name.length + heldBytes(value)
  return violations.length === 0 ? bytes : bytes + copyData(violations).bytes
}
