/** What a stage of the pipeline is, and what it is given. */
import type { Config } from '../config/variables.ts'
import type { Inspector } from '../inspector/inspector.ts'
import type { Keys } from '../keys/keys.ts'
import type { Limits } from '../limits/limits.ts'
import type { Log } from '../log.ts'
import type { RequestMetrics } from '../request-metrics.ts'
import type { Tracer } from '../tracing/tracer.ts'
import type { AdminGuard } from './admin-guard.ts'
import type { RequestContext } from './context.ts'
import type { ControlAuth } from './control-auth/control-auth.ts'
import type { Cors } from './cors.ts'
import type { StreamRegistry } from './streams.ts'

/** What the stages need of the process. */
export interface PipelineServices {
  config: Config
  cors: Cors
  log: Log
  metrics: RequestMetrics
  inspector: Inspector
  controlAuth: ControlAuth
  guard: AdminGuard
  limits: Limits
  streams: StreamRegistry
  /** Null: shared mode is off. */
  keys: Keys | null
  /** Null: spans are not exported. */
  tracer: Tracer | null
  isDraining(): boolean
}

/** Answers true to go on, false when it has answered or the client has left. */
export type Stage = (context: RequestContext, services: PipelineServices) => boolean | Promise<boolean>
