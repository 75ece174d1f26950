/** Owns what happens before every operation: faults that the request asks for, and checks. */
import type { Call, EventStream, Operation, OperationResult } from '../calls/call.ts'
import { requireStreaming } from '../protocol/capabilities.ts'
import { unauthenticated } from '../calls/credential.ts'
import { A2aError } from '../protocol/errors.ts'
import { openEvents } from './event-stream.ts'
import { requireExtensions } from '../calls/extensions.ts'
import { type ActiveFault, isWireKind, type WireKind } from '../protocol/fault-kinds.ts'
import { redirectTarget, requestedFault } from '../faults/requested-fault.ts'
import type { JsonObject } from '../types.ts'
import { field } from '../wire/read.ts'
import { extendedCard, publicCard } from './extended-card.ts'
import { send, stream } from './send.ts'
import { subscribe } from './tasks.ts'

/** What the binding has to send. */
export type Outcome = (
  | { kind: 'result'; result: unknown; headers: Record<string, string> }
  | { kind: 'stream'; open: EventStream }
  | { kind: 'redirect'; location: string }
) & {
  /** How to break the response. */
  wireFault: WireKind | null
}

/** Performs an operation. Throws if the agent does not support it, or if the request lacks a required extension. */
export async function perform(operation: Operation, call: Call, params: JsonObject): Promise<Outcome> {
  if (operation === publicCard) return outcomeOf(await operation(call, params), call, null)
  const isSend = operation === send || operation === stream
  const isStream = operation === stream || operation === subscribe
  const isOfTask = isSend || field(params, 'id') !== undefined || field(params, 'taskId') !== undefined
  const fault = await requestedFault(call, params, { isSend, isStream, isOfTask })
  if (fault?.kind === 'redirect') return { kind: 'redirect', location: redirectTarget(call), wireFault: null }
  if (fault) throwFault(fault)
  if (operation !== extendedCard) requireExtensions(call.agent, call.extensions)
  if (isStream) requireStreaming(call.agent)
  return outcomeOf(await operation({ ...call, fault }, params), call, fault)
}

function outcomeOf(result: OperationResult, call: Call, fault: ActiveFault | null): Outcome {
  const wireFault = fault !== null && isWireKind(fault.kind) ? fault.kind : null
  if ('first' in result) return { kind: 'stream', open: openEvents(call, result, fault), wireFault }
  return { kind: 'result', result: result.result, headers: result.headers ?? {}, wireFault }
}

/** Throws the error of a fault that replaces the response. */
function throwFault({ kind }: ActiveFault): void {
  if (kind === '401') throw unauthenticated({ isRefused: false })
  if (kind === 'expired') throw unauthenticated({ isRefused: true })
  if (kind === 'rpc-error') throw new A2aError('INTERNAL', 'injected')
}
