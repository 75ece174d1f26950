/** The replicas as the control plane shows them. */
import type { Config } from '../config/variables.ts'
import type { ControlReplicas, ReplicaView } from '../control/deps.ts'
import type { ReplicaFacts, ReplicaRecord, SharedBackend } from '../state/shared-backend.ts'
import type { StateRegistry } from '../state/state-registry.ts'
import { hostOf } from './state-store.ts'

export function createReplicaViews(
  config: Config,
  states: StateRegistry,
  shared: SharedBackend | null,
  ownFacts: () => ReplicaFacts,
): ControlReplicas {
  const { self } = states.replicas
  const records = (): ReplicaRecord[] =>
    shared?.replicas.records() ?? [
      { ...states.replicas.list()[0]!, ...ownFacts(), startedMs: 0, clockOffsetMs: 0, seenMsAgo: 0 },
    ]
  return {
    self,
    leader: () => records()[0]!.replica,
    list: () => records().map(record => viewOf(record.replica === self ? { ...record, ...ownFacts() } : record, self)),
    store() {
      if (shared === null) return null
      const { isUp, since, latencyMs, facts } = shared.connection
      const { url, prefix, isCluster } = config.stateStore
      return {
        up: isUp,
        since: since.toISOString(),
        host: hostOf(url!),
        prefix,
        cluster: isCluster,
        latency_ms: latencyMs,
        version: facts === null || facts.version === '' ? null : facts.version.replace(/^\w+ /, ''),
      }
    },
  }
}

function viewOf(record: ReplicaRecord, self: string): ReplicaView {
  return {
    replica: record.replica,
    instance_id: record.instanceId,
    hostname: record.hostname ?? null,
    version: record.version ?? '',
    git_sha: record.gitSha ?? null,
    started_at: record.startedAt,
    seen_ms_ago: record.seenMsAgo,
    clock_offset_ms: record.clockOffsetMs,
    healthy: record.healthy ?? true,
    generation: record.generation ?? 0,
    streams_open: record.streamsOpen ?? 0,
    requests_total: record.requestsTotal ?? 0,
    ports: record.ports ?? null,
    self: record.replica === self,
  }
}
