/** An upstream in the process of the command, for `--listen`. */
import type { CommandContext } from 'svc/plugin'
import { type CommandUpstream, type ListenPorts, startUpstream } from 'svc/toolkit'
import { readAddress, type Address } from '../client/address.ts'
import { BackChannelError } from '../client/back-channel.ts'

/** `pushHost`: where its push notifications may go. Rejects with `BackChannelError` if it can't listen. */
export async function listen(
  context: CommandContext,
  ports: ListenPorts,
  pushHost: string,
): Promise<Omit<CommandUpstream, 'url'> & { address: Address }> {
  try {
    const { server, url, token } = await startUpstream(context, ports, {
      // A gateway that breaks a conversation gets the vendor's refusal.
      SVC_AI_VALIDATION: 'enforce',
      // For A2A-PUSH, whose notifications go to the gateway.
      SVC_A2A_PUSH_ALLOWLIST: [context.environment.SVC_A2A_PUSH_ALLOWLIST ?? '', pushHost].filter(Boolean).join(','),
    })
    return { server, address: addressOf(url), token }
  } catch (error) {
    throw new BackChannelError(`the upstream could not start: ${(error as Error).message}`)
  }
}

function addressOf(url: string): Address {
  const address = readAddress(url)
  if (typeof address === 'string') throw new Error(address)
  return address
}
