/** Starts the server and handles signals. */
import type { FirstStep } from '../contract/declarations.ts'
import type { Server, ServerOptions } from '../server/server.ts'
import cluster from 'node:cluster'
import { readEnvironment } from '../config/environment.ts'
import { VERSION } from '../product.ts'
import { createLog } from '../log/log.ts'
import { portsForWorkers } from '../server/fallback-ports.ts'
import { openInBrowser } from './browser.ts'
import { firstPage, isWelcome, welcomeText } from './welcome.ts'
import { startLocalStore } from './local-store.ts'
import type { Terminal } from './terminal.ts'
import { runWorkers } from './workers.ts'

/** How often the parent process is checked, in milliseconds. */
const NPM_CHECK_MS = 500

export interface ServeRequest {
  options: ServerOptions
  /** Nothing but log lines is printed. */
  isQuiet?: boolean
  /** The first page is opened in the browser. */
  opens?: boolean
  /** Called with the URL of the HTTP listener. */
  whenListening?: (url: string) => void
}

/** Wrappers and process groups may deliver a signal twice. Only a signal after this time cuts the drain short. */
const DUPLICATE_SIGNAL_MS = 1_000

/** Ends the process with code 0 after a signal, or 1 if the HTTP port can't be bound. */
export async function serve(request: ServeRequest, terminal: Terminal): Promise<void> {
  const environment = request.options.environment ?? process.env
  if (cluster.isPrimary) endWithNpm(environment)
  const { config } = readEnvironment(environment)
  if (cluster.isPrimary && config.parentPipe) endWithStandardInput()
  if (!cluster.isPrimary || (config.workers === 1 && config.stateStore.url !== 'local'))
    return serveHere(request, terminal)
  const own = config.stateStore.url === 'local' ? await localEnvironment(environment, terminal) : {}
  if (config.workers > 1) {
    const log = createLog({ level: config.logLevel, format: config.logFormat })
    const ports = await portsForWorkers(config, message => log.warn(message))
    return runWorkers(
      { count: config.workers, instanceId: config.instanceId, environment: { ...own, ...ports } },
      terminal,
    )
  }
  return serveHere({ ...request, options: { ...request.options, environment: { ...environment, ...own } } }, terminal)
}

/** Starts a state store on this machine, and returns the variable that leads to it. */
async function localEnvironment(environment: NodeJS.ProcessEnv, { err }: Terminal): Promise<NodeJS.ProcessEnv> {
  const store = await startLocalStore(environment)
  if (store !== null) return { SVC_STATE_STORE: store.url }
  err.write('SVC_STATE_STORE is local, but neither valkey-server nor redis-server could be started\n')
  return { SVC_STATE_STORE: '' }
}

async function serveHere(
  { options, whenListening, isQuiet = false, opens = false }: ServeRequest,
  terminal: Terminal,
): Promise<void> {
  const { err } = terminal
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
    const unserved = unservedSections(server, Object.keys(options.addedSections ?? {}))
    if (unserved.length > 0) {
      await server.log.flush()
      await server.stop()
      err.write(unserved.map(reason => `${reason}\n`).join(''))
      process.exit(1)
    }
    signals.serverStarted(server)
    whenListening?.(`http://localhost:${server.ports.http}`)
    // Of several workers, the first one prints it.
    if ((cluster.worker?.id ?? 1) === 1) {
      const environment = options.environment ?? process.env
      if (whenListening === undefined) await welcome(server, isQuiet, { ...terminal, environment })
      if (opens) await openFirstPage(server, environment)
    }
  } catch (error) {
    err.write(`${error instanceof HttpPortError ? error.message : String((error as Error).stack)}\n`)
    process.exit(1)
  }
}

/** Why parts of the sections of a subcommand are not served. */
function unservedSections({ host }: Server, sections: string[]): string[] {
  const running = [...host.result.running].map(([name, { definition }]) => definition.section ?? name)
  return [
    ...sections.filter(section => !running.includes(section)).map(section => `no plugin serves ${section}`),
    ...host.loadErrors.filter(({ at }) => at !== null && host.settings.isAdded(at)).map(({ message }) => message),
  ]
}

/** Prints where the server is, after the lines of its listeners. */
async function welcome({ host, log, ports }: Server, isQuiet: boolean, terminal: Terminal): Promise<void> {
  const { config } = readEnvironment(terminal.environment)
  if (!isWelcome(terminal, { isQuiet, logFormat: config.logFormat })) return
  await log.flush()
  terminal.out.write(welcomeText({ version: VERSION, config, ports, steps: stepsOf(host) }, terminal))
}

function stepsOf({ result, declarations }: Server['host']): FirstStep[] {
  return result.resolution.order.flatMap(name => declarations.definitions.get(name)?.firstSteps ?? [])
}

async function openFirstPage({ host, log, ports }: Server, environment: NodeJS.ProcessEnv): Promise<void> {
  const { config } = readEnvironment(environment)
  const url = firstPage({ config, ports, steps: stepsOf(host) })
  if (!(await openInBrowser(url, environment))) log.warn(`no browser could be opened for ${url}`)
}

/** Stops like SIGTERM at the end of standard input, which the program that started this process holds open. */
function endWithStandardInput(): void {
  process.stdin.on('error', () => {}).on('close', () => process.emit('SIGTERM', 'SIGTERM'))
  process.stdin.resume()
}

/** Handles signals. Those that arrive while the server starts take effect after the start. */
function handleSignals(): { serverStarted(started: Server): void } {
  let server: Server | undefined
  let firstAt = 0
  let isReloadDue = false
  const stop = (running: Server): void => void running.stop().then(() => process.exit(0))
  const onStop = (signal: NodeJS.Signals): void => {
    const now = performance.now()
    const isFirst = firstAt === 0
    if (isFirst) {
      firstAt = now
      server?.log.info('stopping', { signal })
    }
    if (isFirst && server !== undefined) stop(server)
    else if (!isFirst && now - firstAt > DUPLICATE_SIGNAL_MS) {
      if (server === undefined) process.exit(0)
      server.hurry()
    }
  }
  process.on('SIGTERM', onStop).on('SIGINT', onStop)
  process.on('SIGHUP', () => {
    if (server === undefined) isReloadDue = true
    else {
      server.log.info('reloading', { signal: 'SIGHUP' })
      void server.host.reload()
    }
  })
  return {
    serverStarted(started) {
      server = started
      if (firstAt > 0) stop(started)
      else if (isReloadDue) void started.host.reload()
    },
  }
}

/**
 * Sends SIGTERM to this process once its parent is gone, if npm has started it (`npm start`). Otherwise it would keep its ports
 * after `kill` of npm, as scripts and CI systems do it.
 */
function endWithNpm({ npm_lifecycle_event: script }: NodeJS.ProcessEnv): void {
  if (script === undefined) return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, NPM_CHECK_MS).unref()
}
