/** The data of a session, which all replicas share. */
import { type Store, type Svc } from 'svc/plugin'
import { heldBytes } from 'svc/toolkit'
import type { Bounds } from '../bounds.ts'
import type { ClientCapability } from '../protocol/questions.ts'
import type { LogLevel } from '../types.ts'

export type Transport = 'streamable-http' | 'http+sse'

/** The parameters that `initialize` sets. */
export interface SessionParameters {
  server: string
  transport: Transport
  /** Name of the revision. */
  version: string
  capabilities: readonly ClientCapability[]
  /** `sub` of the credentials, null on open servers. */
  principal: string | null
  /** Name of the session of the client's request; null if it named none. */
  owner: string | null
}

export interface SessionRecord extends SessionParameters {
  /** Null until the client sets a level: no log messages. */
  logLevel: LogLevel | null
  /** URIs of the subscribed resources. */
  subscriptions: readonly string[]
  /** Number of streams so far, which is the number of the newest. */
  streamCount: number
  /** The replica that has the stream of the HTTP+SSE transport. */
  replica: string
}

/** Approximate memory of a session without its texts, here and in `Session`. */
const SESSION_BYTES = 2048

export function newRecord(parameters: SessionParameters, replica: string): SessionRecord {
  return { ...parameters, logLevel: null, subscriptions: [], streamCount: 0, replica }
}

export function sizeOfRecord({ principal, owner, subscriptions }: SessionRecord): number {
  return [principal ?? '', owner ?? '', ...subscriptions].reduce((sum, text) => sum + heldBytes(text), SESSION_BYTES)
}

/** Opens the store of the sessions. Its keys are the session ids. */
export function openSessionStore(svc: Pick<Svc, 'state'>, bounds: Bounds): Store<SessionRecord> {
  return svc.state<SessionRecord>('sessions', {
    maxCount: bounds.sessions,
    maxBytes: bounds.sessionBytes,
    sizeOf: sizeOfRecord,
    ttlMs: bounds.sessionIdleMs,
    ttlFrom: 'use',
    evict: 'idle',
    secret: true,
    watched: true,
  })
}
