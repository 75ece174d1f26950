/** Reloads and plugin switches of the control plane, which all replicas perform. */
import { isDeepStrictEqual } from 'node:util'
import type { Channel, ReloadResult, Replica, ReplicaReload } from '../contract/plugin.ts'
import type { SwitchFollowers } from '../control/deps.ts'
import type { Host } from '../host/host.ts'
import type { SharedBackend } from '../state/shared-backend.ts'

/** How long a request waits for the other replicas, in milliseconds. */
const WAIT_MS = 10_000

export interface ReplicaChanges {
  /** Reloads here and at all other replicas. */
  reload(options?: { force?: boolean }): Promise<ReloadResult>
  /** Waits until the other replicas serve with the switches of this one. Undefined without a state store. */
  followers(): Promise<SwitchFollowers | undefined>
}

type Reloaded = Pick<ReplicaReload, 'applied' | 'changed' | 'generation' | 'error'>

export function createReplicaChanges(host: () => Host, shared: SharedBackend | null): ReplicaChanges {
  if (shared === null) return { reload: options => host().reload(options), followers: async () => undefined }
  const { replicas } = shared
  const reloads = shared.openOwn<{ force: boolean }, Reloaded>('reload', async ({ force }) =>
    outcomeOf(await host().reload({ force })),
  )
  const switches = shared.openOwn<{ switches: Record<string, boolean> }, boolean>('switches', async expected =>
    isDeepStrictEqual(await host().followedSwitches(), expected.switches),
  )
  const others = (): Replica[] => replicas.list().filter(({ replica }) => replica !== replicas.self)
  return {
    async reload({ force = false } = {}) {
      const [own, ...reloaded] = await Promise.all([
        host().reload({ force }),
        ...others().map(async other => ({ ...nameOf(other), ...(await askReload(reloads, other.replica, force)) })),
      ])
      const self = replicas.list().find(({ replica }) => replica === replicas.self)!
      return { ...own, replicas: [{ ...nameOf(self), ...outcomeOf(own) }, ...reloaded] }
    },
    async followers() {
      const message = { switches: { ...(await host().followedSwitches()) } }
      const replies = await Promise.all(
        others().map(({ replica }) => switches.ask(replica, message, { timeoutMs: WAIT_MS }).catch(() => false)),
      )
      return { followed: 1 + replies.filter(Boolean).length, of: 1 + replies.length }
    },
  }
}

async function askReload(
  reloads: Channel<{ force: boolean }, Reloaded>,
  replica: string,
  force: boolean,
): Promise<Reloaded> {
  try {
    return await reloads.ask(replica, { force }, { timeoutMs: WAIT_MS })
  } catch (error) {
    return { applied: false, changed: false, generation: null, error: (error as Error).message }
  }
}

function outcomeOf({ applied, changed, generation, load_errors }: ReloadResult): Reloaded {
  const error = applied ? null : (load_errors[0]?.message ?? 'svc.yaml could not be read')
  return { applied, changed, generation, error }
}

function nameOf({ replica, instanceId }: Replica): Pick<ReplicaReload, 'replica' | 'instance_id'> {
  return { replica, instance_id: instanceId }
}
