/** Checks the limits of the plan, and injects the faults requested in the metadata of a call. */
import { Metadata } from '@grpc/grpc-js'
import type {
  ServerDuplexStream,
  ServerReadableStream,
  ServerUnaryCall,
  ServerWritableStream,
  ServiceError,
} from '@grpc/grpc-js'
import type { Svc } from 'svc/plugin'
import { BRIDGE_CALL, BRIDGE_PEER } from './bridge/headers.ts'
import type { OpenCalls } from './bridge/open-calls.ts'

type Call = Pick<
  | ServerUnaryCall<object, object>
  | ServerReadableStream<object, object>
  | ServerWritableStream<object, object>
  | ServerDuplexStream<object, object>,
  'metadata'
>

/** Returns null, or the status that ends the call before any message is read. */
export async function admit(
  svc: Svc,
  open: OpenCalls,
  { metadata }: Call,
): Promise<Pick<ServiceError, 'code' | 'details' | 'metadata'> | null> {
  const first = (name: string): string | null => metadata.get(name)[0]?.toString() ?? null
  const admission = await svc.limits.admitCall({
    session: first('x-svc-session'),
    peer: first(BRIDGE_PEER) ?? '',
    key: first('x-svc-key'),
  })
  const trackedCall = open.find(first(BRIDGE_CALL) ?? '')
  if (admission.admitted) {
    const failure = (await trackedCall?.injectFaults()) ?? null
    return failure && { code: failure.grpcStatus, details: failure.message, metadata: new Metadata() }
  }
  trackedCall?.refuse()
  const trailers = new Metadata()
  for (const [name, value] of Object.entries(admission.metadata)) trailers.set(name, value)
  return { code: admission.grpcStatus, details: admission.message, metadata: trailers }
}
