/** The catalog of checks, in its order. */
import type { Check } from '../catalog/check.ts'
import { CONFIGURATION } from '../catalog/configuration.ts'
import { A2A_CHECKS } from './a2a/a2a.ts'
import { AUTHZ_CHECKS } from './authz/authz.ts'
import { CACHING_CHECKS, CCH_POISON, CCH_QUERY } from './caching/rules.ts'
import { CCH_STORE } from './caching/store.ts'
import { FAILURE_CHECKS } from './connections/failures.ts'
import { HTTP2_CONNECTION_CHECKS } from './connections/http2.ts'
import { QUERY_CHECK } from './connections/query.ts'
import { REUSE_CHECKS } from './connections/reuse.ts'
import { HEAD_CHECKS } from './framing/heads.ts'
import { HTTP2_FRAMING_CHECKS } from './framing/http2.ts'
import { LENGTH_CHECKS } from './framing/lengths.ts'
import { VALID_FRAMING_CHECKS } from './framing/valid.ts'
import { GRAPH_CHECKS } from './gql/gql.ts'
import { GRPC_CHECKS } from './grpc/grpc.ts'
import { GUARDRAIL_CHECKS } from './guardrails/guardrails.ts'
import { ADDED_CHECKS } from './headers/added.ts'
import { FORWARDING_CHECKS } from './headers/forwarding.ts'
import { PROXY_STATUS_CHECK } from './headers/proxy-status.ts'
import { LLM_CHECKS } from './llm/llm.ts'
import { TRANSLATE_CHECKS } from './translate/translate.ts'
import { MCP_CHECKS } from './mcp/mcp.ts'
import { OAUTH_CHECKS } from './oauth/oauth.ts'
import { PROC_CHECKS } from './proc/proc.ts'
import { RATE_LIMIT_CHECKS } from './ratelimit/ratelimit.ts'
import { REACH_CHECKS } from './reach/reach.ts'
import { REALTIME_CHECKS } from './realtime/realtime.ts'
import { REPORT_CHECKS } from './report/report.ts'
import { RESPONSE_BODY_CHECKS } from './responses/bodies.ts'
import { NO_CONTENT_CHECKS, RESPONSE_HEAD_CHECKS } from './responses/heads.ts'
import { CONTENT_CHECKS } from './streaming/content.ts'
import { INCREMENTAL_CHECKS } from './streaming/incremental.ts'
import { STREAM_CHECKS } from './streaming/streams.ts'
import { UPLOAD_CHECKS } from './streaming/uploads.ts'
import { TARGET_CHECKS } from './targets/targets.ts'
import { JWT_CHECKS } from './trust/jwt.ts'
import { TLS_CHECKS } from './trust/tls.ts'
import { TRUST_CHECKS } from './trust/trust.ts'
import { WEBSOCKET_CHECKS } from './websocket/websocket.ts'

const CHECKS: readonly Check[] = [
  ...REACH_CHECKS,
  ...FORWARDING_CHECKS,
  ...ADDED_CHECKS,
  PROXY_STATUS_CHECK,
  ...TARGET_CHECKS,
  ...VALID_FRAMING_CHECKS,
  ...LENGTH_CHECKS,
  ...HEAD_CHECKS,
  ...HTTP2_FRAMING_CHECKS,
  ...RESPONSE_HEAD_CHECKS,
  ...NO_CONTENT_CHECKS,
  ...RESPONSE_BODY_CHECKS,
  ...UPLOAD_CHECKS,
  ...STREAM_CHECKS,
  ...CONTENT_CHECKS,
  ...INCREMENTAL_CHECKS,
  ...REUSE_CHECKS,
  ...HTTP2_CONNECTION_CHECKS,
  ...FAILURE_CHECKS,
  QUERY_CHECK,
  CCH_STORE,
  ...CACHING_CHECKS,
  CCH_QUERY,
  CCH_POISON,
  ...WEBSOCKET_CHECKS,
  ...GRPC_CHECKS,
  ...TRUST_CHECKS,
  ...TLS_CHECKS,
  ...JWT_CHECKS,
  ...LLM_CHECKS,
  ...TRANSLATE_CHECKS,
  ...GUARDRAIL_CHECKS,
  ...REALTIME_CHECKS,
  ...GRAPH_CHECKS,
  ...MCP_CHECKS,
  ...A2A_CHECKS,
  ...OAUTH_CHECKS,
  ...AUTHZ_CHECKS,
  ...RATE_LIMIT_CHECKS,
  ...PROC_CHECKS,
  ...REPORT_CHECKS,
]

export const CATALOG: readonly Check[] = CHECKS.map(check => {
  const configure = { ...check.page.configure, ...CONFIGURATION[check.id] }
  return { ...check, page: { ...check.page, configure } }
})
