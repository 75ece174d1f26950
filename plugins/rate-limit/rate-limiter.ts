/** Decides about calls: a rule, else the fault that the client asks for, else the limits. */
import type { AnyRequest, Svc } from 'svc/plugin'
import type { GatewayService, ServiceResult } from '../gateway-services/types.ts'
import { limitedCall, readChecked } from './checked-request.ts'
import { ownerOf } from './counters.ts'
import { fillDecision, type RuleDecision } from './decide.ts'
import { parseFault, RATE_LIMIT_VALUES } from './fault-entry.ts'
import type { Code, LimitCall } from './limit.ts'
import { type Answer, descriptorTexts, type Limiter } from './limiter.ts'

export type LimitResult = ServiceResult<Answer>

/** The words of records. */
const WORDS: Readonly<Record<Code, string>> = { OK: 'ok', OVER_LIMIT: 'over', UNKNOWN: 'unknown' }

export class RateLimiter {
  readonly #svc: Svc<unknown>
  readonly #service: GatewayService
  readonly #limiter: Limiter

  constructor(svc: Svc<unknown>, service: GatewayService, limiter: Limiter) {
    this.#svc = svc
    this.#service = service
    this.#limiter = limiter
  }

  /**
   * Decides, and records it. Throws an `HttpError` with 400 for a fault that can't be read, an `InputProblem` for a limit that can't,
   * and `TooExpensive`.
   */
  async decide(request: AnyRequest, call: LimitCall): Promise<LimitResult> {
    const { http, budgets, config } = this.#svc
    const given = readChecked(call, http.receivedHeaders(request), http.clientIp(request))
    const checked = this.#service.checked(request, given)
    const limited = limitedCall(call, checked)
    const owner = ownerOf(checked.session, http.session(request).key, config.publicMode)
    const facts = { policy: null, domain: call.domain, descriptor: descriptorTexts(limited) }
    return this.#service.decide<Answer, Code>(request, checked, facts, {
      readFault: parseFault,
      faultValues: RATE_LIMIT_VALUES,
      byRule: (value, lookUp, rule) => ({
        ...fillDecision(value as RuleDecision, lookUp, budgets.output(request)),
        ...uncounted(limited, (value as RuleDecision).code, `decided by the rule ${rule}`),
      }),
      byFault: (code, reason) => ({ ...uncounted(limited, code, reason), headers: [], requestHeaders: [] }),
      byPolicy: async () => ({
        kind: 'decided',
        decision: await this.#limiter.count(limited, { owner, session: checked.session }),
      }),
      outcome: ({ code, reason }) => ({ decision: WORDS[code], reason }),
    })
  }
}

/** An answer for which nothing is counted: each descriptor has its code. */
function uncounted(
  { descriptors }: LimitCall,
  code: Code,
  reason: string,
): Pick<Answer, 'code' | 'statuses' | 'reason'> {
  return {
    code,
    reason,
    statuses: descriptors.map(() => ({ code, limit: null, remaining: 0, resetSecs: null })),
  }
}
