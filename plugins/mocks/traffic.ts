/** The requests that a mock has answered lately: a bounded ring with a feed. */
import type { Violation } from './request/validation.ts'

export interface CapturedRequest {
  id: string
  request_id: string
  timestamp: string
  session: string | null
  client_ip: string
  method: string
  /** Below the mock. */
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

/** Bytes of a body that are kept, each way. */
export const BODY_LIMIT = 16 << 10

/** The text of a body, cut at the limit; bytes that are no UTF-8 show as replacement characters. */
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
  readonly #capacity: number
  readonly #maxBytes: number
  readonly #listeners = new Set<(request: CapturedRequest) => void>()
  #entries: { request: CapturedRequest; bytes: number }[] = []
  #bytes = 0

  constructor(capacity: number, maxBytes: number) {
    this.#capacity = capacity
    this.#maxBytes = maxBytes
  }

  get capacity(): number {
    return this.#capacity
  }

  add(request: CapturedRequest): void {
    const bytes = sizeOf(request)
    this.#entries.push({ request, bytes })
    this.#bytes += bytes
    while (this.#entries.length > this.#capacity || (this.#bytes > this.#maxBytes && this.#entries.length > 1)) this.#bytes -= this.#entries.shift()?.bytes ?? 0
    for (const listener of this.#listeners) listener(request)
  }

  /** Newest first. */
  list(filter: TrafficFilter, limit: number): CapturedRequest[] {
    const found: CapturedRequest[] = []
    for (let index = this.#entries.length - 1; index >= 0 && found.length < limit; index--) {
      const request = this.#entries[index]?.request
      if (request && passes(request, filter)) found.push(request)
    }
    return found
  }

  /** By its own id or by the id of the request. */
  find(id: string): CapturedRequest | undefined {
    return this.#entries.findLast(({ request }) => request.id === id || request.request_id === id)?.request
  }

  /** Forgets everything, or what a session did; answers how many. */
  clear(session: string | null): number {
    const before = this.#entries.length
    this.#entries = session === null ? [] : this.#entries.filter(({ request }) => request.session !== session)
    this.#bytes = this.#entries.reduce((sum, { bytes }) => sum + bytes, 0)
    return before - this.#entries.length
  }

  /** Calls back for each request to come; answers how to stop that. */
  subscribe(listener: (request: CapturedRequest) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

/** Whether a captured request is one of those that are asked for. */
export function passes(request: CapturedRequest, filter: TrafficFilter): boolean {
  return (filter.operation === null || request.operation === filter.operation) && (filter.session === null || request.session === filter.session) && (filter.status === null || request.status === filter.status)
}

function sizeOf(request: CapturedRequest): number {
  const headers = [...request.headers, ...request.response.headers].reduce((sum, { name, value }) => sum + name.length + value.length + 32, 0)
  return 400 + headers + request.path.length + (request.query?.length ?? 0) + (request.body?.length ?? 0) + (request.response.body?.length ?? 0)
}
