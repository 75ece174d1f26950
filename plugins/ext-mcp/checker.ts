/** Decides about calls: a rule, else the header of the request, else the policy. */
import type { AnyRequest, Svc } from 'svc/plugin'
import { nearest, readOrProblem } from 'svc/toolkit'
import type { GatewayService, ServiceResult } from '../gateway-services/types.ts'
import type { McpCall, McpDecision } from './call.ts'
import { askedDecision, type AskedDecision, MCP_VALUES, parseFault } from './fault-header.ts'
import { PASS, type Policy } from './policies.ts'
import { decided, mutated } from './rule-steps.ts'

export type McpResult = ServiceResult<McpDecision>

export class Checker {
  readonly #svc: Svc<unknown>
  readonly #service: GatewayService
  readonly #policies: readonly Policy[]

  constructor(svc: Svc<unknown>, service: GatewayService, policies: readonly Policy[]) {
    this.#svc = svc
    this.#service = service
    this.#policies = policies
  }

  /** The policy with this name; a sentence about an unknown name. */
  policy(name: string): Policy | string {
    const found = this.#policies.find(policy => policy.name === name)
    if (found !== undefined) return found
    const names = this.#policies.map(policy => policy.name)
    const guess = nearest(name, names)
    return `unknown policy ${JSON.stringify(name.slice(0, 100))}${guess === undefined ? '' : ` (did you mean "${guess}"?)`}, expected one of ${names.join(', ')}`
  }

  /** Decides, and records it. Throws an `HttpError` with 400 for a header that can't be read. */
  async decide(request: AnyRequest, policy: Policy, call: McpCall): Promise<McpResult> {
    const { budgets } = this.#svc
    const filling = (lookUp: Parameters<typeof decided>[2]['lookUp']) => ({ lookUp, output: budgets.output(request) })
    return this.#service.decide<McpDecision, AskedDecision>(
      request,
      call.checked,
      { policy: policy.name, phase: call.phase },
      {
        readFault: parseFault,
        faultValues: MCP_VALUES,
        byRule: (value, lookUp, rule) => decided(value, rule, filling(lookUp)),
        byMutation: (value, lookUp, rule) => {
          const steps = budgets.evaluation()
          const read = readOrProblem(() => mutated(value, call, rule, { ...filling(lookUp), steps }))
          if ('value' in read) return { kind: 'decided', decision: read.value }
          const reason = `the patch of the rule ${rule} does not fit: ${read.problem.at} ${read.problem.details}`
          return { kind: 'error', status: 400, reason, isAnswered: false, retryAfterSecs: null }
        },
        byFault: askedDecision,
        byPolicy: async () => ({ kind: 'decided', decision: (await policy[call.phase]?.(call)) ?? PASS }),
        outcome: decision => ({
          decision: decision.kind === 'empty' || decision.kind === 'malformed' ? 'error' : decision.kind,
          reason: decision.reason,
          phases: [call.phase],
          ...(decision.kind === 'mutate' ? { leftOut: decision.leftOut } : {}),
        }),
      },
    )
  }
}
