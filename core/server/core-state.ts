/** The state of the core itself. Like the state of plugins, it is shared by all replicas. */
import type { ConnectionEntry } from '../contract/connections.ts'
import type { EventLog, Replicated } from '../contract/plugin.ts'
import { connectionBounds } from '../inspector/connections.ts'
import { captureBounds, endBounds, type CaptureLogs } from '../inspector/capture-log.ts'
import type { StateHolder, StateRegistry } from '../state/state-registry.ts'

/** No plugin can have this name. */
const OWNER = '_core'

export interface CoreState {
  /** Whether `GET /health` responds with 200. */
  readonly health: Replicated<boolean>
  /** Plugins that the control plane has enabled (true) or disabled, by name. */
  readonly switches: Replicated<Record<string, boolean>>
  /** The captured requests of all replicas; null if this process is the only one. */
  readonly captures: CaptureLogs | null
  /** The connections of TCP and UDP listeners of all replicas; null if this process is the only one. */
  readonly connections: EventLog<ConnectionEntry> | null
  /** For services that keep registers of their own. */
  readonly holder: StateHolder
}

/** Resolves when all values can be read. They are kept until the process ends. */
export async function openCoreState(states: StateRegistry, inspectorCapacity: number): Promise<CoreState> {
  const holder = states.hold(0, OWNER, '')
  const state: CoreState = {
    health: holder.replicated('health', { initial: () => true }),
    switches: holder.replicated('plugin-switches', { initial: (): Record<string, boolean> => ({}) }),
    captures: states.isShared
      ? {
          captures: holder.eventLog('captures', captureBounds(inspectorCapacity)),
          ends: holder.eventLog('capture-ends', endBounds(inspectorCapacity)),
        }
      : null,
    connections: states.isShared ? holder.eventLog('connections', connectionBounds(inspectorCapacity)) : null,
    holder,
  }
  await holder.ready()
  return state
}
