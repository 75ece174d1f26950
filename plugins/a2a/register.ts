/** Registers the stores, the demo agents, the extension point and the routes. */
import type { JWK } from 'jose'
import { type FastifyInstance, forPlugin } from 'svc/plugin'
import { BoundedMap, type FaultCount, FaultCounter, jsonRpcProtocol } from 'svc/toolkit'
import type { A2a } from './a2a.ts'
import { AgentRegistry } from './agent-registry.ts'
import { registerDemoAgents } from './agents/register.ts'
import { boundsOf } from './bounds.ts'
import { CardSigner, createCardKey } from './cards/signer.ts'
import { createCore } from './bindings/core.ts'
import { LocalRuns } from './tasks/local-runs.ts'
import { failLostRuns, failOwnRuns } from './tasks/lost-runs.ts'
import { DEFAULT_TENANTS } from './options.ts'
import { PushDelivery } from './push/delivery.ts'
import { registerCards } from './routes/cards.ts'
import { registerHttpJson } from './routes/http-json.ts'
import { registerJsonRpc } from './routes/json-rpc.ts'
import { serveHosts } from './routes/served-hosts.ts'
import { registerSinks } from './routes/sinks.ts'
import { RunSlots } from './tasks/run-slots.ts'
import { openSinkStore } from './push/sink.ts'
import { openTaskStores } from './tasks/stores.ts'
import type { Task } from './tasks/task.ts'
import { TaskService } from './tasks/task-service.ts'
import { TaskStore } from './tasks/task-store.ts'
import { UnstoredRuns } from './tasks/unstored-runs.ts'

export function registerPlugin(app: FastifyInstance, svc: A2a['svc']): void {
  const bounds = boundsOf(svc.config)
  // The routes of the HTTP+JSON binding have no JSON-RPC errors.
  svc.use('testing.protocols').register({
    ...jsonRpcProtocol,
    failure: (failure, request) =>
      jsonRpcProtocol.read(request) === null ? null : jsonRpcProtocol.failure!(failure, request),
  })
  const agents = new AgentRegistry()
  registerDemoAgents(agents.registrar(svc.name))
  svc.offer('a2a.agents', {
    ...agents.registrar(svc.name, svc.log),
    [forPlugin]: (plugin, own) => agents.registrar(plugin, own?.log),
  })
  const sinks = openSinkStore(svc, bounds)
  const cardKey = svc.replicated<JWK>('card-key', { initial: createCardKey, secret: true })
  const stored = svc.state<string>('card-signatures', { maxCount: bounds.cardSignatures })
  const kept = svc.shared('card-signatures', () => new BoundedMap<string>(bounds.cardSignatures))
  const signer = new CardSigner(() => cardKey.current, stored, kept)
  const tenants = svc.options.tenants ?? DEFAULT_TENANTS
  const faultCounter = new FaultCounter(
    svc.state<FaultCount>('fault-uses', { maxCount: bounds.faultCounters, ttlMs: bounds.faultCounterMs }),
  )
  const a2a: A2a = {
    svc,
    agents,
    sinks,
    signer,
    tenants,
    bounds,
    faultCounter,
    ...openTasks(svc, { bounds, sinks, agents }),
  }
  svc.use('testing.resets').register({
    name: 'a2a',
    reset: async session =>
      (await a2a.tasks.clear(session?.key ?? null)) +
      (await faultCounter.reset(session?.key ?? null)) +
      (session === null ? await sinks.clear() : 0),
  })
  svc.offer('a2a.core', createCore(a2a))
  svc.whenRegistered(() => serveHosts(a2a))
  registerCards(app, a2a)
  registerJsonRpc(app, a2a)
  registerHttpJson(app, a2a)
  registerSinks(app, a2a)
}

function openTasks(
  svc: A2a['svc'],
  { bounds, sinks, agents }: Pick<A2a, 'bounds' | 'sinks' | 'agents'>,
): Pick<A2a, 'tasks' | 'service'> {
  const { log, replicas } = svc
  const stores = openTaskStores(svc, bounds)
  const push = svc.shared('push', () => new PushDelivery(svc.instance.version))
  const local = svc.shared(
    'runs',
    () => new LocalRuns(),
    runs => failOwnRuns(tasks, runs),
  )
  const onEnd = (task: Task, ended: () => void) => tasks.follow(task, { update: () => {}, closed: ended })
  const tasks: TaskStore = new TaskStore(stores, (task, event) => {
    local.update(task)
    if (event && event.kind !== 'message') push.notify(task, event, { sinks, onEnd })
  })
  const slots = new RunSlots(stores.runs, bounds.runningTasks)
  const unstored = new UnstoredRuns({ tasks, slots, log })
  svc.whenClosed(() => unstored.close())
  const service = new TaskService({
    tasks,
    local,
    slots,
    unstored,
    storeWaitMs: bounds.storeWaitMs,
    replicas,
    log,
    logOf: agent => agents.logOf(agent) ?? log,
    maxTaskBytes: bounds.oneTaskBytes,
    dropPushes: (taskId, configId) => push.drop(taskId, configId),
    openChannel: handler => svc.channel('owner', handler),
  })
  const endLost = () =>
    failLostRuns({ tasks, slots, replicas, log }).catch((error: unknown) =>
      log.error('the A2A tasks of lost replicas were not ended', { error }),
    )
  svc.whenRegistered(endLost)
  svc.whenClosed(replicas.onGone(() => void endLost()))
  return { tasks, service }
}
