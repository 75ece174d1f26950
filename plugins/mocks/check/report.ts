/** The report of a check. */
import type { Issue } from '../document/issue.ts'
import type { JsonObject } from '../document/json.ts'

export interface Change {
  code: string
  /** `METHOD /template`, or a place in a schema: `User.age`. */
  operation: string
  message: string
}

export interface Changes {
  unchanged: boolean
  breaking: Change[]
  /** Changes of a schema that some clients do not expect. */
  dangerous?: Change[]
  compatible: Change[]
  truncated?: boolean
}

export interface OpenApiSummary {
  openapi: string
  title: string
  api_version: string
  operations: number
  schemas: number
  examples: number
  bytes: number
  security_schemes: string[]
}

export interface GraphSummary {
  kind: 'graphql'
  title: string
  operations: number
  types: number
  fields: number
  federated: boolean
  /** Types whose objects mutations write, if the setting `stateful` is on. */
  stateful: string[]
  bytes: number
}

export interface Report {
  deployable: boolean
  /** The version that the definition was compared with; null without a comparison. */
  against: number | null
  errors: Issue[]
  warnings: Issue[]
  truncated?: boolean
  summary: OpenApiSummary | GraphSummary | null
  changes: Changes | null
  took_ms: number
}

/** Maximum number of entries in a list of a report. */
export const LIST_LIMIT = 200

/** The report as JSON, with lists truncated to the limit. */
export function showReport(report: Report): JsonObject {
  const cut = report.errors.length > LIST_LIMIT || report.warnings.length > LIST_LIMIT
  return JSON.parse(
    JSON.stringify({
      ...report,
      errors: report.errors.slice(0, LIST_LIMIT),
      warnings: report.warnings.slice(0, LIST_LIMIT),
      ...(cut ? { truncated: true } : {}),
    }),
  ) as JsonObject
}
