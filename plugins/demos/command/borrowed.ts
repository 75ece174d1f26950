/** What runs of a command need of other plugins, for some traffic only: it is loaded when it is used. */
import { join } from 'node:path'
import type { CommandContext } from 'svc/plugin'
import type { RunContext } from '../run/context.ts'

/** `folder`: that of the plugin. */
export function borrowed(
  context: CommandContext,
  folder: string,
): Pick<RunContext, 'conversations' | 'agentsFolder' | 'grpcDefinitions'> {
  let conversations: ReturnType<RunContext['conversations']> | undefined
  let services: ReturnType<typeof grpcServices> | undefined
  const grpcServices = () => context.use('grpc.services')
  return {
    agentsFolder: join(folder, 'agents'),
    conversations: () => (conversations ??= context.use('probe.conversations')),
    grpcDefinitions: async set => (await (services ??= grpcServices()))?.definitions(set),
  }
}
