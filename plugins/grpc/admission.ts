/** Asks the plan whether a call may go on. */
import { Metadata } from '@grpc/grpc-js'
import type { ServerDuplexStream, ServerReadableStream, ServerUnaryCall, ServerWritableStream, ServiceError } from '@grpc/grpc-js'
import type { Svc } from 'svc/plugin'
import { BRIDGE_PEER } from './bridge/headers.ts'

type Call = Pick<ServerUnaryCall<object, object> | ServerReadableStream<object, object> | ServerWritableStream<object, object> | ServerDuplexStream<object, object>, 'metadata'>

/** Null, or the status with which the call ends before any message of it is looked at. */
export async function admit(svc: Svc, { metadata }: Call): Promise<Pick<ServiceError, 'code' | 'details' | 'metadata'> | null> {
  const first = (name: string): string | null => metadata.get(name)[0]?.toString() ?? null
  const admission = await svc.limits.admitCall({ session: first('x-svc-session'), peer: first(BRIDGE_PEER) ?? '', key: first('x-svc-key') })
  if (admission.admitted) return null
  const trailers = new Metadata()
  for (const [name, value] of Object.entries(admission.metadata)) trailers.set(name, value)
  return { code: admission.grpcStatus, details: admission.message, metadata: trailers }
}
