/** Starts the server and handles signals. */
import type { Server, ServerOptions } from '../server/server.ts'
import type { Terminal } from './terminal.ts'

export interface ServeRequest {
  options: ServerOptions
  /** Called with the URL of the HTTP listener. */
  whenListening?: (url: string) => void
}

/** Wrappers and process groups may deliver a signal twice. Only a signal after this time cuts the drain short. */
const DUPLICATE_SIGNAL_MS = 1_000

/** Ends the process with code 0 after a signal, or 1 if the HTTP port can't be bound. */
export async function serve({ options, whenListening }: ServeRequest, { err }: Terminal): Promise<void> {
  let server: Server | undefined
  /** Logs an uncaught error, so that a plugin can't end the process. Before the server has started, prints it. */
  const report = (what: string, error: unknown): void => {
    if (server === undefined) err.write(`${what}: ${error instanceof Error ? error.stack : String(error)}\n`)
    else server.log.error(what, { error, plugin: server.host.ownerOf(error) })
  }
  process.on('uncaughtException', error => report('uncaught exception', error))
  process.on('unhandledRejection', error => report('unhandled rejection', error))
  // Handle signals before the server listens: a supervisor may send one as soon as a port is open.
  const signals = handleSignals()
  const { HttpPortError, startServer } = await import('../server/server.ts')
  try {
    server = await startServer(options)
    signals.serverStarted(server)
    whenListening?.(`http://localhost:${server.ports.http}`)
  } catch (error) {
    err.write(`${error instanceof HttpPortError ? error.message : String((error as Error).stack)}\n`)
    process.exit(1)
  }
}

/** Handles signals. Those that arrive while the server starts take effect after the start. */
function handleSignals(): { serverStarted(started: Server): void } {
  let server: Server | undefined
  let firstAt = 0
  let isReloadDue = false
  const stop = (running: Server): void => void running.stop().then(() => process.exit(0))
  const onStop = (): void => {
    const now = performance.now()
    const isFirst = firstAt === 0
    if (isFirst) firstAt = now
    if (isFirst && server !== undefined) stop(server)
    else if (!isFirst && now - firstAt > DUPLICATE_SIGNAL_MS) {
      if (server === undefined) process.exit(0)
      server.hurry()
    }
  }
  process.on('SIGTERM', onStop).on('SIGINT', onStop)
  process.on('SIGHUP', () => {
    if (server === undefined) isReloadDue = true
    else void server.host.reload()
  })
  return {
    serverStarted(started) {
      server = started
      if (firstAt > 0) stop(started)
      else if (isReloadDue) void started.host.reload()
    },
  }
}
