/** The registered services: finds their rules, and records what they decide. */
import type { AnyRequest, MessageRule, Svc } from 'svc/plugin'
import { copyText, firstRawHeader, type RuleStep } from 'svc/toolkit'
import { decide, grpcFailure } from './decide.ts'
import { DECIDE, MUTATE, SERVICE } from './match.ts'
import type { StepValue } from './service-steps.ts'
import type { CheckedRequest, GatewayService, GivenRequest, ServiceFacts, ServiceKind, ServiceRule } from './types.ts'

export interface ServicesOptions {
  by_header: boolean
  endpoints: string[]
}

/** What a record keeps of descriptors. */
const KEPT_DESCRIPTORS = 100
const KEPT_CHARACTERS = 256

export class Services {
  readonly #svc: Svc<ServicesOptions>
  readonly #kinds = new Map<string, ServiceKind>()
  readonly #calls: Map<string, number>
  readonly #metric

  constructor(svc: Svc<ServicesOptions>) {
    this.#svc = svc
    // Bounded by the names of services, which plugins register.
    this.#calls = svc.shared('calls', () => new Map<string, number>())
    this.#metric = svc.metrics.counter(
      'svc_service_calls_total',
      'Calls of services that gateways ask, by what was decided',
      ['service', 'decision'],
    )
  }

  list(): readonly ServiceKind[] {
    return [...this.#kinds.values()]
  }

  /** Calls since the start of the process. */
  callsOf({ name }: ServiceKind): number {
    return this.#calls.get(name) ?? 0
  }

  add(kind: ServiceKind): GatewayService {
    if (this.#kinds.has(kind.name)) throw new Error(`the service "${kind.name}" is registered twice`)
    this.#kinds.set(kind.name, kind)
    const header = kind.header?.toLowerCase()
    const service: GatewayService = {
      decide: (request, checked, facts, steps) => decide(this.#svc, service, kind, { request, checked, facts, steps }),
      grpcFailure: (request, result) => grpcFailure(this.#svc, request, result),
      checked: (request, given) => this.#checked(request, given),
      rule: (request, checked, facts) => this.#rule(kind, request, checked, facts),
      header: checked =>
        header !== undefined && this.#svc.options.by_header
          ? (firstRawHeader(checked.rawHeaders, header) ?? null)
          : null,
      note: (request, checked, facts, outcome) => {
        const { receivedUrl: _received, ...shown } = checked
        this.#svc.inspector.annotate(request, {
          service: { name: kind.name, policy: facts.policy, ...outcome, facts: keptFacts(kind, facts), checked: shown },
        })
      },
      record: (request, checked, facts, outcome) => {
        this.#calls.set(kind.name, this.callsOf(kind) + 1)
        this.#metric.inc({ service: kind.name, decision: outcome.decision })
        service.note(request, checked, facts, outcome)
      },
    }
    return service
  }

  #checked(request: AnyRequest, given: GivenRequest): CheckedRequest {
    const { http } = this.#svc
    const named = http.sessionIn(request, {
      url: given.url,
      header: name => firstRawHeader(given.rawHeaders, name),
    })
    const own = http.session(request)
    const { name, from } = named.name === null ? { name: own.header, from: own.from } : named
    return { ...given, url: named.url, receivedUrl: given.url, session: name, sessionFrom: from }
  }

  async #rule(
    kind: ServiceKind,
    request: AnyRequest,
    checked: CheckedRequest,
    facts: ServiceFacts,
  ): Promise<ServiceRule> {
    const { http } = this.#svc
    const { method, url, body, rawHeaders, scheme, clientIp, session } = checked
    const found = await http.applyRulesToMessage(
      request,
      { method, url, body, rawHeaders, scheme, clientIp, session, canAbort: true },
      {
        protocol: SERVICE,
        read: async () => [factsOf(kind, facts)],
        takesReply: async () => false,
        steps: [DECIDE, MUTATE],
      },
    )
    if (found === null) return { kind: 'none' }
    if (found.delayMs > 0 && !(await http.delay(request, found.delayMs))) return { kind: 'left' }
    return ruleOf(found, kind)
  }
}

function ruleOf(found: MessageRule, { name }: ServiceKind): ServiceRule {
  switch (found.kind) {
    case 'fail': {
      const { rule, status, message, retryAfterSecs } = found
      return { kind: 'fail', rule, status, message, retryAfterSecs }
    }
    case 'abort':
      return { kind: 'abort', rule: found.rule, abort: found.abort }
    case 'step':
      return decided(found, name, isOfPhase(found))
    default:
      return found.rule === null ? { kind: 'none' } : { kind: 'pass', rule: found.rule, ofPhase: isOfPhase(found) }
  }
}

function isOfPhase({ tested }: MessageRule): boolean {
  return tested.includes(`${SERVICE}.phase`)
}

/** A decision in the form of another service leaves it to the policy. */
function decided({ name, rule, value, lookUp }: RuleStep, service: string, ofPhase: boolean): ServiceRule {
  const own = (value as StepValue).get(service)
  return own === undefined
    ? { kind: 'pass', rule, ofPhase }
    : { kind: name === MUTATE ? 'mutate' : 'decide', rule, value: own, lookUp, ofPhase }
}

function factsOf({ name }: ServiceKind, facts: ServiceFacts): Record<string, string | string[]> {
  const given = Object.entries({ name, ...facts }).filter(([, value]) => value != null)
  return Object.fromEntries(given) as Record<string, string | string[]>
}

/** Of the facts that lists hold, as much as a record keeps. */
function keptFacts(kind: ServiceKind, { descriptor, ...facts }: ServiceFacts): Record<string, string | string[]> {
  const kept = descriptor?.slice(0, KEPT_DESCRIPTORS).map(text => copyText(text.slice(0, KEPT_CHARACTERS)))
  return factsOf(kind, { ...facts, ...(kept === undefined ? {} : { descriptor: kept }) })
}
