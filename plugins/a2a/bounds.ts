/** Owns the limits of the plugin, in normal and in public mode. */
import type { Config } from 'svc/plugin'

export interface Bounds {
  tasks: number
  tasksPerSession: number
  /** Milliseconds without an update or a request until a task is removed. */
  taskIdleMs: number
  /** How long an agent waits for a state store that is unavailable, in milliseconds. */
  storeWaitMs: number
  /** Tasks with a running agent. */
  runningTasks: number
  /** Memory of all tasks and of their logged updates. */
  taskBytes: number
  /** Memory of one task. Above it, messages are rejected and the running agent fails. */
  oneTaskBytes: number
  sinks: number
  /** Memory of all sinks. */
  sinkBytes: number
  /** Signatures of cards that are kept. */
  cardSignatures: number
  /** Text of the artifact of the fault `huge`. */
  hugeArtifactBytes: number
  /** Counts of requests with the header `X-Svc-A2A-Fail`. */
  faultCounters: number
  faultCounterMs: number
}

const MIB = 2 ** 20
const MINUTE_MS = 60_000
const STORE_WAIT_MS = 30_000

export function boundsOf(config: Config): Bounds {
  return config.publicMode
    ? {
        tasks: 2000,
        tasksPerSession: 50,
        taskIdleMs: 15 * MINUTE_MS,
        storeWaitMs: STORE_WAIT_MS,
        runningTasks: 100,
        taskBytes: 16 * MIB,
        oneTaskBytes: 16 * MIB,
        sinks: 100,
        sinkBytes: 8 * MIB,
        cardSignatures: 20,
        hugeArtifactBytes: MIB,
        faultCounters: 2000,
        faultCounterMs: 2 * MINUTE_MS,
      }
    : {
        tasks: 5000,
        tasksPerSession: 1000,
        taskIdleMs: 60 * MINUTE_MS,
        storeWaitMs: STORE_WAIT_MS,
        runningTasks: 500,
        taskBytes: 64 * MIB,
        oneTaskBytes: 32 * MIB,
        sinks: 500,
        sinkBytes: 32 * MIB,
        cardSignatures: 100,
        hugeArtifactBytes: 20 * MIB,
        faultCounters: 10_000,
        faultCounterMs: 10 * MINUTE_MS,
      }
}

/** Maximum number of messages in a task's history. */
export const MAX_HISTORY = 100
/** Longest wait of a blocking send, in milliseconds. */
export const WAIT_MS = 100_000
export const STREAM_MS = 10 * MINUTE_MS
export const KEEP_ALIVE_MS = 15_000
/** Unsent bytes at which a stream is closed. */
export const MAX_UNSENT_BYTES = MIB
/** Maximum nesting of arrays and objects in a body. */
export const MAX_DEPTH = 100
export const MAX_PARTS = 100
/** Maximum number of updates kept for a task. A stream that falls further behind is closed. */
export const MAX_KEPT_UPDATES = 100
export const MAX_PUSH_CONFIGS = 10
export const SINK_MS = 60 * MINUTE_MS
export const SINK_NOTIFICATIONS = 50
/** Largest notification body that a sink keeps, in bytes. */
export const SINK_BODY_BYTES = 64 * 1024
