/** Metrics of connections of TCP and UDP listeners. */
import type { ConnectionEnd, ConnectionEntry } from '../contract/connections.ts'
import type { Metrics } from './metrics.ts'

const KINDS = ['tcp', 'tls', 'udp'] as const
/** Values of the label `listener`: an instance has fewer listeners at a time, and reloads may bring others. */
const MAX_LISTENERS = 200

export interface ConnectionMetrics {
  opened(kind: ConnectionEntry['kind']): void
  ended(kind: ConnectionEntry['kind'], listener: string, end: ConnectionEnd): void
  countDatagram(direction: 'received' | 'sent'): void
}

/** Creates the metrics, and what counts. */
export function createConnectionMetrics(metrics: Metrics): ConnectionMetrics {
  const total = metrics.counter('svc_connections_total', 'Connections of TCP and UDP listeners that ended', [
    'kind',
    'listener',
    'end',
  ])
  const open = metrics.gauge('svc_connections_open', 'Open connections of TCP listeners, and flows of UDP listeners', [
    'kind',
  ])
  const datagrams = metrics.counter('svc_datagrams_total', 'Datagrams of UDP listeners', ['direction'])
  for (const kind of KINDS) open.set({ kind }, 0)
  for (const direction of ['received', 'sent']) datagrams.inc({ direction }, 0)
  const known = new Set<string>()
  return {
    opened: kind => open.inc({ kind }),
    ended(kind, listener, end) {
      open.dec({ kind })
      if (known.size < MAX_LISTENERS) known.add(listener)
      total.inc({ kind, listener: known.has(listener) ? listener : 'other', end })
    },
    countDatagram: direction => datagrams.inc({ direction }),
  }
}
