/** OTLP/gRPC: the services of traces, metrics and logs, each with the method `Export`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { status, type ServerUnaryCall } from '@grpc/grpc-js'
import type { Svc } from 'svc/plugin'
import type { GrpcImplementation, GrpcServices } from '../../grpc/types.ts'
import type { Kind } from '../records/record.ts'
import type { Sinks } from '../sinks.ts'
import { OTLP } from './convert.ts'
import { MessageProblem, WireNode } from '../wire/node.ts'
import { readSignal, type Signal } from './signals.ts'

type Export = ServerUnaryCall<Buffer, object>

export async function openSignal<K extends Kind>(
  svc: Svc<unknown>,
  grpc: GrpcServices,
  signal: Signal<K>,
  sinks: Sinks,
): Promise<GrpcImplementation> {
  const descriptorSet = join(svc.folder, '..', '..', 'proto', 'otlp.binpb')
  const definitions = await svc.shared('otlp-definitions', () => grpc.definitions(readFileSync(descriptorSet)))
  const { Export: method } = definitions.service(signal.service)
  return {
    // Messages are decoded by parts, as over HTTP.
    definition: { Export: { ...method!, requestDeserialize: bytes => bytes } },
    reflection: definitions.descriptorSet,
    handlers: {
      Export: grpc.unary(async (call: Export, request) => {
        const { length } = call.request
        const limit = svc.config.bodyLimit
        if (length > limit)
          throw grpc.failure(status.RESOURCE_EXHAUSTED, `the message has ${length} bytes (at most ${limit})`)
        try {
          const { reports, renamed } = sinks
          const root = new WireNode(call.request, signal.layout)
          const intake = await readSignal(signal, root, { bounds: reports.bounds, renamed, workMs: svc.budgets.workMs })
          await reports.keep(signal.kind, OTLP, request, intake)
          const { rejected, message } = intake
          const partial = { [signal.rejected.field]: rejected, error_message: message }
          return message === null ? {} : { partial_success: partial }
        } catch (error) {
          throw error instanceof MessageProblem ? grpc.failure(status.INVALID_ARGUMENT, error.message) : error
        }
      }),
    },
  }
}
