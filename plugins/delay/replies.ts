/** Schemas of the responses, for the OpenAPI document. */
import { ANY, BOOLEAN, INTEGER, jsonReply, list, object, RECORD, TEXT } from 'svc/toolkit'

export const DELAY = jsonReply(
  object({
    method: TEXT,
    url: TEXT,
    path: TEXT,
    path_info: list(TEXT),
    query_string: TEXT,
    query_params: RECORD,
    headers: RECORD,
    host: TEXT,
    port: INTEGER,
    scheme: TEXT,
    remote_ip: TEXT,
    body: object({
      present: BOOLEAN,
      included: BOOLEAN,
      body: ANY,
      bytes: INTEGER,
      truncated: BOOLEAN,
      utf8: ANY,
      reason: ANY,
    }),
    timestamp_unix_ms: INTEGER,
    delay_ms: INTEGER,
    requested_ms: INTEGER,
    max_delay_ms: INTEGER,
  }),
  'Delay',
)
