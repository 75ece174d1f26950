/** Connects sessions and listeners, which survive reloads, with those of other replicas, and notifies them of changes. */
import type { Channel, EventLog, Store, SvcReplicas } from 'svc/plugin'
import type { Bounds } from '../bounds.ts'
import type { RpcResponse } from '../protocol/json-rpc.ts'
import type { Server } from '../servers/server.ts'
import type { JsonObject, ListName } from '../types.ts'
import type { HubMessage, HubReply } from './hub-messages.ts'
import type { KeptMessage } from './kept-messages.ts'
import type { SessionRecord } from './session-record.ts'
import type { Session, StreamStatus } from './session.ts'
import { Sessions } from './sessions.ts'

/** A stateless client with an open `subscriptions/listen` stream. */
export interface Listener {
  readonly server: string
  readonly lists: ReadonlySet<ListName>
  readonly uris: ReadonlySet<string>
  send(method: string, params: JsonObject): void
}

export interface HubOptions {
  store: Store<SessionRecord>
  messages: EventLog<KeptMessage>
  replicas: SvcReplicas
  bounds: Bounds
}

const LIST_NAMES: readonly ListName[] = ['tools', 'resources', 'prompts']
/** How long a replica that has the connection of a stream may take to report it. */
const STATUS_MS = 250

export class Hub {
  readonly sessions: Sessions
  readonly #replicas: SvcReplicas
  readonly #listeners = new Set<Listener>()
  /** Digests of the lists, by `<server> <list>`. */
  #fingerprints: ReadonlyMap<string, string> | null = null
  #channel: Channel<HubMessage, HubReply> | null = null

  constructor({ store, messages, replicas, bounds }: HubOptions) {
    this.#replicas = replicas
    const forward = (replica: string, session: string, text: string): void =>
      // A replica that is gone has no stream any more.
      void this.#open.ask(replica, { kind: 'http-sse', session, text }).catch(() => {})
    this.sessions = new Sessions({ store, messages, replicas, bounds, forward })
  }

  /** Sets the channel to the replicas, which includes this one. Each generation of the plugin has its own. */
  connect(channel: Channel<HubMessage, HubReply>): void {
    this.#channel = channel
  }

  /** Handles a message of a replica. */
  receive(message: HubMessage): HubReply {
    if (message.kind === 'resource-updated') this.#notifySubscribers(message.uri)
    else if (message.kind === 'list-changed') this.#notifyList(message.server, message.list)
    else return this.#receiveFor(this.sessions.local(message.session), message)
    return null
  }

  /** Adds a listener; returns a function that removes it. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  resourceUpdated(uri: string): void {
    this.#open.send({ kind: 'resource-updated', uri })
  }

  listChanged(server: string, list: ListName): void {
    this.#open.send({ kind: 'list-changed', server, list })
  }

  /** Cancels a request in flight, at whichever replica. */
  async cancel(session: Session, requestId: unknown): Promise<void> {
    if (typeof requestId === 'string' || typeof requestId === 'number')
      await this.#open.tell({ kind: 'canceled', session: session.id, requestId })
  }

  /** Passes a client's response to the replica that asked. */
  async answer(session: Session, response: RpcResponse): Promise<void> {
    await this.#open.tell({ kind: 'answered', session: session.id, response })
  }

  /** What all replicas together know about a stream. */
  async statusOf(session: Session, stream: number): Promise<StreamStatus> {
    return this.#askStatus({ kind: 'resuming', session: session.id, stream })
  }

  /** Whether all replicas are known to write no more to the stream. */
  async isUnwritten(session: Session, stream: number): Promise<boolean> {
    const message = { kind: 'resuming', session: session.id, stream } as const
    const { replies, missing } = await this.#open.tell(message, { waitMs: STATUS_MS })
    return missing.length === 0 && replies.every(reply => reply === null || reply.position === null)
  }

  /** Ends the former stream for GET, at whichever replica. False if a client still receives it. */
  async releaseStandalone(session: Session): Promise<boolean> {
    return !(await this.#askStatus({ kind: 'opening', session: session.id })).isConnected
  }

  /** Whether the replica that has the stream of an HTTP+SSE session is alive. */
  hasHttpSse({ record }: Session): boolean {
    return this.#replicas.list().some(({ replica }) => replica === record.replica)
  }

  /** Replaces the servers after a reload: announces changed lists and ends the sessions of removed servers. */
  async replaceServers(servers: ReadonlyMap<string, Server>): Promise<void> {
    const before = this.#fingerprints
    this.#fingerprints = new Map(
      [...servers.values()].flatMap(server =>
        LIST_NAMES.map(list => [`${server.name} ${list}`, server.lists.fingerprint(list)] as const),
      ),
    )
    if (before === null) return
    for (const server of servers.keys()) {
      for (const list of LIST_NAMES) {
        const known = before.get(`${server} ${list}`)
        // Other replicas announce their own changes when they reload.
        if (known !== undefined && known !== this.#fingerprints.get(`${server} ${list}`)) this.#notifyList(server, list)
      }
    }
    const isRemoved = [...before.keys()].some(key => !servers.has(key.slice(0, key.indexOf(' '))))
    if (isRemoved) await this.sessions.endWhere(record => !servers.has(record.server))
  }

  close(): void {
    this.sessions.close()
  }

  get #open(): Channel<HubMessage, HubReply> {
    if (!this.#channel) throw new Error('the hub has no channel yet')
    return this.#channel
  }

  #receiveFor(session: Session | undefined, message: Extract<HubMessage, { session: string }>): HubReply {
    if (!session) return null
    if (message.kind === 'canceled') session.cancel(message.requestId)
    else if (message.kind === 'answered') session.answer(message.response)
    else if (message.kind === 'resuming') return session.statusOf(message.stream)
    else if (message.kind === 'opening') return { isConnected: !session.releaseStandalone(), position: null }
    else if (message.kind === 'http-sse') session.writeHttpSse(message.text)
    return null
  }

  async #askStatus(message: HubMessage): Promise<StreamStatus> {
    const { replies } = await this.#open.tell(message, { waitMs: STATUS_MS })
    const statuses = replies.filter(reply => reply !== null)
    return {
      isConnected: statuses.some(({ isConnected }) => isConnected),
      position: statuses.find(({ position }) => position !== null)?.position ?? null,
    }
  }

  #notifySubscribers(uri: string): void {
    for (const session of this.sessions)
      if (session.subscribesTo(uri)) session.push('notifications/resources/updated', { uri })
    for (const listener of this.#listeners)
      if (listener.uris.has(uri)) listener.send('notifications/resources/updated', { uri })
  }

  #notifyList(server: string, list: ListName): void {
    const method = `notifications/${list}/list_changed`
    for (const session of this.sessions) if (session.record.server === server) session.push(method)
    for (const listener of this.#listeners)
      if (listener.server === server && listener.lists.has(list)) listener.send(method, {})
  }
}
