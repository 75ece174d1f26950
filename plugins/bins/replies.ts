/** Schemas of the responses, for the OpenAPI document. */
import { INTEGER, jsonReply, list, nullable, object, RECORD, TEXT, textReply } from 'svc/toolkit'

export const BIN_POST = jsonReply(
  object({
    id: TEXT,
    created_at: TEXT,
    expires_at: TEXT,
    response: object({ status: INTEGER, headers: RECORD, body: nullable(TEXT), delay_ms: INTEGER }),
    limits: object({
      max_bins: INTEGER,
      max_bins_per_session: INTEGER,
      ttl_secs: INTEGER,
      max_requests: INTEGER,
      max_bytes_per_bin: INTEGER,
      max_captured_body: INTEGER,
      max_delay_ms: INTEGER,
    }),
    path: TEXT,
    url: TEXT,
    requests_path: TEXT,
    requests_url: TEXT,
    stream_path: TEXT,
    stream_url: TEXT,
  }),
  'BinsBinPost',
)

export const BIN = jsonReply(
  object({
    count: INTEGER,
    bins: list(
      object({
        id: TEXT,
        created_at: TEXT,
        expires_at: TEXT,
        total_requests: INTEGER,
        stored_requests: INTEGER,
        response: object({ status: INTEGER, headers: RECORD, body: nullable(TEXT), delay_ms: INTEGER }),
      }),
    ),
    limits: object({
      max_bins: INTEGER,
      max_bins_per_session: INTEGER,
      ttl_secs: INTEGER,
      max_requests: INTEGER,
      max_bytes_per_bin: INTEGER,
      max_captured_body: INTEGER,
      max_delay_ms: INTEGER,
    }),
  }),
  'BinsBin',
)

export const CAPTURED_REQUEST = jsonReply(RECORD)

export const CAPTURED_REQUESTS = jsonReply(object({ count: INTEGER, requests: list(RECORD) }), 'BinRequests')

export const CAPTURE = { ...jsonReply(RECORD), ...textReply('*/*') }

export const DELETED = jsonReply(RECORD)
