/** Faults that requests, providers and rules ask for. */
import type { ModelCall } from '../call/model-call.ts'
import type { CallServices } from '../call/services.ts'
import { ProviderError } from '../contract/errors.ts'
import type { ErrorKind } from '../contract/provider.ts'
import { exactDetails, fires, originOf, type FaultSpec } from '../headers/faults.ts'

/**
 * Throws the fault that fires, or remembers it if it applies later: a filtered reply, a broken stream. That of the provider
 * waits for the directives of the prompt, which come before it.
 */
export function rollFault(call: ModelCall, { faults }: CallServices): boolean {
  const header = call.header('x-svc-fail')
  if (header !== undefined && faults.parse(header) === null)
    call.svc.http.ignoreHeader(
      call.request,
      'X-Svc-Fail',
      `expected a status from 400 to 599 or one of ${faults.names().join(', ')}, optionally with :<percent>`,
    )
  const asked = faults.ofRequest(header, () => call.query, call.hasQuery, null)
  call.asksForFault = header !== undefined || asked !== null
  call.defersFault = call.instance.fail !== null && call.mayHoldDirective
  applyFault(asked ?? (call.asksForFault || call.defersFault ? null : call.instance.fail), call)
  return true
}

/** A fault that its place in the order has reached. Throws it if it fires, or remembers it if it applies later. */
export function applyFault(fault: FaultSpec | null, call: ModelCall): void {
  if (fault === null || !fires(fault)) return
  if (!appliesLater(fault, call)) throw injectedError(fault, call)
  call.requestedFault = fault
}

/** A filter requested by name becomes a text reply, and a broken stream needs a stream to break. */
function appliesLater(fault: FaultSpec, { route, instance }: ModelCall): boolean {
  if (fault.break !== undefined) return true
  if (fault.kind === 'content_filter') return true
  return (
    fault.kind === 'prompt_filter' &&
    fault.status === undefined &&
    instance.format.rendersPromptFilter === true &&
    route.op === 'chat'
  )
}

/** A filter replaces the reply of a chat; null: none was requested. */
export function requestedFilter({ requestedFault, parsed }: ModelCall): 'content_filter' | 'prompt_filter' | null {
  if (requestedFault?.kind === undefined || parsed?.op !== 'chat') return null
  return requestedFault.kind === 'prompt_filter' ? 'prompt_filter' : 'content_filter'
}

/** Remembers the fault that acts, for records and metrics. */
export function noteFault(fault: FaultSpec, call: ModelCall): void {
  call.fault = fault.label
  call.faultSource = sourceOf(fault, call)
}

function sourceOf({ source, label }: FaultSpec, { instance }: ModelCall): string {
  return source ?? `provider ${instance.name}: ${label}`
}

/** The error response of a fault. */
export function injectedError(fault: FaultSpec, call: ModelCall): ProviderError {
  return new ProviderError((fault.kind ?? 'server_error') as ErrorKind, {
    injected: fault.label,
    source: sourceOf(fault, call),
    ...(fault.status === undefined ? {} : { status: fault.status }),
    ...(fault.retryAfterSecs === undefined ? {} : { retryAfterSecs: fault.retryAfterSecs }),
    ...exactDetails(fault),
  })
}

/** Counts the fault that acted, and shows it in the response and the inspector's entry of a request. */
export function countFault(call: ModelCall, { svc, metrics }: CallServices): void {
  if (call.fault === null || call.fault === call.countedFault) return
  call.countedFault = call.fault
  if (call.inner === null)
    svc.http.markFault(call.request, call.reply, 'ai', call.faultSource, originOf(call.faultSource))
  metrics.fault(call.instance.name, call.fault)
}
