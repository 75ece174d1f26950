/** Schemas of the replies about limits and keys, for the OpenAPI document. */
import { ANY, BOOLEAN, INTEGER, jsonReply, list, nullable, object, TEXT } from '../../toolkit/reply-schemas.ts'

export const SVC_USAGE = jsonReply(
  object({
    plan: TEXT,
    active: BOOLEAN,
    scope: TEXT,
    limits: object({
      active: BOOLEAN,
      scope: TEXT,
      period: TEXT,
      rps: ANY,
      burst: ANY,
      concurrency: ANY,
      streams: ANY,
      stream_lifetime_secs: ANY,
      requests: ANY,
      egress_bytes: ANY,
      usage_file_configured: BOOLEAN,
    }),
    period: object({ kind: TEXT, start: TEXT, end: TEXT, resets_in_secs: INTEGER }),
    requests: object({ used: INTEGER, limit: ANY, remaining: ANY }),
    egress: object({ used_bytes: INTEGER, limit_bytes: ANY, remaining_bytes: ANY }),
    rate: object({ rps: ANY, burst: ANY, available: ANY }),
    in_flight: object({ current: INTEGER, limit: ANY }),
    open_streams: object({ current: INTEGER, limit: ANY, lifetime_secs: ANY }),
    persisted: BOOLEAN,
    instance_id: TEXT,
    control_auth: TEXT,
    build: object({ version: TEXT, git_sha: nullable(TEXT), profile: TEXT }),
  }),
  'Usage',
)

export const SVC_KEYS_USAGE = jsonReply(
  object({
    shared_mode: BOOLEAN,
    require_key: BOOLEAN,
    instance_id: TEXT,
    registry: ANY,
    quota_store: object({ configured: BOOLEAN, up: BOOLEAN }),
    period: object({ kind: TEXT, start: TEXT, end: TEXT, resets_in_secs: INTEGER }),
    count: INTEGER,
    keys: list(),
  }),
  'KeysUsage',
)
