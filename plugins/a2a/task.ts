/** Owns one task: its record, what changes it, and who is told of changes. */
import { randomUUID } from 'node:crypto'
import { heldValueBytes } from 'svc/plugin'
import { MAX_HISTORY } from './bounds.ts'
import type { PushConfig } from './push/push-config.ts'
import { isTerminalOrInterrupted, isTerminal } from './states.ts'
import type { Artifact, Message, TaskState, TaskStatus } from './types.ts'

/** A change as it is told to streams and push targets, in the order in which it happened. */
export type Update =
  | { kind: 'status'; status: TaskStatus; isFinal: boolean }
  | { kind: 'artifact'; artifact: Artifact; append: boolean; lastChunk: boolean }

export interface Subscriber {
  update(update: Update): void
  /** The task was evicted: nothing comes any more. */
  closed(): void
}

/** What a task takes with nothing in it, about: itself, its status, and its places in the store's lists. */
const TASK_BYTES = 3072
/** The same of a push config: its queue, its headers, and the ways to them. */
const CONFIG_BYTES = 2048

/** What the store needs to know of a change. */
export interface TaskObserver {
  changed(task: Task, addedBytes: number): void
}

/** A push config at a task, with what ends its deliveries. */
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
  /** Memory that it holds, about. What an agent gives back counts twice: it may change the one and not the other. */
  bytes = TASK_BYTES
  /** Place in the order of status changes of all tasks. */
  rank = 0
  /** On the store's clock. */
  lastUsedAt = 0
  /** Set while an agent has steps to do. */
  run: AbortController | null = null
  isEvicted = false
  readonly #observer: TaskObserver
  readonly #subscribers = new Set<Subscriber>()
  /** Where the status message goes in the history once the next status replaces it. */
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

  /** Takes a user message of so many bytes into the history. */
  addMessage(message: Message, bytes = heldValueBytes(message)): void {
    this.history.push(message)
    this.#grow(bytes - this.#trimHistory())
  }

  /** Counts what somebody else holds for this task; answers how to end that. */
  reserve(bytes: number): () => void {
    this.#grow(bytes)
    return () => this.#grow(-bytes)
  }

  /** Enters a state, with a text of the agent; tells the subscribers. */
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

  /** Adds an artifact, or parts to the one of this id; tells the subscribers. */
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

  /** Removes a push config and what it had yet to deliver. */
  detach(configId: string): void {
    const attached = this.configs.get(configId)
    if (!attached) return
    this.configs.delete(configId)
    attached.detach()
    this.#grow(-configBytes(attached.config))
  }

  /** Tells of every later change; answers how to stop that. */
  subscribe(subscriber: Subscriber): () => void {
    if (this.isEvicted) subscriber.closed()
    else this.#subscribers.add(subscriber)
    return () => this.#subscribers.delete(subscriber)
  }

  get subscriberCount(): number {
    return this.#subscribers.size
  }

  /** Stops the work and lets everybody go. */
  close(): void {
    this.isEvicted = true
    this.run?.abort()
    this.run = null
    for (const { detach } of this.configs.values()) detach()
    this.configs.clear()
    for (const subscriber of this.#subscribers) subscriber.closed()
    this.#subscribers.clear()
  }

  /** Answers the bytes of what had to go. */
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

/** Its texts are held once more as headers. */
function configBytes(config: PushConfig): number {
  return CONFIG_BYTES + 2 * heldValueBytes(config)
}
