/** Errors of the Gemini format: `google.rpc.Status` as JSON. */
import type { ErrorFacts, ErrorKind, ErrorResponse, RefusedViolations, Refusal } from '../llm/types.ts'
import { FIELD_RULES } from './validation/rules.ts'

/** Status names of kinds with a specific name; for others the name depends on the HTTP status. */
const statusNames: Readonly<Partial<Record<ErrorKind, string>>> = {
  missing_credential: 'PERMISSION_DENIED',
  invalid_credential: 'INVALID_ARGUMENT',
  forbidden: 'PERMISSION_DENIED',
  not_found: 'NOT_FOUND',
  unknown_route: 'NOT_FOUND',
  wrong_method: 'UNIMPLEMENTED',
  bad_request: 'INVALID_ARGUMENT',
  too_large: 'FAILED_PRECONDITION',
  rate_limit: 'RESOURCE_EXHAUSTED',
  server_error: 'INTERNAL',
  unavailable: 'UNAVAILABLE',
  overloaded: 'UNAVAILABLE',
  timeout: 'DEADLINE_EXCEEDED',
  context_length: 'INVALID_ARGUMENT',
  prompt_filter: 'INVALID_ARGUMENT',
}
const byNumber: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  409: 'ABORTED',
  499: 'CANCELLED',
  501: 'UNIMPLEMENTED',
}

export const messages: Partial<Record<ErrorKind, string>> = {
  missing_credential: 'Method does not allow unregistered callers. Please use an API key.',
  invalid_credential: 'API key not valid. Please pass a valid API key.',
  overloaded: 'The model is overloaded. Please try again later.',
  rate_limit: 'The rate limit of this project was exceeded. Please retry in {retry}s.',
  context_length: 'The input token count exceeds the maximum number of tokens allowed (1048576).',
}

const rpc = 'type.googleapis.com/google.rpc'

function detailsOf(kind: ErrorKind, retryAfterSecs = 2): object[] {
  if (kind === 'invalid_credential') {
    return [
      {
        '@type': `${rpc}.ErrorInfo`,
        reason: 'API_KEY_INVALID',
        domain: 'googleapis.com',
        metadata: { service: 'generativelanguage.googleapis.com' },
      },
    ]
  }
  return kind === 'rate_limit' ? [{ '@type': `${rpc}.RetryInfo`, retryDelay: `${retryAfterSecs}s` }] : []
}

export function geminiError(kind: ErrorKind, facts: ErrorFacts): ErrorResponse {
  const { status, message, type, retryAfterSecs, violation } = facts
  if (violation !== undefined && FIELD_RULES.has(violation.rule)) return fieldError(facts, violation.all)
  const statusName =
    type === 'ALREADY_EXISTS'
      ? type
      : (byNumber[status] ?? statusNames[kind] ?? (status >= 500 ? 'INTERNAL' : 'FAILED_PRECONDITION'))
  return {
    status,
    headers: { 'Content-Type': 'application/json; charset=UTF-8' },
    body: { error: { code: status, message, status: statusName, details: detailsOf(kind, retryAfterSecs) } },
  }
}

/** Wrong members are listed one by one. */
function fieldError({ status }: ErrorFacts, violations: RefusedViolations['all']): ErrorResponse {
  const details = [
    {
      '@type': `${rpc}.BadRequest`,
      fieldViolations: violations.map(({ at, message }) => ({
        ...(at === '' ? {} : { field: at }),
        description: message,
      })),
    },
  ]
  const message = violations.map(violation => violation.message).join('\n')
  return {
    status,
    headers: { 'Content-Type': 'application/json; charset=UTF-8' },
    body: { error: { code: status, message, status: 'INVALID_ARGUMENT', details } },
  }
}

/** The refusal of a rate limit, with its quota. */
export function geminiLimited(
  { dimension, limit, waitMs, model }: Refusal & { model: string },
  facts: ErrorFacts,
): ErrorResponse {
  const isOfRequests = dimension === 'rpm' || dimension === 'rpd'
  const isDaily = dimension === 'rpd' || dimension === 'tpd'
  const metric = `generativelanguage.googleapis.com/generate_content_paid_tier_${isOfRequests ? 'requests' : 'input_token_count'}`
  const wait = waitMs === null ? '' : ` Please retry in ${Math.ceil(waitMs) / 1000}s.`
  const message = `You exceeded your current quota. Quota exceeded for metric: ${metric}, limit: ${limit}.${wait}`
  const { status, headers, body } = geminiError('rate_limit', { ...facts, message })
  const { error } = body as { error: object }
  const failure = {
    '@type': `${rpc}.QuotaFailure`,
    violations: [
      {
        quotaMetric: metric,
        quotaId: `Generate${isOfRequests ? 'Requests' : 'ContentInputTokens'}Per${isDaily ? 'Day' : 'Minute'}PerProjectPerModel`,
        quotaDimensions: { location: 'global', model },
        quotaValue: String(limit),
      },
    ],
  }
  const retry = waitMs === null ? [] : [{ '@type': `${rpc}.RetryInfo`, retryDelay: `${Math.ceil(waitMs) / 1000}s` }]
  return { status, headers: headers ?? {}, body: { error: { ...error, details: [failure, ...retry] } } }
}
