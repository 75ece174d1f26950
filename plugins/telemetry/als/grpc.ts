/** `envoy.service.accesslog.v3.AccessLogService`: access logs of HTTP and TCP, as a stream. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { status, type sendUnaryData, type ServerReadableStream } from '@grpc/grpc-js'
import { Pacer, type AnyRequest, type Svc } from 'svc/plugin'
import type { GrpcImplementation, GrpcServices } from '../../grpc/types.ts'
import { Intake } from '../records/intake.ts'
import type { Sinks } from '../sinks.ts'
import { MessageProblem, WireNode } from '../wire/node.ts'
import { ACCESS_LOGS, ALS, identifierOf, logOf, MESSAGE, type Identifier } from './entry.ts'

type Stream = ServerReadableStream<Buffer, object>

export async function openAccessLogs(svc: Svc<unknown>, grpc: GrpcServices, sinks: Sinks): Promise<GrpcImplementation> {
  const descriptorSet = join(svc.folder, '..', '..', 'proto', 'als.binpb')
  const definitions = await svc.shared('als-definition', () => grpc.definitions(readFileSync(descriptorSet)))
  const { StreamAccessLogs: method } = definitions.service(ACCESS_LOGS)
  return {
    // Messages are decoded by parts.
    definition: { StreamAccessLogs: { ...method!, requestDeserialize: bytes => bytes } },
    reflection: definitions.descriptorSet,
    handlers: {
      StreamAccessLogs: async (call: Stream, reply: sendUnaryData<object>): Promise<void> => {
        const request = grpc.requestOf(call)
        if (request === undefined) return
        let identifier: Identifier = { service: null, logName: null }
        try {
          for await (const message of call) {
            const { length } = message as Buffer
            const limit = svc.config.bodyLimit
            if (length > limit)
              throw grpc.failure(status.RESOURCE_EXHAUSTED, `a message has ${length} bytes (at most ${limit})`)
            const node = new WireNode(message as Buffer, MESSAGE)
            identifier = identifierOf(node) ?? identifier
            await keep(svc, sinks, request, node, identifier)
          }
          reply(null, {})
        } catch (error) {
          if (error instanceof MessageProblem) throw grpc.failure(status.INVALID_ARGUMENT, error.message)
          // The client has cancelled the call.
          if (!call.cancelled) throw error
        }
      },
    },
  }
}

async function keep(
  svc: Svc<unknown>,
  { reports }: Sinks,
  request: AnyRequest,
  node: WireNode,
  identifier: Identifier,
): Promise<void> {
  const pacer = new Pacer(svc.budgets.workMs)
  const intake = new Intake<'logs'>(reports.bounds)
  for (const kind of ['http', 'tcp'] as const)
    for (const list of node.children(kind))
      for (const entry of list.children('entry')) {
        intake.add(() => logOf(entry, identifier))
        if (pacer.isDue) await pacer.pause()
      }
  await reports.keep('logs', ALS, request, intake)
}
