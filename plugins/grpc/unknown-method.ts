/** Owns the method that answers for all that are not served, so that faults act on calls of these too. */
import {
  Metadata,
  status,
  type ServerDuplexStream,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import { injectFaults } from './admission.ts'
import { BRIDGE_PATH, UNKNOWN_METHOD_PATH } from './bridge/headers.ts'
import type { OpenCalls } from './bridge/open-calls.ts'

const asIs = (bytes: Buffer): Buffer => bytes

export const unknownService: ServiceDefinition = {
  Call: {
    path: UNKNOWN_METHOD_PATH,
    requestStream: true,
    responseStream: true,
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  },
}

export function unknownMethod(open: OpenCalls): UntypedServiceImplementation {
  return {
    async Call(call: ServerDuplexStream<Buffer, Buffer>) {
      // Discards messages, which would fill the window of the connection.
      call.resume()
      const path = call.metadata.get(BRIDGE_PATH)[0]?.toString() ?? UNKNOWN_METHOD_PATH
      const failure = await injectFaults(open, call, { isServed: false })
      call.emit(
        'error',
        failure ?? {
          code: status.UNIMPLEMENTED,
          details: `The server does not implement the method ${path}`,
          metadata: new Metadata(),
        },
      )
    },
  }
}
