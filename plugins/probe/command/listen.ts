/** An upstream in the process of the command, for `--listen`. */
import { randomUUID } from 'node:crypto'
import type { CommandContext, CommandServer } from 'svc/plugin'
import { readAddress, type Address } from '../client/address.ts'
import { BackChannelError } from '../client/back-channel.ts'
import type { ProbeOptions } from './options.ts'

interface ListeningUpstream {
  server: CommandServer
  address: Address
  /** Its admin token. */
  token: string
}

/** `pushHost`: where its push notifications may go. Rejects with `BackChannelError` if it can't listen. */
export async function listen(
  context: CommandContext,
  { host, port, https, grpc }: NonNullable<ProbeOptions['listen']>,
  pushHost: string,
): Promise<ListeningUpstream> {
  const token = randomUUID()
  try {
    const server = await context.startServer({
      environment: {
        SVC_HOST: host,
        SVC_HTTP_PORT: String(port),
        SVC_HTTPS_PORT: String(https),
        SVC_GRPC_PORT: String(grpc),
        // So that the gateway can speak HTTP/2 with it.
        SVC_GRPC_ON_HTTP: 'true',
        SVC_ADMIN_TOKEN: token,
        SVC_WATCH: 'false',
        SVC_LOG_LEVEL: 'off',
        SVC_PUBLIC_MODE: 'false',
        // A gateway that breaks a conversation gets the vendor's refusal.
        SVC_AI_VALIDATION: 'enforce',
        // For A2A-PUSH, whose notifications go to the gateway.
        SVC_A2A_PUSH_ALLOWLIST: [context.environment.SVC_A2A_PUSH_ALLOWLIST ?? '', pushHost].filter(Boolean).join(','),
      },
    })
    return { server, address: addressOf(`http://${hostInUrl(host)}:${server.ports.http}`), token }
  } catch (error) {
    throw new BackChannelError(`the upstream could not start: ${(error as Error).message}`)
  }
}

function hostInUrl(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

function addressOf(url: string): Address {
  const address = readAddress(url)
  if (typeof address === 'string') throw new Error(address)
  return address
}
