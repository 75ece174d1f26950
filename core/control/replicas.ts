/** `GET /_svc/replicas`: the processes that are one service. */
import type { FastifyInstance } from 'fastify'
import { describe } from '../contract/plugin.ts'
import type { ControlDeps, ReplicaView, StateStoreView } from './deps.ts'
import { SVC_REPLICAS } from './reply-schemas/instance.ts'

export function registerReplicas(app: FastifyInstance, { config, replicas }: ControlDeps): void {
  app.get(
    '/_svc/replicas',
    describe({
      summary: 'The replicas of the deployment, and the state store that they share',
      reply: SVC_REPLICAS,
      description:
        'Oldest first. `store` is null without `SVC_STATE_STORE`. While the store is unavailable, a replica knows only itself.',
      category: 'Control Plane',
      examples: [{ name: 'Replicas', path: '/_svc/replicas', expectStatus: 200 }],
    }),
    () => {
      const list = replicas.list()
      return {
        count: list.length,
        self: replicas.self,
        leader: replicas.leader(),
        store: shownStore(replicas.store(), config.publicMode),
        replicas: config.publicMode ? list.map(hideAddresses) : list,
      }
    },
  )
}

function hideAddresses(replica: ReplicaView): ReplicaView {
  return { ...replica, hostname: null, ports: null }
}

/** The host of the store is not shown in public mode. */
export function shownStore(store: StateStoreView | null, isPublic: boolean): object | null {
  return store === null || !isPublic ? store : { ...store, host: null }
}
