/** Services that handle requests. */
import type { RequestContext } from '../http/request/context.ts'
import { HeaderDeadlines } from '../http/request/header-deadlines.ts'
import { timeOut } from '../http/pipeline/pipeline.ts'
import { recordRequests } from '../http/pipeline/stages/capture.ts'
import { countRequests, logRequests, Observer, reportTo } from '../http/pipeline/stages/observation.ts'
import { resolve } from 'node:path'
import { Host } from '../host/host.ts'
import { createInProcessCall } from '../http/listener/in-process-call.ts'
import { createRequestFacts } from '../http/request/request-facts.ts'
import { Notifier } from '../http/pipeline/rules/notifier.ts'
import { createAdminGuard } from '../http/access/admin-guard.ts'
import { createBrowserAccess } from '../http/access/browser-access.ts'
import { createControlAuth } from '../http/access/control-auth.ts'
import { createCors } from '../http/response/cors.ts'
import type { ListenerStatus } from '../contract/listeners.ts'
import type { PipelineServices, RuleServices } from '../http/pipeline/stage.ts'
import { Tap } from '../http/tap/tap.ts'
import { StreamRegistry } from '../http/streams/stream-registry.ts'
import { UnsentMemory } from '../limits/unsent-memory.ts'
import { createBudgets } from '../host/svc/budgets.ts'
import { createSvcHttp } from '../host/svc/http.ts'
import { ConnectionLog } from '../inspector/connection-log.ts'
import { createInspector } from '../inspector/inspector.ts'
import { addEventLoopMetric, EventLoopMeter } from '../metrics/event-loop.ts'
import { createConnectionMetrics } from '../metrics/connection-metrics.ts'
import { CompletionBatch } from '../http/pipeline/completion-batch.ts'
import { createInstance, type Ports } from './instance.ts'
import { createKeys } from '../keys/keys.ts'
import { isUrl } from '../keys/registry-source.ts'
import { createLimits } from '../limits/limits.ts'
import { ruleBoundsOf } from '../rules/bounds.ts'
import { RuleBook } from '../rules/rule-book.ts'
import { createRuleHits } from '../metrics/rule-hits.ts'
import { RequestMetrics } from '../metrics/request-metrics.ts'
import { VERSION } from '../product.ts'
import { openTracer } from '../tracing/tracer.ts'
import type { BaseServices, KeptServices } from './base-services.ts'
import type { MeasuresMemory } from '../collections/memory-use.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { addStoreMetrics } from '../metrics/store-metrics.ts'
import type { StateHolder, StateRegistry } from '../state/state-registry.ts'

export type RequestServices = Awaited<ReturnType<typeof openRequestServices>>

/** What handles requests. `host` is called once the host exists. */
export async function openRequestServices(base: BaseServices, kept: KeptServices, host: () => Host) {
  const { config, environment, log, warn } = base
  const { metrics, states, shared, state } = kept
  const admission = await openAdmission(base, kept)
  const { browserAccess, controlAuth, guard, keys, limits, quota } = admission
  const streams = new StreamRegistry({ onError: error => log.error('a stream callback failed', { error }) })
  const unsent = new UnsentMemory(config.budgets)
  const budgets = createBudgets(config.budgets, unsent)
  const inspector = createInspector({
    budgets,
    config,
    isControlCredential: value => controlAuth.isCredential(value),
    flush: () => completions.flush(),
    logs: state.captures,
    isPartial: () => shared !== null && !shared.connection.isUp,
  })
  const eventLoop = new EventLoopMeter({ measuresDelay: config.loadMode })
  addEventLoopMetric(metrics, eventLoop)
  const connectionMetrics = createConnectionMetrics(metrics)
  const connections = new ConnectionLog({ capacity: config.inspectorCapacity, metrics: connectionMetrics })
  measureStores(states, state.holder, metrics, {
    'captured-requests': inspector,
    'captured-connections': connections,
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
  const notifier = new Notifier({
    call: call => callRoute(null, call),
    budgets,
    isPublic: config.publicMode,
    maxWaiting: book.bounds.waitingNotifications,
    redactUrl: url => inspector.redactUrl(url),
    log,
  })
  const rules: RuleServices = { book, budgets, config, notifier, countHit: createRuleHits(metrics) }
  const callRoute = createInProcessCall({
    pipeline: () => pipeline,
    facts: createRequestFacts(config),
    generation: () => host().current(),
    httpPort: () => ports.http,
  })
  const http = createSvcHttp({
    browserAccess,
    config,
    guard,
    rules,
    ports: () => ports,
    call: callRoute,
  })
  const instance = createInstance({
    config,
    version: VERSION,
    gitSha: await kept.commit,
    ports: () => ({ ...ports }),
    health: state.health,
  })
  const tracer = await openTracer({
    environment,
    version: VERSION,
    instanceId: shared === null ? config.instanceId : states.replicas.self,
    warn,
  })
  const requestMetrics = new RequestMetrics(metrics, instance, () => completions.flush())
  const count = countRequests(requestMetrics)
  const completions = new CompletionBatch([count, logRequests(log), recordRequests(inspector)])
  // In load mode, nothing of a request is kept: it is counted at once.
  const report = config.loadMode ? count : reportTo(completions)
  shared?.onFlush(() => completions.flush())
  const secs = config.requestTimeoutSecs
  const deadlines =
    secs > 0 ? new HeaderDeadlines<RequestContext>(secs * 1000, context => timeOut(context, secs)) : null
  let isDraining = false
  const pipeline: PipelineServices = {
    ...admission,
    config,
    log,
    observer: new Observer({ metrics: requestMetrics, report, isDraining: () => isDraining }),
    streams,
    unsent,
    rules,
    inspector,
    tracer,
    deadlines,
  }
  return {
    book,
    budgets,
    completions,
    connections,
    connectionMetrics,
    deadlines,
    eventLoop,
    http,
    inspector,
    instance,
    keys,
    limits,
    listenerStatus: { list: (): ListenerStatus[] => [] },
    pipeline,
    ports,
    quota,
    report,
    requestMetrics,
    rules,
    streams,
    tap: new Tap({ isPublic: config.publicMode }),
    unsent,
    startDraining() {
      isDraining = true
    },
  }
}

/** Who may send requests, and how many. */
async function openAdmission({ config, warn, workingDirectory }: BaseServices, { metrics, shared }: KeptServices) {
  const guard = createAdminGuard({ adminToken: config.adminToken, publicMode: config.publicMode })
  const quota = shared === null ? null : new (await import('../limits/shared-quota.ts')).SharedQuota(shared)
  const limits = createLimits({
    config,
    metrics,
    quota,
    usageFile: config.usageFile === null ? null : resolve(workingDirectory, config.usageFile),
    warn,
  })
  const keys = await createKeys({
    config,
    metrics,
    quota,
    registry: placeOf(config.shared.registry, workingDirectory),
    warn,
  })
  await Promise.all([limits.open(), keys?.open()])
  return {
    browserAccess: createBrowserAccess(config),
    controlAuth: createControlAuth({ config, guard, warn }),
    cors: createCors({ origins: config.corsOrigins }),
    guard,
    keys,
    limits,
    quota,
  }
}

/** The URL of the registry, or its absolute path. */
function placeOf(registry: string | null, workingDirectory: string): string | null {
  return registry === null || isUrl(registry) ? registry : resolve(workingDirectory, registry)
}

/** Shows in the metrics what all stores hold. `own`: what the core keeps outside of `state`, by name; null: nothing. */
function measureStores(
  states: StateRegistry,
  holder: StateHolder,
  metrics: Metrics,
  own: Record<string, MeasuresMemory | null>,
): void {
  for (const [name, measured] of Object.entries(own))
    if (measured !== null) holder.shared(name, () => ({ memoryUse: () => measured.memoryUse() }))
  addStoreMetrics(metrics, () => states.memoryUse(), states)
}
