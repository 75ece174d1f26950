/** Types of the responses of `/_svc/mocks`. */
import type { NameValue } from '../../lib/protocol/http.ts'

export interface MockSummary {
  name: string
  kind: 'openapi' | 'graphql'
  title: string
  api_version?: string
  openapi?: string
  source: 'builtin' | 'file' | 'directory' | 'cli' | 'api'
  file: string | null
  /** Its document is in a file, so there are no drafts and deployments. */
  managed: boolean
  enabled: boolean
  version: number
  revision: number
  /** Rules, overrides, settings or state were changed since it was deployed. */
  modified: boolean
  has_draft: boolean
  operations: number
  requests: number
  url: string
  /** Of an OpenAPI document. */
  base_paths?: string[]
}

export type Json = Record<string, unknown>

export interface MockRecord extends MockSummary {
  settings: Json
  rules: Rule[]
  overrides: Record<string, Json>
  summary: string
  report?: Report
}

export type Rule = Json & { id: string; name?: string; enabled?: boolean; operation?: string | null }

export interface MockList {
  count: number
  limit: number
  mocks: MockSummary[]
  load_errors: { file: string | null; at: string | null; message: string; line: number | null }[]
}

export interface Issue {
  code: string
  at: string | null
  message: string
  line?: number
}
export interface Change {
  code: string
  operation: string
  message: string
}

export interface Report {
  deployable: boolean
  /** The version to which the document is compared. */
  against: number | null
  errors: Issue[]
  warnings: Issue[]
  summary: {
    kind?: 'graphql'
    openapi: string
    title: string
    api_version: string
    operations: number
    schemas: number
    examples: number
    bytes: number
    /** Of a GraphQL schema, which has no schemas and examples. */
    types?: number
    fields?: number
  } | null
  changes: { unchanged: boolean; breaking: Change[]; dangerous?: Change[]; compatible: Change[] } | null
  took_ms: number
}

export interface Operation {
  key: string
  method: string
  path: string
  url: string
  summary: string
  statuses: string[]
  media_types: string[]
  examples: Record<string, string[]>
  override: Json | null
  rules: number
  requests: number
}

/** Of a mock of a GraphQL schema. */
export interface GraphOperation {
  /** `Query.user` */
  key: string
  kind: 'query' | 'mutation' | 'subscription'
  type: string
  arguments: { name: string; type: string }[]
  override: Json | null
  rules: number
  requests: number
}

export interface Version {
  version: number
  deployed_at: string
  message: string | null
  title: string
  api_version?: string
  operations: number
  sha256: string
  rolled_back_from: number | null
}

export interface MockRequest {
  id: string
  request_id: string
  timestamp: string
  session: string | null
  client_ip: string
  method: string
  path: string
  query: string | null
  headers: NameValue[]
  body: string | null
  body_truncated: boolean
  operation: string | null
  version: number
  status: number
  source: string
  rule: string | null
  violations: unknown[]
  response: { headers: NameValue[]; body: string | null; truncated: boolean }
  latency_ms: number
}
