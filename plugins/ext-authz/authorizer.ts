/** Decides about checked requests: a rule, else the header of the request, else the policy. */
import type { AnyRequest, Svc } from 'svc/plugin'
import { type HeaderLine, nearest } from 'svc/toolkit'
import type { GatewayService, ServiceResult, ServiceSteps } from '../gateway-services/types.ts'
import { allow, deny, type Decision } from './decision.ts'
import { fillDecision } from './decide.ts'
import { AUTHZ_VALUES, MAX_FILL, parseAuthz, type AskedDecision } from './fault-header.ts'
import type { Policy, PolicyCall } from './policies/policy.ts'

/** How a call ends. */
export type CheckResult = ServiceResult<Decision>

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
    const maxFill = this.#svc.config.publicMode ? MAX_FILL.public : MAX_FILL.normal
    const steps: ServiceSteps<Decision, AskedDecision> = {
      readFault: text => parseAuthz(text, maxFill),
      faultValues: AUTHZ_VALUES.replace('<n>', `<1-${maxFill}>`),
      byRule: (value, lookUp, rule) => ({
        ...fillDecision(value as Decision, lookUp, this.#svc.budgets.output(request)),
        reason: `decided by the rule ${rule}`,
      }),
      byFault: decisionOf,
      byPolicy: () => decideByPolicy(policy, call),
      outcome: decision => ({
        decision: decision.decision,
        reason: decision.reason,
        leftOut: leftOut(decision),
      }),
    }
    return this.#service.decide(request, call.checked, { policy: policy.name }, steps)
  }
}

async function decideByPolicy(policy: Policy, call: PolicyCall): Promise<CheckResult> {
  const decision = await policy.decide(call)
  if (decision.decision !== 'error') return { kind: 'decided', decision }
  return { kind: 'error', status: 503, reason: decision.reason, isAnswered: false, retryAfterSecs: null }
}

function decisionOf(asked: AskedDecision, reason: string): Decision {
  switch (asked.kind) {
    case 'allow':
      return allow(reason)
    case 'deny':
      return deny(asked.status, reason)
    case 'redirect':
      return deny(302, reason, [['Location', asked.path]])
    case 'headers': {
      const allowed = allow(reason)
      const filled = Array.from(
        { length: asked.count },
        (_, index): HeaderLine => [`x-svc-fill-${index + 1}`, 'x'.repeat(FILL_BYTES)],
      )
      return { ...allowed, headers: { ...allowed.headers, set: [...allowed.headers.set, ...filled] } }
    }
  }
}
