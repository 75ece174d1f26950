/** An svc in the process of a command, behind a gateway: `--listen`, `--listen-https`, `--listen-grpc`. */
import { randomUUID } from 'node:crypto'
import type { CommandContext, CommandServer } from '../contract/command.ts'
import { reachableHost } from '../fields/authority.ts'
import { ArgumentError } from './split-arguments.ts'

/** For `splitArguments`. */
export const LISTEN_VALUES = { listen: '[host:]port', 'listen-https': 'port', 'listen-grpc': 'port' }

export interface ListenPorts {
  host: string
  http: number
  https: number
  grpc: number
}

/** Null without `--listen`. Throws `ArgumentError`. `values`: those that `splitArguments` read. */
export function readListen(values: ReadonlyMap<string, readonly string[]>): ListenPorts | null {
  const listen = values.get('listen')?.[0]
  if (listen === undefined) {
    const more = Object.keys(LISTEN_VALUES).find(name => values.has(name))
    if (more !== undefined) throw new ArgumentError(`--${more} needs --listen`)
    return null
  }
  if (values.has('upstream')) throw new ArgumentError('--upstream and --listen cannot be combined')
  const colon = listen.lastIndexOf(':')
  const host = colon === -1 ? '127.0.0.1' : listen.slice(0, colon).replace(/^\[|\]$/g, '')
  if (host === '') throw new ArgumentError('--listen needs [host:]port')
  return {
    host,
    http: portOf('listen', listen.slice(colon + 1)),
    https: portOf('listen-https', values.get('listen-https')?.[0] ?? '0'),
    grpc: portOf('listen-grpc', values.get('listen-grpc')?.[0] ?? '0'),
  }
}

function portOf(name: string, text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (port <= 65_535) return port
  throw new ArgumentError(`--${name} must be a number from 0 to 65535`)
}

export interface CommandUpstream {
  server: CommandServer
  /** Its HTTP listener, as this machine reaches it. */
  url: string
  /** Its admin token. */
  token: string
}

/** Starts it, with variables that the command needs. Rejects if it can't listen. */
export async function startUpstream(
  context: CommandContext,
  { host, http, https, grpc }: ListenPorts,
  environment: Readonly<Record<string, string>>,
): Promise<CommandUpstream> {
  const token = randomUUID()
  const server = await context.startServer({
    environment: {
      SVC_HOST: host,
      SVC_HTTP_PORT: String(http),
      SVC_HTTPS_PORT: String(https),
      SVC_GRPC_PORT: String(grpc),
      SVC_ADMIN_TOKEN: token,
      SVC_WATCH: 'false',
      SVC_LOG_LEVEL: 'off',
      SVC_PUBLIC_MODE: 'false',
      // So that the gateway can speak HTTP/2 with it.
      SVC_GRPC_ON_HTTP: 'true',
      ...environment,
    },
  })
  return { server, url: `http://${reachableHost(host)}:${server.ports.http}`, token }
}
