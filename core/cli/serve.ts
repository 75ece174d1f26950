/** Serves until a signal comes. */
import type { Server, ServerOptions } from '../server/server.ts'
import type { Terminal } from './terminal.ts'

export interface ServeRequest {
  options: ServerOptions
  /** Called with the address of the HTTP listener. */
  whenListening?: (url: string) => void
}

/** Wrappers and process groups deliver a signal twice; only a later one means haste. */
const DUPLICATE_SIGNAL_MS = 1_000

/** Ends the process: with 0 after a signal, with 1 when HTTP can't be served. */
export async function serve({ options, whenListening }: ServeRequest, { err }: Terminal): Promise<void> {
  let server: Server | undefined
  /** A plugin's mistake must not end the process; before the server stands, it goes to standard error. */
  const report = (what: string, error: unknown): void => {
    if (server === undefined) err.write(`${what}: ${error instanceof Error ? error.stack : String(error)}\n`)
    else server.log.error(what, { error, plugin: server.host.ownerOf(error) })
  }
  process.on('uncaughtException', error => report('uncaught exception', error))
  process.on('unhandledRejection', error => report('unhandled rejection', error))
  const { HttpPortError, startServer } = await import('../server/server.ts')
  try {
    server = await startServer(options)
    handleSignals(server)
    whenListening?.(`http://localhost:${server.ports.http}`)
  } catch (error) {
    err.write(`${error instanceof HttpPortError ? error.message : String((error as Error).stack)}\n`)
    process.exit(1)
  }
}

function handleSignals(server: Server): void {
  let firstAt = 0
  const onStop = (): void => {
    const now = performance.now()
    if (firstAt === 0) {
      firstAt = now
      void server.stop().then(() => process.exit(0))
    } else if (now - firstAt > DUPLICATE_SIGNAL_MS) {
      server.hurry()
    }
  }
  process.on('SIGTERM', onStop).on('SIGINT', onStop)
  process.on('SIGHUP', () => void server.host.reload())
}
