/** Ports of the listeners of the process: those that are not set give way to others if they can't be bound. */
import { createServer } from 'node:net'
import type { Config } from '../config/variables.ts'

/** The variable with the port of a listener. */
export const PORT_VARIABLES = { http: 'SVC_HTTP_PORT', https: 'SVC_HTTPS_PORT', grpc: 'SVC_GRPC_PORT' } as const
export type ListenerKind = keyof typeof PORT_VARIABLES

export const LISTENER_LABELS: Readonly<Record<ListenerKind, string>> = { http: 'HTTP', https: 'HTTPS', grpc: 'gRPC' }

/** First and last port to try instead of the default, in this order. */
const FALLBACKS: Readonly<Record<ListenerKind, readonly [number, number]>> = {
  http: [8080, 8089],
  https: [8443, 8452],
  grpc: [50052, 50060],
}

type PortConfig = Pick<Config, 'host' | 'httpPort' | 'httpsPort' | 'grpcPort' | 'portsSet'>

/** The ports of a listener in the order in which they are tried: the configured one, and more if it is only the default. */
export function candidatePorts(config: PortConfig, kind: ListenerKind): number[] {
  const wanted = { http: config.httpPort, https: config.httpsPort, grpc: config.grpcPort }[kind]
  if (config.portsSet[kind]) return [wanted]
  const [first, last] = FALLBACKS[kind]
  const ports = [wanted]
  for (let port = first; port <= last; port++) ports.push(port)
  return ports
}

/**
 * Calls `listen` with one port after the other until it resolves, and returns the bound port. Only ports that are in use or
 * not permitted give way; then `warn` gets one line. Rejects with the error of the configured port if no port can be bound.
 */
export async function listenOnFirst(
  config: PortConfig,
  kind: ListenerKind,
  { listen, warn }: { listen(port: number): Promise<number>; warn(message: string): void },
): Promise<number> {
  let first: NodeJS.ErrnoException | null = null
  for (const port of candidatePorts(config, kind)) {
    try {
      const bound = await listen(port)
      if (first !== null)
        warn(
          `port ${candidatePorts(config, kind)[0]} can't be used (${first.code}); ${LISTENER_LABELS[kind]} is on ${bound}`,
        )
      return bound
    } catch (error) {
      first ??= error as NodeJS.ErrnoException
      if (!isUnavailable(error)) throw first
    }
  }
  throw first!
}

/**
 * Chooses the ports of several processes, which must all listen on the same ones, and returns them as variables. A port that
 * is set, or that no process can bind, is left to the processes, which report it.
 */
export async function portsForWorkers(
  config: PortConfig,
  warn: (message: string) => void,
): Promise<Record<string, string>> {
  const chosen: Record<string, string> = {}
  for (const kind of ['http', 'https', 'grpc'] as const) {
    if (config.portsSet[kind]) continue
    const port = await listenOnFirst(config, kind, { listen: port => tryPort(config.host, port), warn }).catch(
      () => null,
    )
    if (port !== null) chosen[PORT_VARIABLES[kind]] = String(port)
  }
  return chosen
}

/** Binds a port and leaves it again. Rejects with the error of the system if that is not possible. */
export function tryPort(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(port)))
  })
}

function isUnavailable(error: unknown): boolean {
  return ['EACCES', 'EADDRINUSE'].includes((error as NodeJS.ErrnoException).code ?? '')
}
