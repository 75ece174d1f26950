/** Owns the sessions and listeners, which survive reloads, and notifies them of changes. */
import { randomBytes } from 'node:crypto'
import { type Bounds, MAX_REPLAY_BYTES } from '../bounds.ts'
import type { Server } from '../registry/server.ts'
import { ReplayStore } from './replay.ts'
import { SessionStore } from './session-store.ts'
import type { JsonObject, ListName } from '../types.ts'

/** A stateless client with an open `subscriptions/listen` stream. */
export interface Listener {
  readonly server: string
  readonly lists: ReadonlySet<ListName>
  readonly uris: ReadonlySet<string>
  send(method: string, params: JsonObject): void
}

const LIST_NAMES: readonly ListName[] = ['tools', 'resources', 'prompts']
const SWEEP_MS = 30_000

export class Hub {
  readonly sessions: SessionStore
  /** Key for signing the `requestState` of stateless clients; only this process knows it. */
  readonly stateKey = randomBytes(32)
  readonly #listeners = new Set<Listener>()
  /** Digests of the lists, by `<server> <list>`. */
  #fingerprints: ReadonlyMap<string, string> | null = null
  readonly #sweeper: NodeJS.Timeout

  constructor(bounds: Bounds) {
    const replay = new ReplayStore({
      messages: bounds.replayMessages,
      bytes: bounds.replayBytes,
      totalBytes: MAX_REPLAY_BYTES,
    })
    this.sessions = new SessionStore(
      {
        maxCount: bounds.sessions,
        maxBytes: bounds.sessionBytes,
        idleMs: bounds.sessionIdleMs,
        questionMs: bounds.questionMs,
      },
      replay,
      () => performance.now(),
    )
    this.#sweeper = setInterval(() => this.sessions.sweep(), SWEEP_MS).unref()
  }

  /** Adds a listener; returns a function that removes it. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  resourceUpdated(uri: string): void {
    for (const session of this.sessions)
      if (session.subscribesTo(uri)) session.push('notifications/resources/updated', { uri })
    for (const listener of this.#listeners)
      if (listener.uris.has(uri)) listener.send('notifications/resources/updated', { uri })
  }

  listChanged(server: string, list: ListName): void {
    const method = `notifications/${list}/list_changed`
    for (const session of this.sessions) if (session.server === server) session.push(method)
    for (const listener of this.#listeners)
      if (listener.server === server && listener.lists.has(list)) listener.send(method, {})
  }

  /** Replaces the servers after a reload: announces changed lists and ends the sessions of removed servers. */
  replaceServers(servers: ReadonlyMap<string, Server>): void {
    const before = this.#fingerprints
    this.#fingerprints = new Map(
      [...servers.values()].flatMap(server =>
        LIST_NAMES.map(list => [`${server.name} ${list}`, server.lists.fingerprint(list)] as const),
      ),
    )
    if (before === null) return
    this.sessions.endWhere(session => !servers.has(session.server))
    for (const server of servers.keys()) {
      for (const list of LIST_NAMES) {
        const known = before.get(`${server} ${list}`)
        if (known !== undefined && known !== this.#fingerprints.get(`${server} ${list}`)) this.listChanged(server, list)
      }
    }
  }

  close(): void {
    clearInterval(this.#sweeper)
    this.sessions.endWhere(() => true)
  }
}
