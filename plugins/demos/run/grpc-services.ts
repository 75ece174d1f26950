/** The gRPC services of the upstream, as its reflection describes them (grpc/reflection/v1/reflection.proto). */
import { InputProblem } from 'svc/toolkit'
import type { GrpcDefinitions } from '../../grpc/types.ts'
import type { RunContext } from './context.ts'
import { UpstreamError } from './control.ts'

export type GrpcService = ReturnType<GrpcDefinitions['service']>

/** Reads a FileDescriptorSet. Undefined: the plugin grpc is off. */
export type ReadGrpcDefinitions = (descriptorSet: Buffer) => Promise<GrpcDefinitions | undefined>

const PATH = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo'
const TIMEOUT_MS = 20_000

/** Rejects with `InputProblem` for a service that the upstream does not have, with `UpstreamError` without reflection. */
export function serviceOf(context: RunContext, name: string): Promise<GrpcService> {
  const { grpcServices } = context
  const known = grpcServices.get(name) ?? describedService(context, name)
  grpcServices.set(name, known)
  return known
}

async function describedService(
  { client, control, signal, grpcDefinitions }: RunContext,
  name: string,
): Promise<GrpcService> {
  const { address } = control
  const { messages, status, error } = await client.grpc(
    { path: `${address.prefix}${PATH}`, messages: [symbolRequest(name)], isWeb: true },
    { address, trust: { ca: null, insecure: true, name: null }, limitMs: TIMEOUT_MS, signal },
  )
  if (status !== 0)
    throw new UpstreamError(
      `the upstream ${address.url} has no reflection of gRPC (${status === null ? (error ?? 'no status') : `status ${status}`}): set SVC_GRPC_ON_HTTP=true`,
    )
  const files = messages[0] === undefined ? undefined : descriptorSetIn(messages[0])
  if (files === undefined) throw new InputProblem(name, 'svc has no such service of gRPC')
  const definitions = await grpcDefinitions(files)
  if (definitions === undefined) throw new InputProblem(name, 'the plugin grpc is off')
  return definitions.service(name)
}

/** ServerReflectionRequest with `file_containing_symbol`, field 4. */
function symbolRequest(name: string): Buffer {
  const bytes = Buffer.from(name)
  const length = bytes.length < 128 ? [bytes.length] : [(bytes.length & 0x7f) | 0x80, bytes.length >> 7]
  return Buffer.concat([Buffer.from([0x22, ...length]), bytes])
}

/**
 * `file_descriptor_response`, field 4 of ServerReflectionResponse: its files have the number that those of a FileDescriptorSet have.
 * Undefined: the answer is an error.
 */
function descriptorSetIn(response: Buffer): Buffer | undefined {
  for (let at = 0; at < response.length; ) {
    const tag = response[at++]!
    let length = 0
    for (let shift = 0; ; shift += 7) {
      const byte = response[at++] ?? 0
      length += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) break
    }
    // All fields before it are texts and messages.
    if (tag === 0x22) return response.subarray(at, at + length)
    at += length
  }
  return undefined
}
