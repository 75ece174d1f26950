/** Errors of the Anthropic format: `{ type: "error", error: { type, message }, request_id }`. */
import type { Dimension, ErrorFacts, ErrorKind, ErrorResponse, Refusal } from '../llm/types.ts'

/** `error.type` of each kind; absent: `invalid_request_error`. */
const types: Readonly<Partial<Record<ErrorKind, string>>> = {
  missing_credential: 'authentication_error',
  invalid_credential: 'authentication_error',
  forbidden: 'permission_error',
  not_found: 'not_found_error',
  unknown_route: 'not_found_error',
  too_large: 'request_too_large',
  rate_limit: 'rate_limit_error',
  server_error: 'api_error',
  unavailable: 'api_error',
  overloaded: 'overloaded_error',
  timeout: 'timeout_error',
  status_5xx: 'api_error',
}

export const messages: Partial<Record<ErrorKind, string>> = {
  missing_credential: 'x-api-key header is required',
  invalid_credential: 'invalid x-api-key',
  overloaded: 'Overloaded',
  context_length: 'prompt is too long: 250000 tokens > 200000 maximum',
  rate_limit: 'This request would exceed your rate limit of 4000 requests per minute.',
}

/** The request id in the format of this API. */
export function requestIdOf(requestId: string): string {
  return `req_${requestId.replaceAll('-', '')}`
}

/** `error.type` of a kind. */
export function anthropicErrorType(kind: ErrorKind): string {
  return types[kind] ?? 'invalid_request_error'
}

export function anthropicError(kind: ErrorKind, { message, requestId, type, code }: ErrorFacts): object {
  return {
    type: 'error',
    error: {
      type: type ?? anthropicErrorType(kind),
      message,
      ...(code === undefined ? {} : { details: { error_code: code } }),
    },
    request_id: requestIdOf(requestId),
  }
}

const UNITS: Readonly<Record<Dimension, string>> = {
  rpm: 'requests per minute',
  rpd: 'requests per day',
  tpm: 'tokens per minute',
  tpd: 'tokens per day',
  itpm: 'input tokens per minute',
  otpm: 'output tokens per minute',
}

/** The refusal of a rate limit. */
export function anthropicLimited(refusal: Refusal, facts: ErrorFacts): ErrorResponse {
  return { status: facts.status, body: anthropicError('rate_limit', { ...facts, message: limitMessage(refusal) }) }
}

export function limitMessage({ dimension, limit }: Refusal): string {
  return `This request would exceed your organization's rate limit of ${limit.toLocaleString('en-US')} ${UNITS[dimension]}.`
}
