/** Ends a call with an error in the provider's format. */
import { isOutputError } from 'svc/plugin'
import { errorResponse } from '../call/error-responses.ts'
import type { ModelCall } from '../call/model-call.ts'
import type { CallServices } from '../call/services.ts'
import { isBadInput, ProviderError, type ErrorDetails } from '../contract/errors.ts'
import type { ErrorKind, ErrorResponse } from '../contract/provider.ts'
import type { FaultParser } from '../headers/faults.ts'
import { RuleFault } from './compute.ts'
import { countServed } from './count-served.ts'
import { countFault, injectedError } from './fault.ts'
import { enterInLedger, settleLimits } from './record-reply.ts'
import { recordError } from './recording.ts'
import { describeSpan } from './span.ts'
import { inWordsOfDirective } from './use-directives.ts'

/** Counts the error, and returns what the client gets. Throws unexpected errors again, which become a 500. */
export function refuse(call: ModelCall, services: CallServices, error: unknown): Required<ErrorResponse> {
  if (call.load !== null) countServed(call, null, null)
  const { kind, facts } = errorOf(error, services.faults, call)
  settleLimits(call, 0, 0)
  const response = errorResponse(call.instance, call, kind, facts)
  call.fault = facts.injected ?? null
  call.faultSource = facts.source ?? ''
  if (!call.isCounted) return response
  countFault(call, services)
  services.records.add(recordError(call, response.status))
  const outcome = { status: response.status, errorType: facts.injected ?? kind, reply: 'none' as const }
  if (call.isRefused) describeSpan(call, outcome, null)
  else enterInLedger(call, services, outcome)
  return response
}

/** What a thrown error says to the client; throws unexpected errors again. */
export function errorOf(
  error: unknown,
  faults: FaultParser,
  call: ModelCall,
): { kind: ErrorKind; facts: ErrorDetails } {
  const { kind, facts } = foundError(error, faults, call)
  return { kind, facts: call.directiveHeaders === null ? facts : inWordsOfDirective(facts, call) }
}

function foundError(error: unknown, faults: FaultParser, call: ModelCall): { kind: ErrorKind; facts: ErrorDetails } {
  if (error instanceof ProviderError) return error
  if (error instanceof RuleFault) {
    const fault = faults.parse(error.fail)
    return injectedError(
      {
        ...(fault ?? { kind: 'server_error', label: 'server_error', percent: 100 }),
        source: `rule: fail ${error.fail}`,
      },
      call,
    )
  }
  if (isOutputError(error)) {
    const { message } = error
    return error.statusCode === 503
      ? { kind: 'unavailable', facts: { status: 503, message, retryAfterSecs: 1 } }
      : { kind: 'bad_request', facts: { message } }
  }
  if (isBadInput(error)) {
    const { kind = 'bad_request', ...details } = error.details
    return { kind, facts: { ...details, message: error.message } }
  }
  throw error
}
