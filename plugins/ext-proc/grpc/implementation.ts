/** `envoy.service.ext_proc.v3.ExternalProcessor/Process`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { status, type ServerDuplexStream } from '@grpc/grpc-js'
import type { Svc } from 'svc/plugin'
import type { GrpcImplementation, GrpcServices } from '../../grpc/types.ts'
import { type ProcParts, ProcStream } from '../stream.ts'
import { StreamError } from '../stream-error.ts'
import type { ProcessingRequest, ProcessingResponse } from './messages.ts'
import { EXT_PROC } from './service.ts'

const MAX_STREAMS = 100
const MAX_PUBLIC_STREAMS = 10

type Call = ServerDuplexStream<Buffer, ProcessingResponse>

export async function openExternalProcessor(
  svc: Svc<unknown>,
  grpc: GrpcServices,
  parts: ProcParts,
): Promise<GrpcImplementation> {
  const descriptorSet = join(svc.folder, '..', '..', 'proto', 'ext-proc.binpb')
  const definitions = await svc.shared('definitions', () => grpc.definitions(readFileSync(descriptorSet)))
  const { Process: method } = definitions.service(EXT_PROC)
  const open = svc.shared('open', () => ({ streams: 0 }))
  const limit = svc.config.publicMode ? MAX_PUBLIC_STREAMS : MAX_STREAMS
  return {
    // Decoded in the handler, which refuses what can't be in the words of the protocol.
    definition: { Process: { ...method!, requestDeserialize: bytes => bytes } },
    reflection: definitions.descriptorSet,
    handlers: {
      Process: async (call: Call): Promise<void> => {
        const writer = grpc.writer(call)
        const request = grpc.requestOf(call)
        if (request === undefined) return
        if (open.streams >= limit)
          throw new StreamError(status.RESOURCE_EXHAUSTED, `there are ${limit} open streams, which is the limit`)
        open.streams++
        const metadata = (name: string): string | undefined => call.metadata.get(name)[0]?.toString()
        const stream = new ProcStream(svc, parts, { request, metadata })
        let failure: string | null = null
        try {
          await run(call)
        } catch (error) {
          failure = error instanceof Error ? error.message : String(error)
          if (!call.cancelled) throw inWordsOfGrpc(error)
        } finally {
          open.streams--
          stream.end(call.cancelled ? null : failure)
        }
        if (!call.cancelled) call.end()

        async function run(messages: Call): Promise<void> {
          for await (const bytes of messages.iterator({ destroyOnReturn: false })) {
            const step = await stream.receive(decoded(bytes as Buffer), message => writer.write(message))
            for (const message of step.messages) if (!(await writer.write(message))) return
            if (step.isOver) return
          }
        }

        function decoded(bytes: Buffer): ProcessingRequest {
          const { bodyLimit } = svc.config
          if (bytes.length > bodyLimit)
            throw new StreamError(
              status.RESOURCE_EXHAUSTED,
              `a message has ${bytes.length} bytes (at most ${bodyLimit})`,
            )
          try {
            return method!.requestDeserialize(bytes) as ProcessingRequest
          } catch (error) {
            throw new StreamError(status.INVALID_ARGUMENT, `not a ProcessingRequest: ${(error as Error).message}`)
          }
        }
      },
    },
  }
}

/** Errors of the core that have a status of HTTP. */
function inWordsOfGrpc(error: unknown): unknown {
  const { code, body } = error as { code?: string; body?: { details?: string } }
  return code === 'SVC_HTTP_ERROR'
    ? new StreamError(status.INVALID_ARGUMENT, body?.details ?? 'invalid request')
    : error
}
