/** The methods of gRPC services, for commands. */
import type { CommandContext } from 'svc/plugin'
import type { GrpcServices } from '../../grpc/types.ts'
import type { RunContext } from '../run/context.ts'

/** Loads the plugins with the first call, since most demos have no gRPC. */
export function grpcMethods(context: CommandContext): RunContext['grpcMethod'] {
  let loading: Promise<GrpcServices | undefined> | undefined
  return async (service, method) => {
    const services = await (loading ??= context.use('grpc.services'))
    return services?.method(service, method) ?? null
  }
}
