/** What a server of svc needs of the bridge to the server that works for it. */
import type { ListPages } from '../registry/lists.ts'
import type { Tool } from '../registry/registry.ts'
import type { JsonObject } from '../types.ts'
import type { Call, MethodResult } from './call.ts'
import type { ServerSource } from './server.ts'

/** The state of a bridged server, as the control plane shows it. */
export type BridgeState = 'starting' | 'up' | 'restarting' | 'down'

export interface BridgeStatus {
  state: BridgeState
  pid?: number
  started_at: string | null
  restarts: number
  last_exit: { code: number | null; signal: string | null; at: string } | null
  last_error: string | null
  /** Connections of sessions. */
  sessions: number
  calls: number
  in_flight: number
}

export interface ServerBridge {
  readonly kind: ServerSource
  readonly lists: ListPages
  readonly tools: ReadonlyMap<string, Tool>
  /** The lists as the session sees them, whose own connection may have changed them. */
  listsOf(session: string | null): ListPages
  /** What the bridged server reports about itself; changes when it starts again. */
  readonly info: JsonObject
  readonly capabilities: JsonObject
  readonly instructions: string | undefined
  readonly status: BridgeStatus
  /** Whether the bridged server declares an extension. */
  readonly hasExtensions: boolean
  /** Whether the bridged server has a capability. */
  has(capability: string): boolean
  /** Whether calls of this method go to the server. Others than the usual ones only if it declares an extension. */
  forwards(method: string): boolean
  /** Rejects with the error of the bridged server, or if it does not run. */
  forward(call: Call): Promise<MethodResult>
  /** Subscribes to changes of a resource, if the server supports it. */
  subscribe(uri: string): Promise<void>
  /** Resolves when the server has started, or could not be started at first. */
  firstAttempt(): Promise<void>
  restart(): Promise<void>
}
