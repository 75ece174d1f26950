/** Errors of the Interactions API: `{ error: { code, message } }`. */
import type { ErrorFacts, ErrorResponse } from '../../llm/types.ts'

const CODES: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'permission_denied',
  403: 'permission_denied',
  404: 'not_found',
  429: 'resource_exhausted',
}

export function isInteractionsPath(path: string): boolean {
  return /\/interactions(?:\/|$)/.test(path)
}

export function interactionError({ status, message }: ErrorFacts): ErrorResponse {
  const code = CODES[status] ?? (status < 500 ? 'invalid_request' : 'internal')
  return { status, body: { error: { code, message } } }
}
