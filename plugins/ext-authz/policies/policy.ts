/** A policy: decides about a checked request. */
import type { CheckedRequest } from '../../gateway-services/types.ts'
import type { Decision } from '../decision.ts'

/** A call of a policy. */
export interface PolicyCall {
  checked: CheckedRequest
  /** Parameters of the policy: of the query (HTTP) or `context_extensions` (gRPC). */
  parameter(name: string): string | undefined
  protocol: 'http' | 'grpc'
  /** Name of the caller by its certificate (gRPC); empty without one. */
  principal: string
}

/** The policy can't decide, because what it needs is not there. */
export interface PolicyFailure {
  decision: 'error'
  reason: string
}

export interface Policy {
  name: string
  summary: string
  decide(call: PolicyCall): Decision | PolicyFailure | Promise<Decision | PolicyFailure>
}

/** A header of the checked request by its lower-case name; several lines are joined. */
export function headerOf({ rawHeaders }: CheckedRequest, name: string): string | undefined {
  const values: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]!.toLowerCase() === name) values.push(rawHeaders[index + 1]!)
  return values.length === 0 ? undefined : values.join(name === 'cookie' ? '; ' : ', ')
}
