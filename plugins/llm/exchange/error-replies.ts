/** Error answers of a provider: in its own form, with the headers that every answer has. */
import { kinds } from '../errors.ts'
import { maskKey, printable, type Credential } from './credentials.ts'
import type { ProviderInstance } from '../providers/instance.ts'
import type { ErrorFacts, ErrorKind, FaultKind, HeaderFacts, ProviderAnswer } from '../provider.ts'

/** Thrown inside the runner: the request ends with an error of the provider. */
export class Refusal extends Error {
  readonly kind: ErrorKind
  readonly facts: RefusalFacts
  constructor(kind: ErrorKind, facts: RefusalFacts = {}) {
    super(kind)
    this.kind = kind
    this.facts = facts
  }
}

export interface RefusalFacts {
  status?: number
  message?: string
  param?: string
  code?: string
  type?: string
  /** Asked for by the client, of this label: the message says so. */
  injected?: string
  /** What asked for it. */
  source?: string
}

/** Who is answered: what the headers of every answer tell. */
export interface Audience {
  requestId: string
  path: string
  instanceId: string
  credential: Credential | null
  shownCredential: string
  startedAt: number
}

/** Headers on every answer of a provider, errors included; in lower case, as Fastify wants them. */
export function commonHeaders(instance: ProviderInstance, audience: Audience): Record<string, string> {
  return {
    'x-svc-request-id': printable(audience.requestId),
    'x-svc-provider': instance.name,
    'x-svc-instance': audience.instanceId,
    'x-svc-credential': audience.shownCredential,
  }
}

/** The provider's own headers for an answer. */
export function nativeHeaders(
  instance: ProviderInstance,
  audience: Audience,
  status: number,
  prompt: number,
  completion: number,
  kind?: ErrorKind,
): Record<string, string> {
  const facts: HeaderFacts = {
    status,
    prompt,
    completion,
    requestId: audience.requestId,
    elapsedMs: Math.round(performance.now() - audience.startedAt),
    now: Date.now(),
  }
  if (kind !== undefined) facts.kind = kind
  return instance.format.headers?.(facts) ?? {}
}

export function statusOf(instance: ProviderInstance, kind: FaultKind): number {
  return instance.format.faultStatus?.[kind] ?? kinds[kind].status
}

/** The facts of an error as the provider gets them: status and text filled in where nobody set them. */
export function errorFacts(
  instance: ProviderInstance,
  audience: Audience,
  kind: ErrorKind,
  facts: RefusalFacts,
): ErrorFacts {
  const text = facts.message ?? instance.format.messages?.[kind] ?? kinds[kind].message
  return {
    status: facts.status ?? statusOf(instance, kind),
    message:
      text.replace('{key}', () => maskKey(audience.credential?.value ?? '')) +
      (facts.injected === undefined ? '' : ' (simulated)'),
    requestId: audience.requestId,
    path: audience.path,
    ...(facts.param === undefined ? {} : { param: facts.param }),
    ...(facts.code === undefined ? {} : { code: facts.code }),
    ...(facts.type === undefined ? {} : { type: facts.type }),
  }
}

/** A whole error answer with all its headers. */
export function errorAnswer(
  instance: ProviderInstance,
  audience: Audience,
  kind: ErrorKind,
  facts: RefusalFacts,
): Required<ProviderAnswer> {
  const { status, headers, body } = instance.format.error(kind, errorFacts(instance, audience, kind, facts))
  return {
    status,
    body,
    headers: {
      'Content-Type': 'application/json',
      ...commonHeaders(instance, audience),
      ...nativeHeaders(instance, audience, status, 0, 0, kind),
      ...(kind === 'rate_limit' || kind === 'overloaded' ? { 'Retry-After': '2' } : {}),
      ...headers,
    },
  }
}
