/** Schemas of the responses, for the OpenAPI document. */
import { ANY, BOOLEAN, INTEGER, jsonReply, list, nullable, object, RECORD, TEXT } from 'svc/toolkit'

export const ECHO = jsonReply(
  object(
    {
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
        body: nullable(TEXT),
        bytes: INTEGER,
        truncated: BOOLEAN,
        utf8: nullable(BOOLEAN),
        reason: ANY,
      }),
      timestamp_unix_ms: INTEGER,
    },
    { trailers: RECORD, proxy_protocol: RECORD },
  ),
  'Echo',
)
