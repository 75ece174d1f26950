/** The words of errors by which the SDKs of vendors choose what they raise. */
import type { WireError, WireId } from '../../wires/types.ts'

/**
 * Types by the status, for the wires whose SDKs or documentation tie them together. OpenAI's and Cohere's SDKs choose by the
 * status alone.
 */
const TYPES: Readonly<Partial<Record<WireId, Readonly<Record<number, readonly string[]>>>>> = {
  messages: {
    400: ['invalid_request_error'],
    401: ['authentication_error'],
    403: ['permission_error'],
    404: ['not_found_error'],
    413: ['request_too_large'],
    429: ['rate_limit_error'],
    500: ['api_error'],
    503: ['api_error', 'overloaded_error'],
    504: ['timeout_error', 'api_error'],
    529: ['overloaded_error'],
  },
  gemini: {
    400: ['INVALID_ARGUMENT', 'FAILED_PRECONDITION'],
    401: ['UNAUTHENTICATED'],
    403: ['PERMISSION_DENIED'],
    404: ['NOT_FOUND'],
    429: ['RESOURCE_EXHAUSTED'],
    500: ['INTERNAL', 'UNKNOWN'],
    503: ['UNAVAILABLE'],
    504: ['DEADLINE_EXCEEDED'],
  },
  converse: {
    400: ['ValidationException'],
    404: ['ResourceNotFoundException'],
    408: ['ModelTimeoutException'],
    424: ['ModelErrorException'],
    429: ['ThrottlingException', 'ServiceQuotaExceededException'],
    500: ['InternalServerException'],
    503: ['ServiceUnavailableException'],
  },
}

/** Whether the type of an error is one that its status has on this wire; true if the wire has no such rule. */
export function isTypeOf({ status, type }: Pick<WireError, 'status' | 'type'>, client: WireId): boolean {
  const expected = TYPES[client]?.[status]
  return expected === undefined || (type !== null && expected.includes(type))
}

/** Statuses that vendors use for the same. */
const SAME: readonly (readonly number[])[] = [
  // Overloaded: Anthropic has a status for it.
  [503, 529],
  // Too late: Bedrock has its own.
  [408, 424, 504],
]

export function standsFor(one: number, other: number): boolean {
  return SAME.some(statuses => statuses.includes(one) && statuses.includes(other))
}
