/** The messages of `envoy.service.auth.v3`, as the loader gives and takes them. */
import type { JsonObject } from 'svc/plugin'

export interface HeaderValue {
  key: string
  value: string
  raw_value?: Buffer
}

/** Maps have the form of the wire: a list of entries. */
export interface MapEntry {
  key: string
  value: string
}

export interface CheckRequest {
  attributes?: {
    source?: { address?: { socket_address?: { address: string } | null } | null; principal: string } | null
    request?: { http?: HttpRequest | null } | null
    context_extensions: MapEntry[]
  } | null
}

export interface HttpRequest {
  method: string
  headers: MapEntry[]
  /** With the query. */
  path: string
  host: string
  scheme: string
  body: string
  raw_body: Buffer
  header_map?: { headers: HeaderValue[] } | null
}

export interface HeaderValueOption {
  header: HeaderValue
  append_action: 'APPEND_IF_EXISTS_OR_ADD' | 'OVERWRITE_IF_EXISTS_OR_ADD'
}

export interface HttpResponse {
  status: { code: number }
  headers: HeaderValueOption[]
  body: string
}

export interface CheckResponse {
  status: { code: number; message: string }
  denied_response?: HttpResponse
  error_response?: HttpResponse
  ok_response?: {
    headers: HeaderValueOption[]
    headers_to_remove: readonly string[]
    response_headers_to_add: HeaderValueOption[]
    query_parameters_to_set: { key: string; value: string }[]
    query_parameters_to_remove: readonly string[]
  }
  /** `google.protobuf.Struct`. */
  dynamic_metadata?: JsonObject
}
