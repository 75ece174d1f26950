/** How every service decides: a rule, else the header of the checked request, else the policy. */
import { HttpError, type AnyRequest, type Svc } from 'svc/plugin'
import { grpcStatusOf } from 'svc/toolkit'
import type {
  CheckedRequest,
  GatewayService,
  ServiceFacts,
  ServiceFault,
  ServiceKind,
  ServiceOutcome,
  ServiceResult,
  ServiceSteps,
} from './types.ts'

/** gRPC status codes. */
const CANCELLED = 1
const DEADLINE_EXCEEDED = 4

interface Call<Decision, Own> {
  request: AnyRequest
  checked: CheckedRequest
  facts: ServiceFacts
  steps: ServiceSteps<Decision, Own>
}

/** `GatewayService.decide`. */
export async function decide<Decision, Own>(
  svc: Svc<unknown>,
  service: GatewayService,
  kind: ServiceKind,
  { request, checked, facts, steps }: Call<Decision, Own>,
): Promise<ServiceResult<Decision>> {
  const header = service.header(checked)
  const record = (result: ServiceResult<Decision>, by: ServiceOutcome['by']): ServiceResult<Decision> => {
    service.record(request, checked, facts, { ...outcomeOf(result, steps), by })
    return result
  }
  const rule = await service.rule(request, checked, facts)
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
    case 'decide':
      return record({ kind: 'decided', decision: steps.byRule(rule.value, rule.lookUp, rule.rule) }, 'rule')
    case 'mutate':
      if (steps.byMutation === undefined) return record(await steps.byPolicy(), 'policy')
      return record(steps.byMutation(rule.value, rule.lookUp, rule.rule), 'rule')
    case 'pass':
      return record(await steps.byPolicy(), 'policy')
    case 'none': {
      if (header === null || kind.header === null) return record(await steps.byPolicy(), 'policy')
      const fault = steps.readFault(header)
      if (fault === null) {
        const error = invalidHeader(kind.header, header, steps.faultValues)
        const reason = `invalid ${kind.header}`
        record({ kind: 'error', status: 400, reason, isAnswered: true, retryAfterSecs: null }, 'header')
        throw error
      }
      if (fault.kind !== 'slow') return record(await failAsAsked(svc, request, kind.header, fault, steps), 'header')
      if (!(await svc.http.delay(request, fault.ms))) return record({ kind: 'left' }, 'header')
      return record(await steps.byPolicy(), 'policy')
    }
  }
}

/** `GatewayService.grpcFailure`. */
export function grpcFailure(
  { http }: Pick<Svc, 'http'>,
  request: AnyRequest,
  result: Parameters<GatewayService['grpcFailure']>[1],
): { code: number; details: string } {
  switch (result.kind) {
    case 'error':
      return { code: grpcStatusOf(result.status), details: result.reason }
    case 'timeout':
      return { code: DEADLINE_EXCEEDED, details: 'no answer in time' }
    case 'abort':
      http.breakConnection(request, result.abort)
      return { code: CANCELLED, details: 'the call was broken' }
    case 'left':
      return { code: CANCELLED, details: 'the client disconnected' }
  }
}

async function failAsAsked<Decision, Own>(
  { http, config }: Svc<unknown>,
  request: AnyRequest,
  header: string,
  fault: Exclude<ServiceFault<Own>, { kind: 'slow' }>,
  steps: ServiceSteps<Decision, Own>,
): Promise<ServiceResult<Decision>> {
  const reason = `requested by ${header}`
  switch (fault.kind) {
    case 'own':
      return { kind: 'decided', decision: steps.byFault(fault.fault, reason) }
    case 'error':
      return {
        kind: 'error',
        status: fault.status ?? 503,
        reason,
        isAnswered: fault.status !== null,
        retryAfterSecs: null,
      }
    case 'hang':
      return (await http.delay(request, config.maxDelayMs)) ? { kind: 'timeout' } : { kind: 'left' }
    case 'reset':
      return { kind: 'abort', abort: 'reset' }
    case 'malformed':
      return { kind: 'malformed' }
  }
}

function invalidHeader(header: string, value: string, values: string): HttpError {
  return new HttpError(400, {
    error: 'invalid_service_header',
    header,
    details: `${JSON.stringify(value.slice(0, 100))} is not one of ${values}`,
  })
}

function outcomeOf<Decision>(
  result: ServiceResult<Decision>,
  steps: Pick<ServiceSteps<Decision, never>, 'outcome'>,
): Omit<ServiceOutcome, 'by'> {
  switch (result.kind) {
    case 'decided':
      return steps.outcome(result.decision)
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
