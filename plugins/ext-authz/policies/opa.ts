/** The policy `opa`: the boolean that the Open Policy Agent's API answers for `svc/allow`. */
import { allow, deny } from '../decision.ts'
import type { Policy } from './policy.ts'

const DEFAULT = 'header'

/** `policies` are those that it may ask. */
export function opaPolicy(policies: readonly Policy[]): Policy {
  return {
    name: 'opa',
    summary: 'Allows or denies with 403 as `/opa/v1/data/svc/allow` answers, by the policy `opa_policy` (`header`).',
    async decide(call) {
      const name = call.parameter('opa_policy') ?? DEFAULT
      const policy = policies.find(one => one.name === name)
      if (policy === undefined)
        return {
          decision: 'error',
          reason: `opa_policy must be one of ${policies.map(one => one.name).join(', ')}`,
        }
      const decision = await policy.decide(call)
      if (decision.decision === 'error') return decision
      return decision.decision === 'allow'
        ? allow(`${name}: ${decision.reason}`)
        : deny(403, `${name}: ${decision.reason}`)
    },
  }
}
