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

/** How a call of a bridged server ended, for the metrics. */
export type CallOutcome = 'ok' | 'error' | 'timeout' | 'canceled' | 'not_running'
