/** Puts the rooms together: one running server with its listeners, made from an environment. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { effectiveView } from './config/effective.ts'
import { readEnvironment } from './config/environment.ts'
import { findConfigFile } from './config/svc-yaml.ts'
import { registerCoreRoutes } from './control/routes.ts'
import { createControlDeps } from './control-deps.ts'
import { prepareLoading } from './host/module-loader.ts'
import { Host } from './host/host.ts'
import type { SvcStreams } from './host/plugin.ts'
import type { KnownCode } from './host/inventory.ts'
import type { SharedServices } from './host/services.ts'
import { createAdminGuard } from './http/admin-guard.ts'
import { createControlAuth } from './http/control-auth/control-auth.ts'
import { createCors } from './http/cors.ts'
import { createEntrance } from './http/entrance.ts'
import { exposedHeaders } from './http/exposed-headers.ts'
import { Listener } from './http/listeners.ts'
import type { ListenerHandlers } from './http/listeners.ts'
import { createStreamPlan } from './http/stages/plan-limits.ts'
import { createRequestFacts } from './http/request-facts.ts'
import { StreamRegistry } from './http/streams.ts'
import { corsForTakeOver } from './http/take-over.ts'
import { createSvcHttp } from './http/svc-http.ts'
import { createSvcStreams } from './http/svc-streams.ts'
import { createInspector } from './inspector/inspector.ts'
import { createInstance, readGitSha } from './instance.ts'
import type { Ports } from './instance.ts'
import { createKeys } from './keys/keys.ts'
import { isUrl } from './keys/registry-source.ts'
import { createCallAdmission } from './call-admission.ts'
import { createLimits } from './limits/limits.ts'
import { createLog } from './log.ts'
import type { Log } from './log.ts'
import { createMetrics } from './metrics.ts'
import { RequestMetrics } from './request-metrics.ts'
import { loadPki } from './pki/pki.ts'
import { createSvcPki } from './pki/svc-pki.ts'
import { SHUTDOWN_TIMES, shutDown } from './shutdown.ts'
import type { ShutdownTimes } from './shutdown.ts'
import { StateRegistry } from './state.ts'
import { openTracer } from './tracing/tracer.ts'
import { Watcher } from './host/watcher.ts'

export interface ServerOptions {
  /** Variables; default: the process's own. */
  environment?: NodeJS.ProcessEnv
  /** Value of `--config`. */
  configArgument?: string
  /** Relative paths count from here. Default: the process's working directory. */
  workingDirectory?: string
  /** Options laid over a plugin's section, by a subcommand. */
  extraOptions?: { plugin: string; options: Record<string, unknown> }
  /** Folder of the built-in plugins; tests put others there. */
  builtinFolder?: string
  /** Where log lines go; default: standard output. */
  logStream?: { write(line: string): void }
  shutdownTimes?: ShutdownTimes
  /** Code of plugins that servers of one process share. */
  knownCode?: KnownCode
}

export interface Server {
  readonly ports: Ports
  readonly host: Host
  readonly log: Log
  /** Resolves when the server has stopped; call `hurry` to cut the drain. */
  stop(): Promise<void>
  hurry(): void
}

/** The HTTP port could not be bound: the process exits with code 1. */
export class HttpPortError extends Error {}

const PRODUCT_FOLDER = fileURLToPath(new URL('..', import.meta.url))
export const VERSION = (JSON.parse(readFileSync(join(PRODUCT_FOLDER, 'package.json'), 'utf8')) as { version: string }).version

/** Starts a server. Rejects with `HttpPortError` when HTTP can't be bound; everything else is a warning. */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  prepareLoading()
  const workingDirectory = options.workingDirectory ?? process.cwd()
  const { config, warnings } = readEnvironment(options.environment ?? process.env)
  const log = createLog({ level: config.logLevel, format: config.logFormat, stream: options.logStream })
  for (const warning of warnings) log.warn(warning)

  const configFile = findConfigFile({ argument: options.configArgument, variable: config.configFile, cwd: workingDirectory })
  // Plugins resolve paths of their sections against the file in use, however it was named.
  config.configFile = configFile
  const commit = config.gitSha ?? readGitSha(PRODUCT_FOLDER)
  const pki = await loadPki({ tlsCert: resolve(workingDirectory, config.tlsCert), tlsKey: resolve(workingDirectory, config.tlsKey), warn: message => log.warn(message) })
  const states = new StateRegistry({ onError: (error, failure) => log.error('state', { error, ...failure }) })
  const streams = new StreamRegistry({ onError: error => log.error('stream', { error }) })
  const metrics = createMetrics()
  const cors = createCors({ origins: config.corsOrigins })
  const guard = createAdminGuard({ adminToken: config.adminToken, publicMode: config.publicMode })
  const controlAuth = createControlAuth({ config, guard, warn: message => log.warn(message) })
  const limits = createLimits({ config, metrics, usageFile: config.usageFile === null ? null : resolve(workingDirectory, config.usageFile), warn: message => log.warn(message) })
  const keys = await createKeys({ config, metrics, registry: placeOf(config.shared.registry, workingDirectory), warn: message => log.warn(message) })
  await Promise.all([limits.open(), keys?.open()])
  const plan = createStreamPlan(limits)
  const inspector = createInspector({ config, isControlCredential: value => controlAuth.isCredential(value) })
  const http = createSvcHttp({ config, guard })
  const ports: Ports = { http: null, https: null, grpc: null }
  const instance = createInstance(config, VERSION, await commit, () => ({ ...ports }))

  const tracer = await openTracer({ environment: options.environment ?? process.env, version: VERSION, instanceId: config.instanceId, warn: message => log.warn(message) })
  const requestMetrics = new RequestMetrics(metrics, instance)
  const streamsOf = (generation: number): SvcStreams => createSvcStreams(streams, generation, plan)

  // The host is needed by what it hands to plugins: these are asked only after it stands.
  let host!: Host
  const deps = createControlDeps({
    config, http, instance, inspector, keys, limits, metrics, streamsOf,
    host: () => host,
    effectiveConfig: () => effectiveView(config, { configFile, generation: host.current().number, warnings }),
  })
  const shared: SharedServices = {
    config, log, http, inspector, metrics,
    limits: createCallAdmission({ limits, keys }),
    pki: createSvcPki(pki, config.mtlsInHeader),
    instance: deps.instance,
    cors: (request, expose) => corsForTakeOver(cors, request, expose),
    streamsOf,
    reload: how => host.reload(how),
  }
  host = new Host({
    config, log, configFile, workingDirectory, streams,
    version: VERSION,
    builtinFolder: options.builtinFolder ?? join(PRODUCT_FOLDER, 'plugins'),
    extraOptions: options.extraOptions,
    knownCode: options.knownCode,
    build: {
      config, states, shared,
      generationOptions: { websockets: { streams, plan }, errors: { log } },
      exposedHeaders: ofDoors => exposedHeaders(ofDoors, [...limits.exposedHeaders, ...keys?.exposedHeaders ?? []]),
      registerCore: generation => {
        generation.app.register(async app => {
          app.addHook('onRoute', route => generation.addRoute(null, null, route))
          registerCoreRoutes(app as never, deps)
        })
      },
    },
  })
  host.onReload = async () => keys?.reload()
  await host.start()

  let isDraining = false
  const facts = createRequestFacts(config)
  const handlers = createEntrance(host, { config, cors, log, guard, controlAuth, keys, limits, streams, inspector, metrics: requestMetrics, tracer, isDraining: () => isDraining }, facts)
  const listeners = await openListeners(handlers)
  const watcher = new Watcher(() => void host.reload())
  if (config.watch) {
    await watcher.set(host.watchedPaths())
    host.onSwap = () => void watcher.set(host.watchedPaths())
  }

  async function openListeners(to: ListenerHandlers): Promise<Listener[]> {
    const http1 = new Listener('http', to, { http2: config.grpcOnHttp })
    try {
      ports.http = await http1.listen(config.host, config.httpPort)
    } catch (error) {
      await host.close()
      states.close()
      throw new HttpPortError(`can't listen on ${config.host}:${config.httpPort} (${(error as NodeJS.ErrnoException).code ?? String(error)}); set SVC_HTTP_PORT to another port`)
    }
    const opened = [http1]
    const tryOpen = async (kind: 'https' | 'grpc', label: string, port: number, make: () => Listener): Promise<void> => {
      try {
        const listener = make()
        ports[kind] = await listener.listen(config.host, port)
        opened.push(listener)
      } catch (error) {
        log.warn(`${label} not started: ${(error as Error).message}`)
      }
    }
    await tryOpen('https', 'HTTPS', config.httpsPort, () => {
      if ('error' in pki.server) throw new Error(pki.server.error)
      return new Listener('https', to, { http2: config.grpcOnHttp, tls: { cert: pki.server.cert, key: pki.server.key, ca: pki.caCertificate } })
    })
    await tryOpen('grpc', 'gRPC', config.grpcPort, () => new Listener('grpc', to, { http2: true }))
    return opened
  }

  for (const listener of listeners) log.line(`${LABELS[listener.facts.kind]} listening on ${printAddress(listener)}`)

  let stopping: Promise<void> | null = null
  let cutShort: () => void = () => {}
  const hurried = new Promise<void>(resolve => { cutShort = resolve })
  return {
    ports, host, log,
    hurry: () => cutShort(),
    stop: () => (stopping ??= (async () => {
      isDraining = true
      await watcher.close()
      await shutDown({ listeners, streams, host }, hurried, options.shutdownTimes ?? SHUTDOWN_TIMES)
      await tracer?.close()
      await limits.close()
      keys?.close()
      states.close()
      await log.flush()
    })()),
  }
}

/** The registry's URL as it is, or its path from the working directory. */
function placeOf(registry: string | null, workingDirectory: string): string | null {
  return registry === null || isUrl(registry) ? registry : resolve(workingDirectory, registry)
}

const LABELS = { http: 'HTTP', https: 'HTTPS', grpc: 'gRPC' }

function printAddress(listener: Listener): string {
  const { address, family, port } = listener.address!
  return `${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
