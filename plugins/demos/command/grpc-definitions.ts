/** Reads definitions of gRPC services, for commands. */
import type { CommandContext } from 'svc/plugin'
import type { GrpcServices } from '../../grpc/types.ts'
import type { ReadGrpcDefinitions } from '../run/grpc-services.ts'

/** Loads the plugins with the first service, since most demos have no gRPC. */
export function grpcDefinitions(context: CommandContext): ReadGrpcDefinitions {
  let loading: Promise<GrpcServices | undefined> | undefined
  return async set => (await (loading ??= context.use('grpc.services')))?.definitions(set)
}
