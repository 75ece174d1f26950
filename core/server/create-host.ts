/** Creates the host of the process from the services. */
import { effectiveView } from '../config/effective.ts'
import { registerCoreRoutes } from '../control/routes.ts'
import { ControlToolRegistry } from '../control/control-tools.ts'
import { createControlDeps } from './control-deps.ts'
import { Connections } from '../inspector/connections.ts'
import { RESIDENT } from '../host/bundler.mjs'
import { Host } from '../host/host.ts'
import type { SvcInstance, SvcStreams } from '../contract/plugin.ts'
import type { SharedServices } from '../host/svc/svc.ts'
import { exposedHeaders } from '../http/response/exposed-headers.ts'
import { createStreamPlan } from '../http/pipeline/stages/plan-limits.ts'
import { LargeMessages } from '../http/streams/large-messages.ts'
import { WebSocketMemory } from '../http/streams/websocket-memory.ts'
import { corsOutsidePipeline } from '../http/listener/media-type-handlers.ts'
import { createSvcInspector } from '../host/svc/inspector.ts'
import { createSvcStreams } from '../host/svc/streams.ts'
import { createCallAdmission } from '../host/svc/call-admission.ts'
import { createCallFollower } from '../host/svc/media-type-call.ts'
import { createSvcPki } from '../host/svc/pki.ts'
import { BUILTIN_FOLDER, VERSION } from '../product.ts'
import type { ReplicaFacts } from '../state/shared-backend.ts'
import { createReplicaChanges } from './replica-changes.ts'
import { createReplicaViews } from './replica-views.ts'
import type { BaseServices, KeptServices } from './base-services.ts'
import type { RequestServices } from './request-services.ts'
import type { ServiceOptions } from './services.ts'

/** WebSockets of one client address in public mode. */
const PUBLIC_SOCKETS_PER_ADDRESS = 100
/** WebSockets with compressed messages, at a time. */
const COMPRESSED_SOCKETS = 200
const PUBLIC_COMPRESSED_SOCKETS = 20

/** The host, with what it needs to build generations. */
export function createHost(
  base: BaseServices,
  kept: KeptServices,
  requests: RequestServices,
  options: ServiceOptions,
): { host: Host; instance: SvcInstance } {
  const { config, configFile, environment, log, variables, warnings, workingDirectory } = base
  const { metrics, states, shared, state, pki } = kept
  const { budgets, http, inspector, keys, limits, pipeline, quota, requestMetrics, rules, streams, tap } = requests
  const plan = createStreamPlan(limits)
  const streamsOf = (generation: number): SvcStreams => createSvcStreams(streams, generation, plan)
  const ownFacts = (): ReplicaFacts => ownFactsOf(host, requests)
  const changes = createReplicaChanges(() => host, shared)
  const deps = createControlDeps({
    config,
    budgets,
    book: requests.book,
    http,
    inspector,
    connections: new Connections({
      local: requests.connections,
      log: state.connections,
      instanceId: config.instanceId,
      redact: text => inspector.redactText(text),
      isPartial: () => shared !== null && !shared.connection.isUp,
    }),
    instance: requests.instance,
    keys,
    limits,
    metrics,
    replicas: createReplicaViews(config, states, shared, ownFacts),
    changes,
    streamsOf,
    host: () => host,
    eventLoop: requests.eventLoop,
    effectiveConfig: () => {
      const { definitions } = host.declarations
      const facts = { configFile, generation: host.current().number, warnings: variables.warnings(definitions) }
      return effectiveView(config, facts, variables, definitions)
    },
    pluginStatus: () => variables.status(host.declarations.definitions),
    listeners: () => requests.listenerStatus.list(),
  })
  const services: SharedServices = {
    config,
    log,
    budgets,
    http,
    inspector: createSvcInspector(inspector),
    metrics,
    calls: createCallAdmission({ limits, keys, quota }),
    pki: createSvcPki(pki, config.mtlsInHeader),
    tap,
    instance: deps.instance,
    replicas: states.replicas,
    environment,
    cors: (request, expose) => corsOutsidePipeline(pipeline.cors, request, expose),
    follow: createCallFollower({ config, inspector, report: requests.report, log, rules }),
    streamsOf,
    reload: how => changes.reload(how),
  }
  const isReplica = shared !== null || config.workers > 1
  const host: Host = new Host({
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
    addedSections: options.addedSections,
    knownCode: options.knownCode,
    registerTimes: options.registerTimes,
    build: {
      config,
      states,
      shared: services,
      variables,
      bundler: options.bundler ?? RESIDENT,
      generationOptions: {
        replica: isReplica ? config.instanceId : null,
        bodyLimit: config.bodyLimit,
        ports: { host: config.host, isShared: config.workers > 1 },
        websockets: {
          streams,
          plan,
          memory: new WebSocketMemory(requests.unsent, {
            perAddress: config.publicMode ? PUBLIC_SOCKETS_PER_ADDRESS : Infinity,
            maxCompressed: config.publicMode ? PUBLIC_COMPRESSED_SOCKETS : COMPRESSED_SOCKETS,
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
          ...(isReplica ? ['X-Svc-Replica'] : []),
          ...(shared === null ? [] : ['X-Svc-State-Store']),
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
  shared?.setFacts(ownFacts)
  return { host, instance: deps.instance }
}

/** What this replica tells the others about itself. */
function ownFactsOf(host: Host, { instance, ports, requestMetrics }: RequestServices): ReplicaFacts {
  return {
    hostname: instance.hostname,
    version: VERSION,
    gitSha: instance.gitSha,
    healthy: instance.isHealthy(),
    generation: host.currentNumber,
    streamsOpen: requestMetrics.openStreams,
    requestsTotal: requestMetrics.requestCount(),
    ports: { ...ports },
  }
}
