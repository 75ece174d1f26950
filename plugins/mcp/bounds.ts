/** Owns the limits of the plugin, in normal and in public mode. */

export interface Bounds {
  bodyBytes: number
  sessions: number
  /** Memory of all sessions, including their subscriptions. */
  sessionBytes: number
  /** Bodies of the requests in flight of all sessions. */
  inFlightBytes: number
  sessionIdleMs: number
  /** Lifetime of GET, listen and HTTP+SSE streams. */
  longStreamMs: number
  /** How long to wait for a client's response to a question. */
  questionMs: number
  /** Messages and bytes kept per session for clients that reconnect. */
  replayMessages: number
  replayBytes: number
  slowTaskMs: number
  /** Time for a call of a bridged server, and its connections for sessions. */
  bridgeTimeoutMs: number
  bridgeConnections: number
  /** Bridged servers from svc.yaml, calls in flight of one, and processes of all. */
  bridges: number
  bridgeCalls: number
  processes: number
  /** Skills of a server, and bytes of one of their files. */
  skills: number
  skillFileBytes: number
  /** Tasks: all, of one principal, and running in this process. */
  tasks: number
  tasksPerPrincipal: number
  tasksRunning: number
  /** Memory of all tasks, and characters of one result as JSON. */
  taskBytes: number
  taskResultBytes: number
  /** How long a task exists, which also limits its work. */
  taskLifeMs: number
  /** Questions of a task that may be open at the same time. */
  taskQuestions: number
  largeOutputKb: number
}

const NORMAL: Bounds = {
  bodyBytes: 4 * 1024 * 1024,
  sessions: 1000,
  sessionBytes: 16 * 1024 * 1024,
  inFlightBytes: 48 * 1024 * 1024,
  sessionIdleMs: 30 * 60_000,
  longStreamMs: 60 * 60_000,
  questionMs: 120_000,
  replayMessages: 256,
  replayBytes: 1024 * 1024,
  slowTaskMs: 60_000,
  bridgeTimeoutMs: 60_000,
  bridgeConnections: 200,
  bridges: 50,
  bridgeCalls: 64,
  processes: 20,
  skills: 200,
  skillFileBytes: 1024 * 1024,
  tasks: 1000,
  tasksPerPrincipal: 100,
  tasksRunning: 200,
  taskBytes: 64 * 1024 * 1024,
  taskResultBytes: 1024 * 1024,
  taskLifeMs: 5 * 60_000,
  taskQuestions: 32,
  largeOutputKb: 1024,
}

const PUBLIC: Bounds = {
  bodyBytes: 256 * 1024,
  sessions: 200,
  sessionBytes: 4 * 1024 * 1024,
  inFlightBytes: 4 * 1024 * 1024,
  sessionIdleMs: 10 * 60_000,
  longStreamMs: 5 * 60_000,
  questionMs: 30_000,
  replayMessages: 64,
  replayBytes: 128 * 1024,
  slowTaskMs: 15_000,
  bridgeTimeoutMs: 30_000,
  bridgeConnections: 50,
  bridges: 10,
  bridgeCalls: 16,
  processes: 0,
  skills: 50,
  skillFileBytes: 256 * 1024,
  tasks: 200,
  tasksPerPrincipal: 20,
  tasksRunning: 50,
  taskBytes: 8 * 1024 * 1024,
  taskResultBytes: 256 * 1024,
  taskLifeMs: 60_000,
  taskQuestions: 8,
  largeOutputKb: 256,
}

export function boundsOf(config: { publicMode: boolean }): Bounds {
  return config.publicMode ? PUBLIC : NORMAL
}

/** The same in both modes. */
export const MAX_REPLAY_BYTES = 64 * 1024 * 1024
export const MAX_REQUESTS_IN_FLIGHT = 64
/** Processes of one server for sessions. */
export const MAX_SESSION_PROCESSES = 8
export const MAX_QUESTIONS = 32
export const MAX_SUBSCRIPTIONS = 32
export const MAX_BATCH = 50
export const DEFAULT_PAGE_SIZE = 100
export const MAX_PAGE_SIZE = 1000
/** Unsent bytes of a stream above which a slow reader gets no more messages. */
export const MAX_PENDING_BYTES = 1024 * 1024
/** After this time without a result, a response becomes an event stream, whose keep-alives prevent proxy timeouts. */
export const STREAM_AFTER_MS = 10_000
export const KEEP_ALIVE_MS = 15_000
