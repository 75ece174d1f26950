/** The interface of a pipeline stage and its dependencies. */
import type { SvcBudgets } from '../../contract/budgets.ts'
import type { Config } from '../../config/variables.ts'
import type { Inspector } from '../../inspector/inspector.ts'
import type { Keys } from '../../keys/keys.ts'
import type { Limits } from '../../limits/limits.ts'
import type { SharedQuota } from '../../limits/shared-quota.ts'
import type { Log } from '../../log/log.ts'
import type { Tracer } from '../../tracing/tracer.ts'
import type { AdminGuard } from '../access/admin-guard.ts'
import type { BrowserAccess } from '../access/browser-access.ts'
import type { RequestContext } from '../request/context.ts'
import type { HeaderDeadlines } from '../request/header-deadlines.ts'
import type { Notifier } from './rules/notifier.ts'
import type { RuleBook } from '../../rules/rule-book.ts'
import type { EgressCounter, RequestFollower } from '../request/types.ts'
import type { ControlAuth } from '../access/control-auth.ts'
import type { Cors } from '../response/cors.ts'
import type { StreamRegistry } from '../streams/stream-registry.ts'
import type { UnsentMemory } from '../../limits/unsent-memory.ts'

/** What rules need from the process. */
export interface RuleServices {
  book: RuleBook
  budgets: SvcBudgets
  config: Config
  notifier: Notifier
  /** Counts a hit by what the rule did: `delay`, `fail`, `abort`, `respond`, `reply`, or the step of a plugin. */
  countHit(action: string): void
}

/** What the stages need from the process. */
export interface PipelineServices {
  config: Config
  browserAccess: BrowserAccess
  cors: Cors
  log: Log
  observer: RequestFollower<RequestContext> & EgressCounter
  inspector: Inspector
  controlAuth: ControlAuth
  guard: AdminGuard
  limits: Limits
  /** Counts for all replicas; null without a state store. */
  quota: SharedQuota | null
  streams: StreamRegistry
  unsent: UnsentMemory
  rules: RuleServices
  /** Null if shared mode is off. */
  keys: Keys | null
  /** Null if requests have no timeout. */
  deadlines: HeaderDeadlines<RequestContext> | null
  /** Null if spans are not exported. */
  tracer: Tracer | null
}

/** Returns true to continue, false if it has sent a response or the client has disconnected. */
export type Stage = (context: RequestContext, services: PipelineServices) => boolean | Promise<boolean>
