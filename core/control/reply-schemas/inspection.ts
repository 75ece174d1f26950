/** Schemas of the replies about captured requests, connections and their verification, for the OpenAPI document. */
import {
  ANY,
  BOOLEAN,
  INTEGER,
  NUMBER,
  jsonReply,
  list,
  nullable,
  object,
  RECORD,
  TEXT,
  textReply,
  typed,
} from '../../toolkit/reply-schemas.ts'

const HEADER = object({ name: TEXT, value: TEXT })

const CAPTURED = typed(
  'CapturedRequest',
  object(
    { id: TEXT, method: TEXT, path: TEXT },
    {
      request_id: TEXT,
      timestamp: TEXT,
      uri: TEXT,
      query: nullable(TEXT),
      version: TEXT,
      headers: list(HEADER),
      client_ip: TEXT,
      session: nullable(TEXT),
      body: nullable(TEXT),
      body_base64: nullable(TEXT),
      body_size: INTEGER,
      body_truncated: BOOLEAN,
      body_decoded: nullable(TEXT),
      status: INTEGER,
      latency_ms: NUMBER,
      grpc_status: nullable(INTEGER),
      fault: nullable(TEXT),
      fault_source: nullable(TEXT),
      end_reason: nullable(TEXT),
      rule: nullable(TEXT),
      tags: list(TEXT),
    },
  ),
)

export const SVC_REQUESTS = jsonReply(
  object(
    { count: INTEGER, capacity: INTEGER, public_mode: BOOLEAN, requests: list(CAPTURED) },
    { satisfied: BOOLEAN, waited_ms: INTEGER, load_mode: BOOLEAN },
  ),
  'RequestPage',
)

const CONNECTION_ENTRY = object({
  id: TEXT,
  kind: TEXT,
  listener: TEXT,
  mode: nullable(TEXT),
  started_at: TEXT,
  ended_at: nullable(TEXT),
  duration_ms: nullable(NUMBER),
  client_ip: TEXT,
  peer: RECORD,
  local: RECORD,
  session: nullable(TEXT),
  proxy_protocol: ANY,
  tls: ANY,
  received: RECORD,
  sent: RECORD,
  directives: list(TEXT),
  fault: nullable(TEXT),
  end: TEXT,
  error: nullable(TEXT),
})

export const CONNECTION = jsonReply(CONNECTION_ENTRY, 'Connection')

export const CONNECTIONS = jsonReply(
  object(
    { count: INTEGER, capacity: INTEGER, connections: list(CONNECTION_ENTRY) },
    { satisfied: BOOLEAN, waited_ms: INTEGER },
  ),
  'Connections',
)

export const CONNECTIONS_DELETE = jsonReply(object({ cleared: INTEGER }, { session: TEXT }), 'ConnectionsDelete')

export const SVC_REQUESTS_DELETE = jsonReply(object({ cleared: INTEGER }, { session: TEXT }), 'RequestsDelete')

export const SVC_REQUESTS_EXPORT = {
  ...jsonReply(
    object({ log: object({ version: TEXT, creator: object({ name: TEXT, version: TEXT }), entries: list() }) }),
    'RequestsExport',
  ),
  ...textReply('text/plain'),
}

export const SVC_VERIFY_POST = jsonReply(
  object(
    { verified: BOOLEAN, count: INTEGER, expected: TEXT, waited_ms: INTEGER },
    { requests: list(), records: list(TEXT) },
  ),
  'Verified',
)

export const VERIFICATION_FAILED = jsonReply(
  object(
    { verified: BOOLEAN, error: TEXT, expected: TEXT, count: INTEGER, waited_ms: INTEGER, message: TEXT },
    { looked_at: INTEGER, missing: INTEGER, requests: list(), closest: list(RECORD), dropped: INTEGER },
  ),
  'VerificationFailure',
)

export const CAPTURED_REQUEST = jsonReply(CAPTURED)

export const RESET = jsonReply(
  object({ scope: TEXT, session: nullable(TEXT), removed: { type: 'object', additionalProperties: INTEGER } }),
  'ResetResult',
)
