/** Decides about checked requests: a rule, else the header of the request, else the policy. */
import { HttpError, type AbortKind, type AnyRequest, type Svc } from 'svc/plugin'
import { nearest } from 'svc/toolkit'
import type { GatewayService, ServiceOutcome } from '../gateway-services/types.ts'
import { allow, deny, type Decision, type HeaderLine } from './decision.ts'
import { fillDecision } from './decide.ts'
import { AUTHZ_HEADER, AUTHZ_VALUES, MAX_FILL, parseAuthz, type AskedFault } from './fault-header.ts'
import type { Policy, PolicyCall } from './policies/policy.ts'

/** How a call ends. */
export type CheckResult =
  | { kind: 'decided'; decision: Decision }
  /**
   * The service fails. `isAnswered`: the answer says so, in the words of the protocol; otherwise the call itself fails with the
   * status.
   */
  | { kind: 'error'; status: number; reason: string; isAnswered: boolean; retryAfterSecs: number | null }
  | { kind: 'timeout' }
  | { kind: 'abort'; abort: AbortKind }
  | { kind: 'malformed' }
  /** The client of the call disconnected. */
  | { kind: 'left' }

/** What cannot be said in the protocol of the call. */
export type LeftOut = (decision: Decision) => readonly string[]

const FILL_BYTES = 1024

export class Authorizer {
  readonly #svc: Svc<unknown>
  readonly #service: GatewayService
  readonly #policies: ReadonlyMap<string, Policy>

  constructor(svc: Svc<unknown>, service: GatewayService, policies: readonly Policy[]) {
    this.#svc = svc
    this.#service = service
    this.#policies = new Map(policies.map(policy => [policy.name, policy]))
  }

  /** The policy with this name; undefined for an unknown one. */
  policy(name: string): Policy | undefined {
    return this.#policies.get(name)
  }

  /** A sentence about an unknown name, with the nearest known one. */
  unknown(name: string): string {
    const names = [...this.#policies.keys()]
    const guess = nearest(name, names)
    return `unknown policy ${JSON.stringify(name.slice(0, 100))}${guess === undefined ? '' : ` (did you mean "${guess}"?)`}, expected one of ${names.join(', ')}`
  }

  /**
   * Decides, and records it. Throws an `HttpError` with 400 for a header that can't be parsed. `leftOut` names what of a
   * decision the protocol of the call can't say.
   */
  async decide(request: AnyRequest, policy: Policy, call: PolicyCall, leftOut: LeftOut): Promise<CheckResult> {
    const { checked } = call
    const facts = { policy: policy.name }
    const header = this.#service.header(checked)
    const maxFill = this.#svc.config.publicMode ? MAX_FILL.public : MAX_FILL.normal
    const asked = header === null ? null : parseAuthz(header, maxFill)
    const record = (result: CheckResult, by: ServiceOutcome['by']): CheckResult => {
      this.#service.record(request, checked, facts, { ...outcomeOf(result), by, leftOut: leftOutOf(result, leftOut) })
      return result
    }
    const rule = await this.#service.rule(request, checked, facts)
    switch (rule.kind) {
      case 'left':
        return record({ kind: 'left' }, 'rule')
      case 'abort':
        return record({ kind: 'abort', abort: rule.abort }, 'rule')
      case 'fail': {
        const { status, message, retryAfterSecs } = rule
        const reason = message ?? `failed by the rule ${rule.rule}`
        return record({ kind: 'error', status, reason, isAnswered: false, retryAfterSecs }, 'rule')
      }
      case 'decide': {
        const output = this.#svc.budgets.output(request)
        const decision = fillDecision(rule.value as Decision, rule.lookUp, output)
        return record(
          { kind: 'decided', decision: { ...decision, reason: `decided by the rule ${rule.rule}` } },
          'rule',
        )
      }
      case 'pass':
        return record(await this.#byPolicy(policy, call), 'policy')
      case 'none':
        if (header === null) return record(await this.#byPolicy(policy, call), 'policy')
        if (asked === null) throw invalidHeader(header, maxFill)
        if (asked.kind !== 'slow') return record(await this.#asAsked(request, asked), 'header')
        if (!(await this.#svc.http.delay(request, asked.ms))) return record({ kind: 'left' }, 'header')
        return record(await this.#byPolicy(policy, call), 'policy')
    }
  }

  async #byPolicy(policy: Policy, call: PolicyCall): Promise<CheckResult> {
    const decision = await policy.decide(call)
    if (decision.decision !== 'error') return { kind: 'decided', decision }
    return { kind: 'error', status: 503, reason: decision.reason, isAnswered: false, retryAfterSecs: null }
  }

  async #asAsked(request: AnyRequest, asked: Exclude<AskedFault, { kind: 'slow' }>): Promise<CheckResult> {
    const reason = `requested by ${AUTHZ_HEADER}`
    switch (asked.kind) {
      case 'allow':
        return { kind: 'decided', decision: allow(reason) }
      case 'deny':
        return { kind: 'decided', decision: deny(asked.status, reason) }
      case 'redirect':
        return { kind: 'decided', decision: deny(302, reason, [['Location', asked.path]]) }
      case 'headers': {
        const allowed = allow(reason)
        const filled = Array.from(
          { length: asked.count },
          (_, index): HeaderLine => [`x-svc-fill-${index + 1}`, 'x'.repeat(FILL_BYTES)],
        )
        const headers = { ...allowed.headers, set: [...allowed.headers.set, ...filled] }
        return { kind: 'decided', decision: { ...allowed, headers } }
      }
      case 'error':
        return {
          kind: 'error',
          status: asked.status ?? 503,
          reason,
          isAnswered: asked.status !== null,
          retryAfterSecs: null,
        }
      case 'hang': {
        const { http, config } = this.#svc
        return (await http.delay(request, config.maxDelayMs)) ? { kind: 'timeout' } : { kind: 'left' }
      }
      case 'reset':
        return { kind: 'abort', abort: 'reset' }
      case 'malformed':
        return { kind: 'malformed' }
    }
  }
}

function invalidHeader(value: string, maxFill: number): HttpError {
  return new HttpError(400, {
    error: 'invalid_service_header',
    header: AUTHZ_HEADER,
    details: `${JSON.stringify(value.slice(0, 100))} is not one of ${AUTHZ_VALUES.replace('<n>', `<1-${maxFill}>`)}`,
  })
}

function leftOutOf(result: CheckResult, leftOut: LeftOut): readonly string[] {
  return result.kind === 'decided' ? leftOut(result.decision) : []
}

function outcomeOf(result: CheckResult): Pick<ServiceOutcome, 'decision' | 'reason'> {
  switch (result.kind) {
    case 'decided':
      return { decision: result.decision.decision, reason: result.decision.reason }
    case 'error':
      return { decision: 'error', reason: result.reason }
    case 'abort':
      return { decision: 'error', reason: `connection broken: ${result.abort}` }
    case 'malformed':
      return { decision: 'error', reason: 'malformed answer' }
    case 'timeout':
      return { decision: 'error', reason: 'no answer in time' }
    case 'left':
      return { decision: 'error', reason: 'the caller disconnected' }
  }
}
