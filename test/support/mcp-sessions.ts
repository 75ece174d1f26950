/** Sessions of the plugin mcp without HTTP: hubs of one or several replicas over the same store. */
import { StateRegistry } from '../../core/state/state-registry.ts'
import { boundsOf, type Bounds } from '../../plugins/mcp/bounds.ts'
import type { HubMessage, HubReply } from '../../plugins/mcp/sessions/hub-messages.ts'
import { Hub } from '../../plugins/mcp/sessions/hub.ts'
import { openMessageLog } from '../../plugins/mcp/sessions/kept-messages.ts'
import { openSessionStore, type SessionParameters } from '../../plugins/mcp/sessions/session-record.ts'
import { ReplicaError, type Channel, type SseEvent, type SseStream, type Svc } from '../../core/contract/plugin.ts'

export const parameters: SessionParameters = {
  server: 'default',
  transport: 'streamable-http',
  version: '2024-11-05',
  capabilities: [],
  principal: null,
  owner: null,
}

interface Options extends Partial<Bounds> {
  /** Names of the replicas. */
  replicas?: string[]
  /** Bytes of the kept messages of all sessions. */
  totalBytes?: number
}

/** Small bounds unless given. `clock.now` is the time of the store. */
export function openHubs({ replicas: names = ['one'], totalBytes, ...given }: Options = {}) {
  const bounds: Bounds = {
    ...boundsOf({ publicMode: false }),
    sessions: 3,
    sessionIdleMs: 1000,
    questionMs: 1000,
    replayMessages: 4,
    replayBytes: 3000,
    ...given,
  }
  const clock = { now: 0 }
  const registry = new StateRegistry({ now: () => clock.now, isStrict: true })
  const svc = registry.hold(1, 'mcp', 'test') as unknown as Svc
  const store = openSessionStore(svc, bounds)
  const messages = openMessageLog(svc, bounds, store, totalBytes)
  const list = () => names.map(replica => ({ replica, instanceId: replica, startedAt: '' }))
  const hubs = new Map<string, Hub>()
  for (const self of names) {
    const replicas = { self, list, isLeader: () => self === names[0], onGone: () => () => {} }
    const hub = new Hub({ store, messages, replicas, bounds })
    hub.connect(channelBetween(self, hubs))
    hubs.set(self, hub)
  }
  const close = async (): Promise<void> => {
    for (const hub of hubs.values()) hub.close()
    registry.close()
  }
  return { clock, store, messages, hubs: [...hubs.values()] as [Hub, ...Hub[]], close }
}

/** Messages arrive as JSON, a moment later. */
function channelBetween(self: string, hubs: ReadonlyMap<string, Hub>): Channel<HubMessage, HubReply> {
  const deliver = async (to: string, message: HubMessage): Promise<HubReply> => {
    const text = JSON.stringify(message)
    await Promise.resolve()
    const hub = hubs.get(to)
    if (!hub) throw new ReplicaError('REPLICA_GONE', `the replica ${to} is gone`)
    return hub.receive(JSON.parse(text) as HubMessage)
  }
  const tell = async (message: HubMessage) => ({
    reached: [...hubs.keys()],
    missing: [],
    replies: await Promise.all([...hubs.keys()].map(to => deliver(to, message))),
  })
  return { replica: self, tell, send: message => void tell(message), ask: deliver }
}

/** A connection that records its events; `leave` disconnects like a client. */
export function fakeConnection() {
  const events: SseEvent[] = []
  let end = () => {}
  const over = new Promise<'done'>(resolve => {
    end = () => resolve('done')
  })
  const connection: { -readonly [Member in keyof SseStream]: SseStream[Member] } = {
    closed: false,
    pendingBytes: 0,
    signal: new AbortController().signal,
    over,
    send: (event: SseEvent) => events.push(event) > 0,
    comment: () => true,
    write: () => true,
    ready: async () => {},
    end() {
      connection.closed = true
      end()
    },
  }
  return { connection, events, texts: () => events.map(event => event.data), leave: () => connection.end() }
}

/** Lets everything happen that waits for nothing else. */
export function flush(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}
