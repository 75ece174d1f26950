/** Creates the dependencies of the control plane's routes from the host and the services. */
import type { SvcBudgets } from '../contract/budgets.ts'
import type { ListenerStatus } from '../contract/listeners.ts'
import type { Config } from '../config/variables.ts'
import { buildCatalog } from '../control/catalog.ts'
import type { ControlDeps, ControlReplicas } from '../control/deps.ts'
import { buildOpenapi } from '../control/openapi.ts'
import type { RouteRecord } from '../http/routes/route-record.ts'
import type { Host } from '../host/host.ts'
import type { SvcHttp, SvcStreams } from '../contract/plugin.ts'
import { contextOf } from '../http/request/context.ts'
import type { Connections } from '../inspector/connections.ts'
import { ConnectionWaits } from '../control/connection-waits.ts'
import type { Inspector } from '../inspector/inspector.ts'
import type { Instance } from './instance.ts'
import type { Keys } from '../keys/keys.ts'
import type { Limits } from '../limits/limits.ts'
import type { RuleBook } from '../rules/rule-book.ts'
import type { EventLoopMeter } from '../metrics/event-loop.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { ReplicaChanges } from './replica-changes.ts'

export interface ControlDepsSources {
  config: Config
  budgets: SvcBudgets
  http: SvcHttp
  instance: Instance
  inspector: Inspector
  connections: Connections
  book: RuleBook
  limits: Limits
  replicas: ControlReplicas
  changes: ReplicaChanges
  keys: Keys | null
  metrics: Metrics
  streamsOf(generation: number): SvcStreams
  host(): Host
  effectiveConfig(): object
  pluginStatus(): Record<string, object>
  listeners(): ListenerStatus[]
  eventLoop: EventLoopMeter
}

export function createControlDeps({
  config,
  budgets,
  http,
  instance,
  inspector,
  connections,
  book,
  keys,
  limits,
  metrics,
  replicas,
  changes,
  streamsOf,
  host,
  effectiveConfig,
  eventLoop,
  pluginStatus,
  listeners,
}: ControlDepsSources): ControlDeps {
  const routes = (): RouteRecord[] => host().current().routes.list
  const plugins: ControlDeps['plugins'] = {
    records: () => host().records(),
    routesOf: name =>
      routes()
        .filter(route => route.plugin === name)
        .map(({ methods, path }) => ({ methods, path })),
    overview: () => ({
      generation: host().current().number,
      generationCounts: host().generationCounts,
      building: host().building,
      loadedAt: host().loadedAt,
      configFile: host().configFile,
      directories: host().directories,
      loadErrors: host().loadErrors,
    }),
    switch: (name, on, cascade) => host().switch(name, on, cascade),
    clearOverride: name => host().clearOverride(name),
    followers: () => changes.followers(),
    reload: force => changes.reload({ force }),
  }
  return {
    config,
    budgets,
    http,
    inspector,
    connections,
    connectionWaits: new ConnectionWaits(connections, config.publicMode),
    rules: {
      book,
      ofGeneration: request => contextOf(request).generation.rules,
      resetsOf: request => contextOf(request).generation.resets.list(),
      verificationsOf: request => contextOf(request).generation.verifications.list(),
    },
    keys,
    limits,
    metrics,
    load: () => ({ requests_open: host().current().openCount, event_loop: eventLoop.view() }),
    replicas,
    plugins,
    effectiveConfig,
    pluginStatus,
    routes,
    protocols: request => contextOf(request).generation.rules.protocols,
    instance: {
      ...instance,
      catalog: () => buildCatalog(routes(), instance.version, host().declarations.categories),
      openapi: (baseUrl, selection) =>
        buildOpenapi(routes(), {
          baseUrl,
          version: instance.version,
          categories: host().declarations.categories,
          selection,
        }),
      controlOpenapi: baseUrl =>
        buildOpenapi(routes(), {
          baseUrl,
          version: instance.version,
          categories: host().declarations.categories,
          isControl: true,
        }),
      links: () => host().declarations.links,
      plugins: () => host().records(),
      listeners,
    },
    openEvents: (request, reply, options) =>
      streamsOf(contextOf(request).generation.number).sse(request, reply, options),
    connection(request) {
      const { listener, peerAddress } = contextOf(request)
      return { scheme: listener.scheme, port: listener.port, peerIp: peerAddress.replace(/^::ffff:/, '') }
    },
  }
}
