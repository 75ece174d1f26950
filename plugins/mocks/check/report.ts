/** The report of a check. */
import type { Issue } from '../document/issue.ts'
import type { JsonObject } from '../document/json.ts'

export interface Change {
  code: string
  /** `METHOD /template`. */
  operation: string
  message: string
}

export interface Changes {
  unchanged: boolean
  breaking: Change[]
  compatible: Change[]
  truncated?: boolean
}

export interface Report {
  deployable: boolean
  /** The version that the definition was compared with; null without a comparison. */
  against: number | null
  errors: Issue[]
  warnings: Issue[]
  truncated?: boolean
  summary: {
    openapi: string
    title: string
    api_version: string
    operations: number
    schemas: number
    examples: number
    bytes: number
    security_schemes: string[]
  } | null
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
