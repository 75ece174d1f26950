/** Errors of Bedrock: `{ message }`, with the error name in the header `x-amzn-errortype`. */
import type { ErrorFacts, ErrorKind, ErrorResponse, Refusal } from '../llm/types.ts'

/** Error names by kind; default `ValidationException`. */
const names: Readonly<Partial<Record<ErrorKind, string>>> = {
  missing_credential: 'MissingAuthenticationTokenException',
  invalid_credential: 'UnrecognizedClientException',
  forbidden: 'AccessDeniedException',
  not_found: 'ResourceNotFoundException',
  unknown_route: 'UnknownOperationException',
  wrong_method: 'UnknownOperationException',
  rate_limit: 'ThrottlingException',
  server_error: 'InternalServerException',
  unavailable: 'ServiceUnavailableException',
  overloaded: 'ServiceUnavailableException',
  timeout: 'ModelTimeoutException',
  status_5xx: 'InternalServerException',
}

export const messages: Partial<Record<ErrorKind, string>> = {
  missing_credential: 'Missing Authentication Token',
  invalid_credential: 'The security token included in the request is invalid.',
  rate_limit: 'Too many requests: the rate limit of this model was reached. Please wait before trying again.',
  context_length: 'Input is too long for requested model.',
}

export function bedrockError(kind: ErrorKind, { status, message, type }: ErrorFacts): ErrorResponse {
  const name = type === 'malformed' ? 'IncompleteSignatureException' : (names[kind] ?? 'ValidationException')
  return { status, headers: { 'x-amzn-errortype': name }, body: { message } }
}

/** The refusal of a rate limit. */
export function bedrockLimited({ dimension }: Refusal, facts: ErrorFacts): ErrorResponse {
  const unit = dimension === 'rpm' || dimension === 'rpd' ? 'requests' : 'tokens'
  return bedrockError('rate_limit', { ...facts, message: `Too many ${unit}, please wait before trying again.` })
}
