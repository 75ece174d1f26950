/** Schemas of the responses, for the OpenAPI document. */
import { BOOLEAN, INTEGER, jsonReply, list, NUMBER, object, RECORD, TEXT } from 'svc/toolkit'

export const SVC_PROBE_SESSIONS_POST = jsonReply(
  object({
    id: TEXT,
    nonce: TEXT,
    field: TEXT,
    instance: TEXT,
    instances: list(TEXT),
    version: TEXT,
    catalogue: TEXT,
    ports: object({ http: INTEGER, https: INTEGER, grpc: INTEGER }),
    clock_ms: NUMBER,
    expires_at: TEXT,
  }),
  'ProbeSessionsPost',
)

export const SVC_PROBE_RUNS = jsonReply(object({ targets: list(), runs: list() }), 'ProbeRuns')

export const SVC_PROBE_CHECKS = jsonReply(
  object({
    catalogue: TEXT,
    checks: list(
      object({
        id: TEXT,
        title: TEXT,
        group: TEXT,
        level: TEXT,
        impact: TEXT,
        sources: list(object({ spec: TEXT }, { section: TEXT })),
        since: TEXT,
        hostile: BOOLEAN,
      }),
    ),
  }),
  'ProbeChecks',
)

export const SVC_PROBE_CHECK = jsonReply(
  object({
    id: TEXT,
    title: TEXT,
    group: TEXT,
    level: TEXT,
    impact: TEXT,
    sources: list(object({ spec: TEXT, section: TEXT })),
    since: TEXT,
    hostile: BOOLEAN,
    page: object({
      level: TEXT,
      impact: TEXT,
      runs: TEXT,
      sent: TEXT,
      requests: list(TEXT),
      request_count: INTEGER,
      expected: TEXT,
      why: TEXT,
      finding: TEXT,
      configure: RECORD,
      cannot: RECORD,
      gateways: list(object({ result: TEXT, in_http2: BOOLEAN, gateways: list(TEXT) })),
      seen: list(TEXT),
      command: TEXT,
    }),
  }),
  'ProbeCheck',
)

export const ARRIVALS = jsonReply(RECORD)

export const RUN = jsonReply(RECORD)
