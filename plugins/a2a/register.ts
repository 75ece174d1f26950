/** Registers the stores, the demo agents, the extension point and the routes. */
import { type FastifyInstance, forPlugin, jsonRpcProtocol } from 'svc/plugin'
import type { A2a } from './a2a.ts'
import { AgentRegistry } from './agent-registry.ts'
import { registerDemoAgents } from './agents/register.ts'
import { boundsOf, SINK_MS } from './bounds.ts'
import { PushDelivery } from './push/delivery.ts'
import { registerCards } from './routes/cards.ts'
import { registerHttpJson } from './routes/http-json.ts'
import { registerJsonRpc } from './routes/json-rpc.ts'
import { registerSinks } from './routes/sinks.ts'
import { type Sink, SinkStore } from './sink.ts'
import { TaskStore } from './task-store.ts'

export function registerPlugin(app: FastifyInstance, svc: A2a['svc']): void {
  const bounds = boundsOf(svc.config)
  // The routes of the HTTP+JSON binding have no JSON-RPC errors.
  svc.use('testing.protocols')!.register({
    ...jsonRpcProtocol,
    failure: (failure, request) =>
      jsonRpcProtocol.read(request) === null ? null : jsonRpcProtocol.failure!(failure, request),
  })
  const agents = new AgentRegistry()
  registerDemoAgents(agents.registrar(svc.name))
  svc.offer('a2a.agents', { ...agents.registrar(svc.name), [forPlugin]: plugin => agents.registrar(plugin) })
  const a2a: A2a = {
    svc,
    agents,
    tasks: svc.shared(
      'tasks',
      () => new TaskStore(bounds),
      tasks => tasks.close(),
    ),
    push: svc.shared('push', () => new PushDelivery(svc.instance.version)),
    sinks: new SinkStore(
      svc.state<Sink>('sinks', {
        maxCount: bounds.sinks,
        maxBytes: bounds.sinkBytes,
        sizeOf: SinkStore.sizeOf,
        ttlMs: SINK_MS,
        ttlFrom: 'use',
      }),
      svc.inspector,
    ),
  }
  registerCards(app, a2a)
  registerJsonRpc(app, a2a)
  registerHttpJson(app, a2a)
  registerSinks(app, a2a)
}
