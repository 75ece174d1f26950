/** Creates all services of the process except the listeners. Plugins are built when the host starts. */
import type { RequestContext } from '../http/request/context.ts'
import { HeaderDeadlines } from '../http/pipeline/header-deadlines.ts'
import { timeOut } from '../http/pipeline/pipeline.ts'
import { recordRequests } from '../http/pipeline/stages/capture.ts'
import { countRequests, logRequests, Observer } from '../http/pipeline/stages/observation.ts'
import { resolve } from 'node:path'
import { effectiveView } from '../config/effective.ts'
import { readEnvironment } from '../config/environment.ts'
import { PluginVariables } from '../config/plugin-variables.ts'
import { findConfigFile } from '../config/svc-yaml.ts'
import { registerCoreRoutes } from '../control/routes.ts'
import { ControlToolRegistry } from '../control/control-tools.ts'
import { createControlDeps } from './control-deps.ts'
import { openCoreState } from './core-state.ts'
import { Host } from '../host/host.ts'
import type { RegisterTimes } from '../host/build.ts'
import type { Config, SvcInstance, SvcStreams } from '../contract/plugin.ts'
import type { KnownCode } from '../host/inventory.ts'
import type { SharedServices } from '../host/svc/svc.ts'
import { createInProcessCall } from '../http/pipeline/in-process-call.ts'
import { createRequestFacts } from '../http/request/request-facts.ts'
import { createAdminGuard } from '../http/pipeline/admin-guard.ts'
import { createBrowserAccess } from '../http/pipeline/browser-access.ts'
import { createControlAuth } from '../http/pipeline/control-auth/control-auth.ts'
import { createCors } from '../http/response/cors.ts'
import type { PipelineServices } from '../http/pipeline/stage.ts'
import { exposedHeaders } from '../http/response/exposed-headers.ts'
import { createStreamPlan } from '../http/pipeline/stages/plan-limits.ts'
import { Tap } from '../http/tap/tap.ts'
import { StreamRegistry } from '../http/streams/stream-registry.ts'
import { LargeMessages } from '../http/streams/large-messages.ts'
import { UnsentMemory } from '../http/streams/unsent-memory.ts'
import { WebSocketMemory } from '../http/streams/websocket-memory.ts'
import { corsOutsidePipeline } from '../http/listener/media-type-handlers.ts'
import { createBudgets } from '../host/svc/budgets.ts'
import { createSvcHttp } from '../host/svc/http.ts'
import { createSvcStreams } from '../host/svc/streams.ts'
import { createInspector } from '../inspector/inspector.ts'
import { CompletionBatch } from '../http/pipeline/completion-batch.ts'
import { createInstance, readGitSha } from './instance.ts'
import type { Ports } from './instance.ts'
import { createKeys } from '../keys/keys.ts'
import { isUrl } from '../keys/registry-source.ts'
import { createCallAdmission } from '../host/svc/call-admission.ts'
import { createCallFollower } from '../host/svc/media-type-call.ts'
import { createLimits } from '../limits/limits.ts'
import { createLog } from '../log/log.ts'
import type { RuleServices } from '../http/pipeline/stage.ts'
import { ruleBoundsOf } from '../rules/bounds.ts'
import { RuleBook } from '../rules/rule-book.ts'
import { measureStores } from './store-memory.ts'
import { createRuleHits } from '../metrics/rule-hits.ts'
import type { Log } from '../log/log.ts'
import { createMetrics } from '../metrics/metrics.ts'
import { RequestMetrics } from '../metrics/request-metrics.ts'
import { loadPki } from '../pki/pki.ts'
import type { Pki } from '../pki/pki.ts'
import { createSvcPki } from '../host/svc/pki.ts'
import { BUILTIN_FOLDER, PRODUCT_FOLDER, VERSION } from '../product.ts'
import type { StateRegistry } from '../state/state-registry.ts'
import type { ReplicaFacts } from '../state/shared/membership.ts'
import { createReplicaChanges } from './replica-changes.ts'
import { createReplicaViews } from './replica-views.ts'
import { recoverPlugins } from './state-recovery.ts'
import { openState } from './state-store.ts'
import { openTracer } from '../tracing/tracer.ts'

export interface ServiceOptions {
  /** Environment variables. Default: those of the process. */
  environment?: NodeJS.ProcessEnv
  /** Value of `--config`. */
  configArgument?: string
  /** Base of relative paths. Default: the working directory of the process. */
  workingDirectory?: string
  /** Options of a subcommand that override items of a plugin's section. */
  extraOptions?: { plugin: string; options: Record<string, unknown> }
  /** Folder of the built-in plugins; tests use another one. */
  builtinFolder?: string
  /** Time limits for registering a plugin. Default: a warning after 10 s, failure after 120 s. */
  registerTimes?: RegisterTimes
  /** Destination of log lines. Default: standard output. */
  logStream?: { write(line: string): void }
  /** For tests: all state enforces the rules of shared stores. */
  strictState?: boolean
  /** For tests: the state of another server in this process, which makes the two replicas. */
  states?: StateRegistry
  /** Plugin code that servers in one process share. */
  knownCode?: KnownCode
}

/** WebSockets of one client address in public mode. */
const PUBLIC_SOCKETS_PER_ADDRESS = 100

/** The services of a process. */
export interface Services {
  readonly config: Config
  readonly log: Log
  /** Not started yet: the caller decides when plugins are built. */
  readonly host: Host
  /** Set by the caller when it binds the listeners. */
  readonly ports: Ports
  readonly instance: SvcInstance
  readonly streams: StreamRegistry
  readonly pki: Pki
  readonly tap: Tap
  /** Services that the request handler needs in addition to the host. */
  readonly pipeline: PipelineServices
  readonly completions: CompletionBatch
  /** From now on, connections are closed with their next response. */
  startDraining(): void
  /** Closes files, connections and state. Close the host first. */
  close(): Promise<void>
}

/** Opens the services. A service that can't be opened is a warning. */
export async function openServices(options: ServiceOptions = {}): Promise<Services> {
  const workingDirectory = options.workingDirectory ?? process.cwd()
  const environment = options.environment ?? process.env
  const core = readEnvironment(environment)
  const { config } = core
  const variables = new PluginVariables(environment, core)
  const warnings = [...[...core.warnings.values()].flat(), ...core.contradictions]
  const log = createLog({ level: config.logLevel, format: config.logFormat, stream: options.logStream })
  for (const warning of warnings) log.warn(warning)

  const configFile = findConfigFile({
    argument: options.configArgument,
    variable: config.configFile,
    cwd: workingDirectory,
  })
  // Plugins resolve paths in their sections relative to the file in use.
  config.configFile = configFile
  const commit = config.gitSha ?? readGitSha(PRODUCT_FOLDER)
  const metrics = createMetrics()
  const { states, shared: sharedState } =
    options.states === undefined
      ? await openState({
          config,
          log,
          metrics,
          workingDirectory,
          isStrict: options.strictState ?? false,
          onError: (error, failure) => log.error('a state callback failed', { error, ...failure }),
        })
      : { states: options.states, shared: null }
  if (sharedState !== null) log.setReplica(states.replicas.self)
  const state = await openCoreState(states, config.inspectorCapacity)
  const pki = await loadPki({
    tlsCert: resolve(workingDirectory, config.tlsCert),
    tlsKey: resolve(workingDirectory, config.tlsKey),
    state: state.holder,
    warn: message => log.warn(message),
  })
  const streams = new StreamRegistry({ onError: error => log.error('a stream callback failed', { error }) })
  const tap = new Tap({ isPublic: config.publicMode })
  const cors = createCors({ origins: config.corsOrigins })
  const browserAccess = createBrowserAccess(config)
  const guard = createAdminGuard({ adminToken: config.adminToken, publicMode: config.publicMode })
  const controlAuth = createControlAuth({ config, guard, warn: message => log.warn(message) })
  const quota = sharedState === null ? null : new (await import('../limits/shared-quota.ts')).SharedQuota(sharedState)
  const limits = createLimits({
    config,
    metrics,
    quota,
    usageFile: config.usageFile === null ? null : resolve(workingDirectory, config.usageFile),
    warn: message => log.warn(message),
  })
  const keys = await createKeys({
    config,
    metrics,
    quota,
    registry: placeOf(config.shared.registry, workingDirectory),
    warn: message => log.warn(message),
  })
  await Promise.all([limits.open(), keys?.open()])
  const plan = createStreamPlan(limits)
  const unsent = new UnsentMemory(config.budgets)
  const budgets = createBudgets(config.budgets, unsent)
  const inspector = createInspector({
    budgets,
    config,
    isControlCredential: value => controlAuth.isCredential(value),
    flush: () => completions.flush(),
    logs: state.captures,
    isPartial: () => sharedState !== null && !sharedState.connection.isUp,
  })
  measureStores(states, state.holder, metrics, {
    'captured-requests': inspector,
    'limited-sessions': limits.limiter,
    'key-counts': keys,
    'metric-series': metrics,
  })
  const ports: Ports = { http: null, https: null, grpc: null }
  const book = new RuleBook({
    bounds: ruleBoundsOf(config),
    openStore: (name, bounds) => state.holder.state(name, bounds),
  })
  await book.open()
  const ruleHits = createRuleHits(metrics)
  const rules: RuleServices = { book, budgets, config, countHit: ruleHits }
  const http = createSvcHttp({
    browserAccess,
    config,
    guard,
    rules,
    httpsPort: () => ports.https,
    call: createInProcessCall({
      pipeline: () => pipeline,
      facts: createRequestFacts(config),
      generation: () => host.current(),
      httpPort: () => ports.http,
    }),
  })
  const instance = createInstance({
    config,
    version: VERSION,
    gitSha: await commit,
    ports: () => ({ ...ports }),
    health: state.health,
  })

  const tracer = await openTracer({
    environment,
    version: VERSION,
    instanceId: sharedState === null ? config.instanceId : states.replicas.self,
    warn: message => log.warn(message),
  })
  const requestMetrics = new RequestMetrics(metrics, instance, () => completions.flush())
  const completions = new CompletionBatch([countRequests(requestMetrics), logRequests(log), recordRequests(inspector)])
  const flushAtExit = (): void => completions.flush()
  // Run before the exit listener of the log, which writes the last lines.
  process.prependListener('exit', flushAtExit)
  sharedState?.onFlush(() => completions.flush())
  const secs = config.requestTimeoutSecs
  const deadlines =
    secs > 0 ? new HeaderDeadlines<RequestContext>(secs * 1000, context => timeOut(context, secs)) : null
  let isDraining = false
  const pipeline: PipelineServices = {
    browserAccess,
    config,
    cors,
    log,
    observer: new Observer({ metrics: requestMetrics, completions, isDraining: () => isDraining }),
    guard,
    controlAuth,
    keys,
    limits,
    quota,
    streams,
    unsent,
    rules,
    inspector,
    tracer,
    deadlines,
  }
  const streamsOf = (generation: number): SvcStreams => createSvcStreams(streams, generation, plan)

  // The services and the host need each other. The services use the host only after it is created.
  let host!: Host
  const ownFacts = (): ReplicaFacts => ({
    hostname: instance.hostname,
    version: VERSION,
    gitSha: instance.gitSha,
    healthy: instance.isHealthy(),
    generation: host.currentNumber,
    streamsOpen: requestMetrics.openStreams,
    requestsTotal: requestMetrics.requestCount(),
    ports: { ...ports },
  })
  const changes = createReplicaChanges(() => host, sharedState)
  const deps = createControlDeps({
    config,
    budgets,
    replicas: createReplicaViews(config, states, sharedState, ownFacts),
    changes,
    http,
    instance,
    inspector,
    book,
    keys,
    limits,
    metrics,
    streamsOf,
    host: () => host,
    effectiveConfig: () => {
      const { definitions } = host.declarations
      return effectiveView(
        config,
        { configFile, generation: host.current().number, warnings: variables.warnings(definitions) },
        variables,
        definitions,
      )
    },
    pluginStatus: () => variables.status(host.declarations.definitions),
  })
  const shared: SharedServices = {
    config,
    log,
    budgets,
    http,
    inspector,
    metrics,
    limits: createCallAdmission({ limits, keys, quota }),
    pki: createSvcPki(pki, config.mtlsInHeader),
    tap,
    instance: deps.instance,
    replicas: states.replicas,
    environment,
    cors: (request, expose) => corsOutsidePipeline(cors, request, expose),
    follow: createCallFollower({ config, inspector, completions, log, rules }),
    streamsOf,
    reload: how => changes.reload(how),
  }
  host = new Host({
    config,
    log,
    configFile,
    workingDirectory,
    streams,
    logged: warnings,
    switches: state.switches,
    version: VERSION,
    builtinFolder: options.builtinFolder ?? BUILTIN_FOLDER,
    extraOptions: options.extraOptions,
    knownCode: options.knownCode,
    build: {
      config,
      states,
      shared,
      variables,
      registerTimes: options.registerTimes,
      generationOptions: {
        replica: sharedState === null && config.workers === 1 ? null : config.instanceId,
        bodyLimit: config.bodyLimit,
        websockets: {
          streams,
          plan,
          memory: new WebSocketMemory(unsent, {
            perAddress: config.publicMode ? PUBLIC_SOCKETS_PER_ADDRESS : Infinity,
          }),
          largeMessages: new LargeMessages(),
        },
        errors: { log },
      },
      declareSeries: declared => {
        requestMetrics.declare(declared)
        return { isArea: name => requestMetrics.isArea(name) }
      },
      exposedHeaders: ofPlugins =>
        exposedHeaders(ofPlugins, [
          ...(sharedState === null && config.workers === 1 ? [] : ['X-Svc-Replica']),
          ...(sharedState === null ? [] : ['X-Svc-State-Store']),
          ...limits.exposedHeaders,
          ...(keys?.exposedHeaders ?? []),
        ]),
      controlTools: generation => new ControlToolRegistry(() => generation.routes.list),
      registerCore: generation => {
        generation.app.register(async app => {
          app.addHook('onRoute', function (route) {
            generation.addRoute({ plugin: null, paths: null, log, area: null }, route, this)
          })
          registerCoreRoutes(app as never, deps)
        })
      },
    },
  })
  sharedState?.setFacts(ownFacts)
  const endRecovery = sharedState === null ? null : recoverPlugins(host, sharedState)
  host.onReload = async () => keys?.reload()
  return {
    config,
    log,
    host,
    ports,
    instance: deps.instance,
    streams,
    pki,
    tap,
    pipeline,
    completions,
    startDraining() {
      isDraining = true
    },
    async close() {
      endRecovery?.()
      deadlines?.close()
      await tracer?.close()
      await limits.close()
      await quota?.close()
      keys?.close()
      // Captured requests are sent to the store before it is closed.
      completions.flush()
      if (options.states === undefined) await states.close()
      process.off('exit', flushAtExit)
      completions.flush()
      await log.flush()
    },
  }
}

/** The URL of the registry, or its absolute path. */
function placeOf(registry: string | null, workingDirectory: string): string | null {
  return registry === null || isUrl(registry) ? registry : resolve(workingDirectory, registry)
}
