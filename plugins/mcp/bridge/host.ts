/** What all bridges need of svc: announcing changes, the ends of sessions, the log and the metrics. */
import type { Logger, SvcMetrics } from 'svc/plugin'
import type { Hub } from '../sessions/hub.ts'
import type { BridgeOptions } from './bridge.ts'

export interface BridgeMetrics {
  up: ReturnType<SvcMetrics['gauge']>
  restarts: ReturnType<SvcMetrics['counter']>
  calls: ReturnType<SvcMetrics['counter']>
}

export function bridgeMetrics(metrics: SvcMetrics): BridgeMetrics {
  return {
    up: metrics.gauge('svc_mcp_bridge_up', 'Whether a bridged MCP server runs', ['server']),
    restarts: metrics.counter('svc_mcp_bridge_restarts_total', 'Starts of a bridged MCP server after the first', [
      'server',
    ]),
    calls: metrics.counter('svc_mcp_bridge_calls_total', 'Calls of a bridged MCP server', ['server', 'outcome']),
  }
}

/** Makes the options of a bridge that are the same for all. `services` returns those of the newest generation. */
export type BridgeHost = (
  name: string,
  services: () => { log: Logger; metrics: BridgeMetrics },
) => Pick<
  BridgeOptions,
  'listChanged' | 'resourceUpdated' | 'whenEnded' | 'log' | 'stateChanged' | 'restarted' | 'called'
>

export function bridgeHost(hub: Hub): BridgeHost {
  return (server, services) => ({
    listChanged: (list, session) =>
      session === null
        ? hub.listChanged(server, list)
        : hub.sessions.local(session)?.push(`notifications/${list}/list_changed`),
    resourceUpdated: uri => hub.resourceUpdated(uri),
    whenEnded: (session, ended) => hub.sessions.local(session)?.whenEnded(ended) ?? (() => {}),
    log: error => services().log.warn('a bridged MCP server failed', { server, error }),
    stateChanged(state) {
      services().metrics.up.set({ server }, state === 'up' ? 1 : 0)
      services().log.info('a bridged MCP server has a new state', { server, state })
    },
    restarted: () => services().metrics.restarts.inc({ server }),
    called: outcome => services().metrics.calls.inc({ server, outcome }),
  })
}
