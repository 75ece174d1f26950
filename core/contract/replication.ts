/** Communication between the replicas of a deployment: `svc.replicated`, `svc.channel`, `svc.replicas`. */

export interface ReplicatedOptions<T> {
  /** Creates the value if no replica has stored one. At most 256 KiB of JSON. */
  initial: () => T | Promise<T>
  /** The value is a credential: a shared store encrypts it. */
  secret?: boolean
  /** See `StoreBounds.schema`. */
  schema?: number
}

/** A small value that every replica keeps in memory. */
export interface Replicated<T> {
  /** The value. Throws before the `svc.whenRegistered` callbacks run. */
  readonly current: T
  /** Replaces the value with the result of `change`, which must be pure. Resolves when every replica has it. */
  update(change: (value: T) => T): Promise<T>
  /** Calls `listener` after every change. Returns a function that removes it. */
  subscribe(listener: (value: T) => void): () => void
}

/** Messages between replicas. A message can be lost: store the fact first, then announce it. */
export interface Channel<M, R> {
  /** Name of this replica. */
  readonly replica: string
  /** Sends to every living replica, including this one, and waits up to `waitMs` (default 2000) for replies. Never rejects. */
  tell(message: M, options?: { waitMs?: number }): Promise<{ reached: string[]; missing: string[]; replies: R[] }>
  /** Like `tell`, without waiting. */
  send(message: M): void
  /** Sends to one replica and returns its reply. Rejects with a `ReplicaError`. Default of `timeoutMs`: 2000. */
  ask(replica: string, message: M, options?: { timeoutMs?: number; signal?: AbortSignal }): Promise<R>
}

export interface ChannelHandler<M, R> {
  /** Handles a message. Messages are handled one after the other; `from` is the name of the sender. */
  on(message: M, from: string): R | Promise<R>
}

/** The error of `ask`: the replica does not exist, did not reply in time, or its handler failed. */
export class ReplicaError extends Error {
  override readonly name = 'ReplicaError'
  readonly code: 'REPLICA_GONE' | 'REPLICA_TIMEOUT' | 'REPLICA_FAILED'

  constructor(code: ReplicaError['code'], message: string) {
    super(message)
    this.code = code
  }
}

export interface Replica {
  /** 12 hex digits, new with every start. */
  replica: string
  instanceId: string
  startedAt: string
}

export interface SvcReplicas {
  /** Name of this replica. */
  readonly self: string
  /** The living replicas, oldest first. Always includes this one. */
  list(): Replica[]
  /** Whether this replica should do what must happen once per deployment. */
  isLeader(): boolean
  /** Calls `listener` with the name of a replica that has ended. Returns a function that removes it. */
  onGone(listener: (replica: string) => void): () => void
}
