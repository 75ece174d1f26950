/** What replicas of one deployment have in common: `svc.replicated`, `svc.channel`, `svc.replicas`, `svc.secret`. */

export interface ReplicatedOptions<T> {
  /** Makes the value where no replica has stored one; at most 256 KiB of JSON. */
  initial: () => T | Promise<T>
  /** The value is a credential: where it is stored, it is encrypted. */
  secret?: boolean
  /** See `StoreBounds.schema`. */
  schema?: number
}

/** A small value that every replica holds in memory. */
export interface Replicated<T> {
  /** Readable without waiting, from `svc.whenRegistered` on; before, it throws. */
  readonly current: T
  /** Replaces the value by what `change` returns, and resolves when every replica has it. `change` must be pure. */
  update(change: (value: T) => T): Promise<T>
  /** Calls back after every change, own ones too; returns how to stop that. */
  subscribe(listener: (value: T) => void): () => void
}

/** Messages between replicas. Nothing may depend on a message alone: write the fact first, then announce it. */
export interface Channel<M, R> {
  /** Name of this replica. */
  readonly replica: string
  /** Sends to every living replica, this one too, and waits up to `waitMs` (default 2000) for their replies. Never rejects. */
  tell(message: M, options?: { waitMs?: number }): Promise<{ reached: string[]; missing: string[]; replies: R[] }>
  /** The same without waiting. */
  send(message: M): void
  /** Asks one replica. Rejects with a `ReplicaError`. Default of `timeoutMs`: 2000. */
  ask(replica: string, message: M, options?: { timeoutMs?: number; signal?: AbortSignal }): Promise<R>
}

export interface ChannelHandler<M, R> {
  /** Handles a message of a replica (`from`), own ones too, one after the other. */
  on(message: M, from: string): R | Promise<R>
}

/** Why `ask` failed: no such replica, no reply in time, or the handler's error. */
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
  /** The living replicas, the oldest first; at least this one. */
  list(): Replica[]
  /** Whether this replica does what must happen once in the deployment. */
  isLeader(): boolean
  /** Calls back with the name of a replica that has ended; returns how to stop that. */
  onGone(listener: (replica: string) => void): () => void
}
