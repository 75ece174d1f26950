/** Errors of the mock LLM: the kinds that each provider formats, and the exception for an invalid request. */
import type { Refusal } from './limit-state.ts'
import type { ErrorKind, FaultKind } from './provider.ts'
import type { RefusedViolations } from './validation.ts'

export interface BadInputDetails {
  /** The invalid parameter, in the format's path notation. */
  param?: string
  code?: string
  type?: string
  /** Default `bad_request`. */
  kind?: ErrorKind
  /** Default: the status of the kind. */
  status?: number
}

/** Thrown by a provider's `parse` for an invalid request. Identified by its `code`, never by its class. */
export class BadInput extends Error {
  readonly code = 'SVC_LLM_BAD_INPUT'
  readonly details: BadInputDetails
  constructor(message: string, details: BadInputDetails = {}) {
    super(message)
    this.details = details
  }
}

export function isBadInput(error: unknown): error is BadInput {
  return error instanceof Error && (error as { code?: unknown }).code === 'SVC_LLM_BAD_INPUT'
}

/** Thrown inside the runner to end the request with an error in the provider's format. */
export class ProviderError extends Error {
  readonly kind: ErrorKind
  readonly facts: ErrorDetails
  constructor(kind: ErrorKind, facts: ErrorDetails = {}) {
    super(kind)
    this.kind = kind
    this.facts = facts
  }
}

export interface ErrorDetails {
  status?: number
  message?: string
  param?: string
  code?: string
  type?: string
  /** Label of the fault that the client requested; marks the message as simulated. */
  injected?: string
  /** The message is sent as it is, without such a mark. */
  isExact?: true
  /** The source of the fault, such as a header. */
  source?: string
  /** Value of `Retry-After`; default: that of the kind. */
  retryAfterSecs?: number
  /** The limit that refused the request. */
  refusal?: Refusal
  /** What the request was refused for, if a rule of the vendor did. */
  violation?: RefusedViolations
}

/** A fault kind: aliases in `X-Svc-Fail`, status, and default message for providers without their own. */
export interface KindRow {
  aliases: readonly string[]
  status: number
  message: string
  /** Clients can't request it by name. */
  isInternal?: true
}

/** All kinds, in the order in which the index lists those that clients can request. */
export const kinds: Readonly<Record<FaultKind, KindRow>> = {
  rate_limit: {
    aliases: ['ratelimit', 'rate-limit', 'throttle', 'throttling'],
    status: 429,
    message: 'rate limit reached, try again in {retry} s',
  },
  server_error: {
    aliases: ['server', 'error', 'internal'],
    status: 500,
    message: 'the server had an error while processing your request',
  },
  unavailable: { aliases: ['service_unavailable'], status: 503, message: 'the service is temporarily unavailable' },
  overloaded: { aliases: [], status: 503, message: 'the model is overloaded, try again later' },
  timeout: { aliases: [], status: 504, message: 'the request timed out' },
  context_length: {
    aliases: ['context_length_exceeded', 'context'],
    status: 400,
    message: 'the request exceeds the maximum context length of this model, 8192 tokens',
  },
  prompt_filter: { aliases: [], status: 400, message: 'the prompt was rejected by the content filter' },
  content_filter: { aliases: ['filter'], status: 200, message: '' },
  invalid_credential: { aliases: ['auth', 'unauthorized'], status: 401, message: 'the credential is invalid' },
  missing_credential: { aliases: [], status: 401, message: 'a credential is required', isInternal: true },
  forbidden: { aliases: [], status: 403, message: 'you are not allowed to use this resource' },
  not_found: { aliases: [], status: 404, message: 'the model does not exist' },
  bad_request: { aliases: ['invalid'], status: 400, message: 'the request is invalid' },
  too_large: { aliases: [], status: 413, message: 'the request body is too large' },
  unknown_route: { aliases: [], status: 404, message: 'unknown route: {method} {path}', isInternal: true },
  wrong_method: { aliases: [], status: 405, message: '{method} is not allowed on {path}', isInternal: true },
  status_4xx: { aliases: [], status: 400, message: 'the request was rejected', isInternal: true },
  status_5xx: { aliases: [], status: 500, message: 'server error', isInternal: true },
}
