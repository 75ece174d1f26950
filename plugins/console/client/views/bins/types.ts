/** Bins and captured requests, as the plugin `bins` returns them. */
import { headerOf, type Arrived, type NameValue } from '../../lib/protocol/http.ts'

export interface BinSummary {
  id: string
  created_at: string
  expires_at: string
  total_requests: number
  stored_requests: number
  response: { status: number; headers: Record<string, string>; body: string | null; delay_ms: number }
}

export interface Captured {
  /** Position in its bin, from 1. */
  seq: number
  id: string
  timestamp: string
  method: string
  /** Relative to the bin. */
  path: string
  full_path: string
  query: string | null
  headers: NameValue[]
  body: string | null
  body_base64: string | null
  body_size: number
  body_truncated: boolean
  client_ip: string
}

/** In the shape of the inspector's entries. */
export function arrivedOf({ full_path: path, query, headers, ...captured }: Captured): Arrived {
  return {
    ...captured,
    headers,
    path,
    query,
    uri: query === null ? path : `${path}?${query}`,
    request_id: headerOf(headers, 'x-request-id') ?? '',
  }
}
