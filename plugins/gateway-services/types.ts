/**
 * The extension point `gateway-services.services`: what the services share that a gateway calls, such as an authorization
 * service. They read their calls into one form, the checked request; rules, records and metrics are the same for all.
 */
import type { AbortKind, AnyRequest, Json, ServiceDecision } from 'svc/plugin'
import type { LookUp } from 'svc/toolkit'

/** The request that a gateway asks about; `url` is without the prefix of its session. */
export type CheckedRequest = ServiceDecision['checked'] & {
  /** Path and query as the gateway gave them. */
  receivedUrl: string
}

/** A request as a service has read it from its call. */
export interface GivenRequest {
  method: string
  /** Path and query. */
  url: string
  scheme: 'http' | 'https'
  clientIp: string
  /** Names and values, alternating, with `host`. */
  rawHeaders: readonly string[]
  body: Buffer
}

/** A kind of service. */
export interface ServiceKind {
  /** As in `match.service.name`. */
  name: string
  /** Full name of its gRPC service; null without one. */
  grpc: string | null
  /** Path of its HTTP form; null without one. */
  http: string | null
  /** The header of the checked request that decides when no rule does. Lower case. */
  header: string
  /** The names of its policies. */
  policies: readonly string[]
  /** Reads the step `decide` of rules about this service. Throws an `InputProblem`. Default: no such rule. */
  readDecide?(value: Json, at: string): unknown
}

/** Which conditions of `match.service` hold. */
export interface ServiceFacts {
  policy: string | null
  phase?: string | null
  domain?: string | null
  descriptor?: string | null
}

/** What a rule does with a call; `pass`: the policy decides. */
export type ServiceRule =
  | { kind: 'none' }
  | { kind: 'pass'; rule: string }
  | { kind: 'fail'; rule: string; status: number; message: string | null; retryAfterSecs: number | null }
  | { kind: 'abort'; rule: string; abort: AbortKind }
  | { kind: 'decide'; rule: string; value: unknown; lookUp: LookUp }
  /** The client of the call disconnected during the delay. */
  | { kind: 'left' }

/** What was decided, for the inspector and the metric. */
export interface ServiceOutcome {
  /** Such as `deny`. */
  decision: string
  by: ServiceDecision['by']
  reason: string | null
  leftOut?: readonly string[]
  phases?: readonly string[] | null
}

/** A registered service. */
export interface GatewayService {
  /** The checked request of a call, with its session: its own, or that of the call. */
  checked(request: AnyRequest, given: GivenRequest): CheckedRequest
  /** The rule about the checked request, after its delay. */
  rule(request: AnyRequest, checked: CheckedRequest, facts: ServiceFacts): Promise<ServiceRule>
  /** The value of the header that decides; null without one, or if `services.by_header` is off. */
  header(checked: CheckedRequest): string | null
  /** Records the outcome; call it once, before the answer begins. */
  record(request: AnyRequest, checked: CheckedRequest, facts: ServiceFacts, outcome: ServiceOutcome): void
}

/** The extension point. */
export interface GatewayServices {
  /** Adds a service. Throws if the name is in use. */
  service(kind: ServiceKind): GatewayService
}

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'gateway-services.services': GatewayServices
  }
}
