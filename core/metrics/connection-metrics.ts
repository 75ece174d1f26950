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
  countProxyHeader(listener: string, result: 'v1' | 'v2' | 'none' | 'invalid' | 'untrusted'): void
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
  const headers = metrics.counter(
    'svc_proxy_protocol_total',
    'Connections and datagrams by their PROXY protocol header',
    ['listener', 'result'],
  )
  const known = new Set<string>()
  const labelOf = (listener: string): string => {
    if (known.size < MAX_LISTENERS) known.add(listener)
    return known.has(listener) ? listener : 'other'
  }
  return {
    opened: kind => open.inc({ kind }),
    ended(kind, listener, end) {
      open.dec({ kind })
      total.inc({ kind, listener: labelOf(listener), end })
    },
    countDatagram: direction => datagrams.inc({ direction }),
    countProxyHeader: (listener, result) => headers.inc({ listener: labelOf(listener), result }),
  }
}
