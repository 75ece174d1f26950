/** Checks the limits of the plan, and injects the faults requested in the metadata of a call. */
import {
  Metadata,
  status,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceError,
  type UntypedServiceImplementation,
  type sendUnaryData,
} from '@grpc/grpc-js'
import { isOutputError, isTooExpensive, type Svc } from 'svc/plugin'
import { BRIDGE_PEER, BRIDGE_SESSION } from './bridge/headers.ts'
import type { OpenCalls } from './bridge/open-calls.ts'
import type { GrpcImplementation, GrpcServices } from './types.ts'
import { countReply, countWrites, type Hold, type WritingCall } from './unsent-messages.ts'

type AnyCall =
  | ServerUnaryCall<object, object>
  | ServerReadableStream<object, object>
  | ServerWritableStream<object, object>
  | ServerDuplexStream<object, object>
type Call = Pick<AnyCall, 'metadata'>

type Failure = Pick<ServiceError, 'code' | 'details' | 'metadata'>

/** Returns null, or the status that ends the call before any message is read. */
export async function admit(svc: Svc, open: OpenCalls, { metadata }: Call): Promise<Failure | null> {
  const first = (name: string): string | null => metadata.get(name)[0]?.toString() ?? null
  const admission = await svc.use('core.media-types').admitCall({
    session: first(BRIDGE_SESSION),
    peer: first(BRIDGE_PEER) ?? '',
    key: first('x-svc-key'),
  })
  if (admission.admitted) return injectFaults(open, { metadata })
  open.find(metadata)?.tracked.refuse()
  const trailers = new Metadata()
  for (const [name, value] of Object.entries(admission.metadata)) trailers.set(name, value)
  return { code: admission.grpcStatus, details: admission.message, metadata: trailers }
}

/** Returns null, or the status of the fault that was requested. */
export async function injectFaults(
  open: OpenCalls,
  { metadata }: Call,
  options?: { isServed: boolean },
): Promise<Failure | null> {
  const failure = (await open.find(metadata)?.tracked.injectFaults(options)) ?? null
  return failure && { code: failure.grpcStatus, details: failure.message, metadata: new Metadata() }
}

/** The methods of a service, called for the calls that limits and faults let through. */
export function admitFirst(
  svc: Svc,
  open: OpenCalls,
  { definition, handlers }: Pick<GrpcImplementation, 'definition' | 'handlers'>,
  trailerReaders: readonly TrailerReader[],
): UntypedServiceImplementation {
  const admitted: UntypedServiceImplementation = {}
  for (const [name, { responseStream, responseSerialize }] of Object.entries(definition)) {
    const handler = handlers[name] as ((call: AnyCall, reply?: sendUnaryData<unknown>) => unknown) | undefined
    if (handler === undefined) continue
    admitted[name] = async (call: AnyCall, reply: sendUnaryData<unknown>): Promise<void> => {
      const end = (failure: Failure): void => {
        if (responseStream) call.emit('error', failure)
        else reply(failure)
      }
      try {
        const refused = await admit(svc, open, call)
        if (refused !== null) return end(refused)
        const request = open.find(call.metadata)?.request
        const hold: Hold = bytes => (request === undefined ? () => {} : svc.streams.hold(request, bytes))
        if (responseStream) {
          countWrites(call as WritingCall, responseSerialize, hold, svc.budgets.unsentStreamBytes)
          endWithTrailers(call as WritingCall, trailerReaders)
          await handler.call(handlers, call)
        } else {
          const counted = countReply(reply, responseSerialize, hold)
          const ended: sendUnaryData<unknown> = (error, message, trailer, flags) =>
            counted(error, message, error === null ? withTrailers(call, trailer, trailerReaders) : trailer, flags)
          await handler.call(handlers, call, ended)
        }
      } catch (error) {
        if (call.cancelled) return
        end(statusOf(error) ?? internalError(svc, name, error))
      }
    }
  }
  return admitted
}

type TrailerReader = Parameters<GrpcServices['trailers']>[0]

/** The trailing metadata of a method, with what plugins add. */
function withTrailers(
  call: Call,
  trailer: Metadata | undefined,
  readers: readonly TrailerReader[],
): Metadata | undefined {
  let all = trailer
  for (const read of readers) {
    const added = read(call)
    if (added === null) continue
    all ??= new Metadata()
    for (const [name, value] of Object.entries(added)) if (all.get(name).length === 0) all.set(name, value)
  }
  return all
}

function endWithTrailers(call: WritingCall, readers: readonly TrailerReader[]): void {
  const end = call.end.bind(call)
  const endCall = (metadata?: Metadata): void => void end(withTrailers(call, metadata, readers))
  call.end = endCall as typeof call.end
}

/** The status of a method that throws: that of the error, or the one for an error of a budget; null for another error. */
function statusOf(error: unknown): Failure | null {
  if (error instanceof Error && 'code' in error && 'details' in error) {
    const { code, details, metadata } = error as Error & Partial<ServiceError>
    if (Number.isInteger(code) && typeof details === 'string')
      return { code: code as number, details, metadata: metadata ?? new Metadata() }
  }
  const { code } = (error ?? {}) as { code?: unknown }
  // `StateUnavailable`: recognized by its code, as after a reload.
  if (code === 'STATE_UNAVAILABLE' || code === 'STATE_FULL')
    return { code: status.UNAVAILABLE, details: (error as Error).message, metadata: new Metadata() }
  if (!isOutputError(error) && !isTooExpensive(error)) return null
  return { code: status.RESOURCE_EXHAUSTED, details: error.message, metadata: new Metadata() }
}

function internalError(svc: Svc, method: string, error: unknown): Failure {
  svc.log.error('a gRPC method failed', { method, error })
  return { code: status.INTERNAL, details: 'internal error', metadata: new Metadata() }
}
