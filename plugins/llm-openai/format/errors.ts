/** Errors of the OpenAI format: `{ error: { message, type, param, code } }`. */
import type { ErrorFacts, ErrorKind, ErrorResponse, Refusal } from '../../llm/types.ts'
import { limitMessage, retryAfterMs, unitOf } from './rate-limits.ts'

export interface OpenAiError {
  message: string
  type: string | null
  param: string | null
  code: string | null
}

interface Row {
  code: string | null
  /** Default `invalid_request_error`. */
  type?: string
  param?: string
}

const rows: Readonly<Record<ErrorKind, Row>> = {
  missing_credential: { code: null },
  invalid_credential: { code: 'invalid_api_key' },
  forbidden: { code: 'unsupported_country_region_territory' },
  not_found: { code: 'model_not_found', param: 'model' },
  bad_request: { code: null },
  too_large: { code: null },
  unknown_route: { code: null },
  wrong_method: { code: 'method_not_supported' },
  rate_limit: { code: 'rate_limit_exceeded', type: 'requests' },
  server_error: { code: null, type: 'server_error' },
  unavailable: { code: 'service_unavailable', type: 'server_error' },
  overloaded: { code: 'server_is_overloaded', type: 'service_unavailable_error' },
  timeout: { code: 'timeout', type: 'server_error' },
  context_length: { code: 'context_length_exceeded', param: 'messages' },
  prompt_filter: { code: 'content_filter', param: 'prompt' },
  status_4xx: { code: null },
  status_5xx: { code: null, type: 'server_error' },
}

export const messages: Partial<Record<ErrorKind, string>> = {
  missing_credential: "You didn't provide an API key. Send it as a bearer token: Authorization: Bearer YOUR_KEY",
  invalid_credential: 'Incorrect API key provided: {key}. Use the API key that is configured for this server.',
  bad_request: 'We could not parse the JSON body of your request.',
  unknown_route: 'Invalid URL ({method} {path})',
  wrong_method: 'Not allowed to {method} on {path}.',
  rate_limit: 'Rate limit reached: 10000 requests per min. Please try again in {retry}s.',
  context_length: "The messages exceed the model's maximum context length of 8192 tokens.",
  prompt_filter: 'The prompt was rejected by the content management policy.',
}

export function openAiError(kind: ErrorKind, facts: ErrorFacts): { error: OpenAiError } {
  const row = rows[kind] ?? rows.server_error
  return {
    error: {
      message: facts.message,
      type: facts.type ?? row.type ?? 'invalid_request_error',
      param: facts.param ?? row.param ?? null,
      code: facts.code ?? row.code,
    },
  }
}

/** The refusal of a rate limit. */
export function openAiLimited(refusal: Refusal & { model: string }, facts: ErrorFacts): ErrorResponse {
  const { error } = openAiError('rate_limit', { ...facts, message: limitMessage(refusal) })
  return {
    status: facts.status,
    headers: retryAfterMs(refusal),
    body: { error: { ...error, type: unitOf(refusal.dimension) } },
  }
}
