/** Recent requests of the mocks, in a bounded log with subscriptions. */
import { copyData, heldBytes, heldValueBytes, newestByTime } from 'svc/toolkit'
import type { EventLog, EventLogBounds } from 'svc/plugin'
import type { Bounds } from '../bounds.ts'
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
  /** Of a GraphQL mock. */
  graphql?: CapturedOperation
}

export interface CapturedOperation {
  /** The name of the operation. */
  operation: string | null
  kind: 'query' | 'mutation' | 'subscription'
  /** Names of the fields at the top. */
  fields: string[]
  /** Types of the representations of `_entities`. */
  entity: string[]
  /** Number of its fields. */
  complexity: number
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

/** The bounds of the log; a stream is the name of a mock. */
export function trafficBounds(bounds: Bounds): EventLogBounds<CapturedRequest> {
  return {
    maxPerStream: bounds.trafficEntries,
    maxBytesPerStream: bounds.trafficBytes,
    maxCount: bounds.mocks * bounds.trafficEntries,
    sizeOf,
    batched: true,
  }
}

export class Traffic {
  readonly #log: EventLog<CapturedRequest>
  /** Maximum number of requests kept by mock. */
  readonly capacity: number

  constructor(log: EventLog<CapturedRequest>, bounds: Bounds) {
    this.#log = log
    this.capacity = bounds.trafficEntries
  }

  add(mock: string, request: CapturedRequest): void {
    void this.#log.append(mock, request)
  }

  /** Newest first, in the order in which the requests arrived. */
  async list(mock: string, filter: TrafficFilter, limit: number): Promise<CapturedRequest[]> {
    const timeOf = ({ timestamp }: CapturedRequest): number => Date.parse(timestamp)
    const where = (request: CapturedRequest): boolean => passes(request, filter)
    return (await newestByTime(this.#log, mock, { limit, timeOf, where })).map(({ value }) => value)
  }

  /** Finds an entry by its id or request id. */
  async find(mock: string, id: string): Promise<CapturedRequest | undefined> {
    return (await this.#log.find(mock, request => request.id === id || request.request_id === id))?.value
  }

  /** Deletes all entries, or those of a session. Returns the number of deleted entries. */
  clear(mock: string, session: string | null): Promise<number> {
    return this.#log.clear(mock, request => session === null || request.session === session)
  }

  /** Calls back for each new request. Returns a function that ends the subscription. */
  subscribe(mock: string, listener: (request: CapturedRequest) => void): () => void {
    return this.#log.follow(
      mock,
      null,
      (_, request) => listener(request),
      () => {},
    )
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

/** Memory of an entry and of a header in bytes, without texts from clients. The log adds that of its entry. */
const ENTRY_BYTES = 672
const HEADER_BYTES = 96

/** Memory of an entry in bytes. Texts from the request head are Latin-1, with one byte per character. */
function sizeOf({ headers, path, query, body, violations, response, graphql }: CapturedRequest): number {
  let bytes = ENTRY_BYTES + path.length + (query?.length ?? 0) + heldBytes(body ?? '') + heldBytes(response.body ?? '')
  for (const { name, value } of headers) bytes += HEADER_BYTES + name.length + value.length
  if (graphql !== undefined) bytes += heldValueBytes(graphql)
  for (const { name, value } of response.headers) bytes += HEADER_BYTES + name.length + heldBytes(value)
  return violations.length === 0 ? bytes : bytes + copyData(violations).bytes
}
