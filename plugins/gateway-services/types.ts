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
  /** The header of the checked request that decides when no rule does; null without one. */
  header: string | null
  /** The names of its policies. */
  policies: readonly string[]
  /** The phases of its calls, as in `match.service.phase`. Default: none. */
  phases?: readonly string[]
  /** The step `decide` of rules about this service. Default: no such rule. */
  decide?: ServiceStep
  /** The step `mutate` of rules about this service. Default: no such rule. */
  mutate?: ServiceStep
}

/** The form that one service has of a step. */
export interface ServiceStep {
  /** Of its value. */
  keys: readonly string[]
  /** Throws an `InputProblem`. */
  read(value: Json, at: string): unknown
}

/** Which conditions of `match.service` hold. */
export interface ServiceFacts {
  policy: string | null
  /** Of a record of a stream: all of its phases. */
  phase?: string | readonly string[] | null
  domain?: string | null
  /** One of them must meet the condition. */
  descriptor?: readonly string[] | null
}

/** What a rule does with a call; `pass`: the policy decides. */
export type ServiceRule =
  | { kind: 'none' }
  /** `ofPhase`: the rule has a condition on the phase. */
  | { kind: 'pass'; rule: string; ofPhase: boolean }
  | { kind: 'fail'; rule: string; status: number; message: string | null; retryAfterSecs: number | null }
  | { kind: 'abort'; rule: string; abort: AbortKind }
  | { kind: 'decide' | 'mutate'; rule: string; value: unknown; lookUp: LookUp; ofPhase: boolean }
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

/** How a call ends. */
export type ServiceResult<Decision> =
  | { kind: 'decided'; decision: Decision }
  /**
   * The service fails. `isAnswered`: the answer says so, in the words of the protocol; otherwise the call itself fails with the
   * status.
   */
  | { kind: 'error'; status: number; reason: string; isAnswered: boolean; retryAfterSecs: number | null }
  | { kind: 'timeout' }
  | { kind: 'abort'; abort: AbortKind }
  /** The answer can't be decoded. */
  | { kind: 'malformed' }
  /** The client of the call disconnected. */
  | { kind: 'left' }

/** What the header of the checked request asks for: what all services know, or a decision of this one (`own`). */
export type ServiceFault<Own> =
  | { kind: 'own'; fault: Own }
  /** The policy decides after this time. */
  | { kind: 'slow'; ms: number }
  /** The call fails; with a status, the answer says that it does. */
  | { kind: 'error'; status: number | null }
  | { kind: 'hang' }
  | { kind: 'reset' }
  | { kind: 'malformed' }

/** How one service decides about a call. */
export interface ServiceSteps<Decision, Own> {
  /** Reads the value of the header; null for any other value. */
  readFault(text: string): ServiceFault<Own> | null
  /** The values of the header, for messages. */
  faultValues: string
  /** The decision of a rule, from what `decide.read` returned. Throws the errors of the budget. */
  byRule(value: unknown, lookUp: LookUp, rule: string): Decision
  /** The same for `mutate.read`; for services that have it. */
  byMutation?(value: unknown, lookUp: LookUp, rule: string): ServiceResult<Decision>
  byFault(fault: Own, reason: string): Decision
  byPolicy(): ServiceResult<Decision> | Promise<ServiceResult<Decision>>
  /** The decision in one word, why, and what of it the protocol of the call can't say. */
  outcome(decision: Decision): Omit<ServiceOutcome, 'by'>
}

/** A registered service. */
export interface GatewayService {
  /**
   * Decides by a rule, else by the header of the checked request, else by the policy, and records it. Throws an `HttpError` with
   * 400 for a header that can't be read.
   */
  decide<Decision, Own>(
    request: AnyRequest,
    checked: CheckedRequest,
    facts: ServiceFacts,
    steps: ServiceSteps<Decision, Own>,
  ): Promise<ServiceResult<Decision>>
  /**
   * The gRPC status of a call that ends without a message (`grpc.status`), after its connection is broken if the result says so.
   */
  grpcFailure(
    request: AnyRequest,
    result: Exclude<ServiceResult<never>, { kind: 'decided' } | { kind: 'malformed' }>,
  ): { code: number; details: string }
  /** The checked request of a call, with its session: its own, or that of the call. */
  checked(request: AnyRequest, given: GivenRequest): CheckedRequest
  /** The rule about the checked request, after its delay. */
  rule(request: AnyRequest, checked: CheckedRequest, facts: ServiceFacts): Promise<ServiceRule>
  /** The value of the header that decides; null without one, or if `services.by_header` is off. */
  header(checked: CheckedRequest): string | null
  /** Shows the outcome so far of a stream, which is not counted yet. */
  note(request: AnyRequest, checked: CheckedRequest, facts: ServiceFacts, outcome: ServiceOutcome): void
  /** Records the outcome, and counts it; call it once, before the answer begins. */
  record(request: AnyRequest, checked: CheckedRequest, facts: ServiceFacts, outcome: ServiceOutcome): void
}

/** The extension point. */
export interface GatewayServices {
  /** Adds a service. Throws if the name is in use. */
  service(kind: ServiceKind): GatewayService
  /** The endpoints that a service picks from, as `host:port`. */
  endpoints(): readonly string[]
  /** Calls `listener` when they have changed. Returns a function that removes it. */
  onEndpoints(listener: () => void): () => void
}

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'gateway-services.services': GatewayServices
  }
}
