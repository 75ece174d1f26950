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
  // Before anything listens: a supervisor may signal as soon as a port answers.
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

/** Acts on signals; those that arrive while the server starts take effect once it has started. */
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
