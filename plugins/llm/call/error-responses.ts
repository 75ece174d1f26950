/** Error responses in a provider's format, with the common headers. */
import { kinds, type ErrorDetails } from '../contract/errors.ts'
import type { LimitState } from '../contract/limit-state.ts'
import { maskKey, printable, type Credential } from '../headers/credentials.ts'
import type { ProviderInstance } from '../providers/instance.ts'
import type { ErrorFacts, ErrorKind, FaultKind, HeaderFacts, ErrorResponse } from '../contract/provider.ts'
import { showViolations, type CallValidation } from '../validation/violations.ts'

/** `Retry-After` of a fault without a time of its own. */
const DEFAULT_RETRY_SECS = 2

/** Values for the headers of every response. */
export interface ResponseContext {
  requestId: string
  path: string
  instanceId: string
  credential: Credential | null
  shownCredential: string
  startedAt: number
  /** What the rate limits have left; null: nothing limits the request. */
  rateLimits: LimitState | null
  /** The requested model; null: it was not read. */
  model: string | null
  /** The limit that refused the request. */
  limited: string | null
  /** What checking the request found; null: nothing that the response shows. */
  validation: CallValidation | null
  /** The directives of the prompt, as `X-Svc-Directive` shows them; null: none acts. */
  shownDirective: string | null
}

/** Headers of every response of a provider, including errors; in lower case, as Fastify expects. */
export function commonHeaders(instance: ProviderInstance, context: ResponseContext): Record<string, string> {
  const headers: Record<string, string> = {
    'x-svc-request-id': printable(context.requestId),
    'x-svc-provider': instance.name,
    'x-svc-instance': context.instanceId,
    'x-svc-credential': context.shownCredential,
  }
  if (context.validation !== null) addValidation(headers, context.validation)
  if (context.shownDirective !== null) headers['x-svc-directive'] = context.shownDirective
  return headers
}

function addValidation(headers: Record<string, string>, { level, violations, refused }: CallValidation): void {
  headers['x-svc-validation'] = level
  if (violations.length > 0) headers['x-svc-violations'] = showViolations(violations, refused)
}

/** The provider's own response headers. */
export function nativeHeaders(
  instance: ProviderInstance,
  context: ResponseContext,
  status: number,
  prompt: number,
  completion: number,
  kind?: ErrorKind,
  retryAfterSecs?: number,
): Record<string, string> {
  const facts: HeaderFacts = {
    status,
    prompt,
    completion,
    requestId: context.requestId,
    elapsedMs: Math.round(performance.now() - context.startedAt),
    now: Date.now(),
  }
  if (kind !== undefined) facts.kind = kind
  if (retryAfterSecs !== undefined) facts.retryAfterSecs = retryAfterSecs
  if (context.rateLimits !== null) facts.limits = context.rateLimits
  return instance.format.headers?.(facts) ?? {}
}

export function statusOf(instance: ProviderInstance, kind: FaultKind): number {
  return instance.format.faultStatus?.[kind] ?? kinds[kind].status
}

/** The error details for the provider, with default status and message. */
export function errorFacts(
  instance: ProviderInstance,
  context: ResponseContext,
  kind: ErrorKind,
  facts: ErrorDetails,
): ErrorFacts {
  const text = facts.message ?? instance.format.messages?.[kind] ?? kinds[kind].message
  const retryAfterSecs = retryAfterOf(kind, facts)
  return {
    status: facts.status ?? statusOf(instance, kind),
    message:
      text
        .replace('{key}', () => maskKey(context.credential?.value ?? ''))
        .replace('{retry}', () => String(retryAfterSecs ?? DEFAULT_RETRY_SECS)) +
      (facts.injected === undefined || facts.isExact === true ? '' : ' (simulated)'),
    requestId: context.requestId,
    path: context.path,
    ...(facts.param === undefined ? {} : { param: facts.param }),
    ...(facts.code === undefined ? {} : { code: facts.code }),
    ...(facts.type === undefined ? {} : { type: facts.type }),
    ...(retryAfterSecs === undefined ? {} : { retryAfterSecs }),
    ...(facts.violation === undefined ? {} : { violation: facts.violation }),
  }
}

/** An error response with all its headers. */
export function errorResponse(
  instance: ProviderInstance,
  context: ResponseContext,
  kind: ErrorKind,
  facts: ErrorDetails,
): Required<ErrorResponse> {
  const { format } = instance
  const shown = errorFacts(instance, context, kind, facts)
  const { refusal } = facts
  const { status, headers, body } =
    refusal !== undefined && format.limited !== undefined
      ? format.limited({ ...refusal, model: context.model ?? '' }, shown)
      : format.error(kind, shown)
  return {
    status,
    body,
    headers: {
      'Content-Type': 'application/json',
      ...commonHeaders(instance, context),
      ...nativeHeaders(instance, context, status, 0, 0, kind, shown.retryAfterSecs),
      // RFC 9110, section 15.5.22: the response names the protocol.
      ...(status === 426 ? { Upgrade: 'websocket', Connection: 'Upgrade' } : {}),
      ...(context.limited === null ? {} : { 'X-Svc-Limited': context.limited }),
      ...headers,
      ...(shown.retryAfterSecs === undefined ? {} : { 'Retry-After': String(shown.retryAfterSecs) }),
    },
  }
}

/** Whole seconds until a request is worth a try; undefined: the kind has none, or the request is never admitted. */
function retryAfterOf(kind: ErrorKind, { refusal, retryAfterSecs }: ErrorDetails): number | undefined {
  if (retryAfterSecs !== undefined) return retryAfterSecs
  if (refusal !== undefined) return refusal.waitMs === null ? undefined : Math.max(1, Math.ceil(refusal.waitMs / 1000))
  return kind === 'rate_limit' || kind === 'overloaded' ? DEFAULT_RETRY_SECS : undefined
}
