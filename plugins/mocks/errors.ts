/** Errors of the mocks (RFC 9457 problems) and of the management routes. */
import { HttpError } from 'svc/plugin'
import type { Json, JsonObject } from './document/json.ts'

/** Problems that the engine reports: code, status and title. */
export const PROBLEMS = {
  mock_disabled: { status: 503, title: 'Mock disabled' },
  no_path_matched: { status: 404, title: 'No path matched' },
  no_method_matched: { status: 405, title: 'No method matched' },
  unauthorized: { status: 401, title: 'Unauthorized' },
  insufficient_scope: { status: 403, title: 'Insufficient scope' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type' },
  invalid_request: { status: 422, title: 'Invalid request' },
  no_such_response: { status: 404, title: 'No such response' },
  not_acceptable: { status: 406, title: 'Not acceptable' },
  no_response_defined: { status: 501, title: 'No response defined' },
  output_too_large: { status: 400, title: 'Answer too large' },
  output_unavailable: { status: 503, title: 'Answer unavailable' },
  too_expensive: { status: 400, title: 'Answer too expensive' },
  injected_failure: { status: 503, title: 'Injected failure' },
} as const

export type ProblemCode = keyof typeof PROBLEMS

/** The body of a problem (RFC 9457, 3). */
export function problemBody(code: ProblemCode, status: number, detail: string, extra: JsonObject): JsonObject {
  return { type: `http://svc.local/mock-errors#${code}`, title: PROBLEMS[code].title, status, code, detail, ...extra }
}

/** Errors of the management routes: code and status. */
export const MANAGEMENT_ERRORS = {
  invalid_name: 400,
  invalid_body: 400,
  invalid_encoding: 400,
  invalid_parameter: 400,
  invalid_settings: 400,
  invalid_override: 400,
  invalid_rule: 400,
  invalid_state: 400,
  unknown_mock: 404,
  unknown_version: 404,
  unknown_operation: 404,
  unknown_rule: 404,
  unknown_request: 404,
  no_draft: 404,
  name_taken: 409,
  managed: 409,
  too_many_mocks: 409,
  breaking_changes: 409,
  nothing_to_roll_back: 409,
  revision_mismatch: 412,
  too_large: 413,
  not_deployable: 422,
} as const

export type ManagementCode = keyof typeof MANAGEMENT_ERRORS

/** An error of a management route. The host sends it as the response when it is thrown. */
export function managementError(code: ManagementCode, message: string, extra: Record<string, Json> = {}): HttpError {
  return new HttpError(MANAGEMENT_ERRORS[code], { error: code, message, ...extra })
}
