/** Owns one task: its data, its changes and its subscribers. */
import { randomUUID } from 'node:crypto'
import { heldValueBytes } from 'svc/plugin'
import { MAX_HISTORY } from './bounds.ts'
import type { PushConfig } from './push/push-config.ts'
import { isTerminalOrInterrupted, isTerminal } from './states.ts'
import type { Artifact, Message, TaskState, TaskStatus } from './types.ts'

/** A change, as reported to streams and push targets; `isFinal`: the state is terminal or interrupted. */
export type Update =
  | { kind: 'status'; status: TaskStatus; isFinal: boolean }
  | { kind: 'artifact'; artifact: Artifact; append: boolean; lastChunk: boolean }

export interface Subscriber {
  update(update: Update): void
  /** The task was evicted: no updates follow. */
  closed(): void
}

/** Approximate memory of an empty task: the object, its status and its entries in the store. */
const TASK_BYTES = 3072
/** Approximate memory of a push config: its queue and its headers. */
const CONFIG_BYTES = 2048

export interface TaskObserver {
  changed(task: Task, addedBytes: number): void
}

/** A push config of a task; `detach` ends its deliveries. */
export interface AttachedConfig {
  readonly config: PushConfig
  readonly detach: () => void
}

export class Task {
  readonly id: string
  readonly contextId: string
  readonly agent: string
  readonly session: string
  readonly artifacts: Artifact[] = []
  readonly history: Message[] = []
  readonly configs = new Map<string, AttachedConfig>()
  status: TaskStatus
  /** Approximate memory. Parts that an agent returns are counted again, because it may have changed them. */
  bytes = TASK_BYTES
  /** Position in the order of status changes of all tasks; higher is more recent. */
  rank = 0
  /** Milliseconds on the store's clock. */
  lastUsedAt = 0
  /** Set while an agent is running. */
  run: AbortController | null = null
  isEvicted = false
  readonly #observer: TaskObserver
  readonly #subscribers = new Set<Subscriber>()
  /** Index in the history for the status message when the next status replaces it. */
  #statusPlace = 0

  constructor(identity: { id?: string; contextId: string; agent: string; session: string }, observer: TaskObserver) {
    this.id = identity.id ?? randomUUID()
    this.contextId = identity.contextId
    this.agent = identity.agent
    this.session = identity.session
    this.#observer = observer
    this.status = { state: 'SUBMITTED', timestamp: new Date().toISOString() }
  }

  get isTerminal(): boolean {
    return isTerminal(this.status.state)
  }

  /** Adds a user message to the history; `bytes` is its memory. */
  addMessage(message: Message, bytes = heldValueBytes(message)): void {
    this.history.push(message)
    this.#grow(bytes - this.#trimHistory())
  }

  /** Counts memory that is held for this task elsewhere; returns a function that releases it. */
  reserve(bytes: number): () => void {
    this.#grow(bytes)
    return () => this.#grow(-bytes)
  }

  /** Sets the state with a text of the agent, and notifies the subscribers. */
  setStatus(state: TaskState, text: string): void {
    const before = this.status.message
    if (before) this.history.splice(this.#statusPlace, 0, before)
    const dropped = this.#trimHistory()
    const message: Message = {
      messageId: randomUUID(),
      contextId: this.contextId,
      taskId: this.id,
      role: 'agent',
      parts: [{ text }],
    }
    this.status = { state, message, timestamp: new Date().toISOString() }
    this.#statusPlace = this.history.length
    this.#grow(heldValueBytes(message) - dropped)
    this.#notify({ kind: 'status', status: this.status, isFinal: isTerminalOrInterrupted(state) })
  }

  /** Adds or replaces an artifact, or appends its parts to the one with this id, and notifies the subscribers. */
  addArtifact(artifact: Artifact, append: boolean, lastChunk: boolean): void {
    const place = this.artifacts.findIndex(known => known.artifactId === artifact.artifactId)
    const known = this.artifacts[place]
    if (!known) this.artifacts.push(artifact)
    else this.artifacts[place] = append ? { ...known, parts: [...known.parts, ...artifact.parts] } : artifact
    this.#grow(heldValueBytes(artifact) - (known && !append ? heldValueBytes(known) : 0))
    this.#notify({ kind: 'artifact', artifact, append: append && known !== undefined, lastChunk })
  }

  attach(attached: AttachedConfig): void {
    this.detach(attached.config.id)
    this.configs.set(attached.config.id, attached)
    this.#grow(configBytes(attached.config))
  }

  /** Removes a push config and drops its undelivered notifications. */
  detach(configId: string): void {
    const attached = this.configs.get(configId)
    if (!attached) return
    this.configs.delete(configId)
    attached.detach()
    this.#grow(-configBytes(attached.config))
  }

  /** Reports every later change; returns a function that unsubscribes. */
  subscribe(subscriber: Subscriber): () => void {
    if (this.isEvicted) subscriber.closed()
    else this.#subscribers.add(subscriber)
    return () => this.#subscribers.delete(subscriber)
  }

  get subscriberCount(): number {
    return this.#subscribers.size
  }

  /** Stops the agent, ends deliveries and closes subscriptions. */
  close(): void {
    this.isEvicted = true
    this.run?.abort()
    this.run = null
    for (const { detach } of this.configs.values()) detach()
    this.configs.clear()
    for (const subscriber of this.#subscribers) subscriber.closed()
    this.#subscribers.clear()
  }

  /** Drops the oldest messages over the limit; returns their memory in bytes. */
  #trimHistory(): number {
    const excess = this.history.length - MAX_HISTORY
    if (excess <= 0) return 0
    this.#statusPlace = Math.max(0, this.#statusPlace - excess)
    return this.history.splice(0, excess).reduce((sum, message) => sum + heldValueBytes(message), 0)
  }

  #grow(bytes: number): void {
    this.bytes += bytes
    this.#observer.changed(this, bytes)
  }

  #notify(update: Update): void {
    for (const subscriber of this.#subscribers) subscriber.update(update)
  }
}

/** Counts the texts twice, because the headers hold them again. */
function configBytes(config: PushConfig): number {
  return CONFIG_BYTES + 2 * heldValueBytes(config)
}
