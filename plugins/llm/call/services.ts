/** The services that the steps of a call use, shared by all providers. */
import type { Replicated, Svc } from 'svc/plugin'
import type { PromptCache } from '../cache/prompt-cache.ts'
import type { EngineLimits } from '../contract/route.ts'
import type { DirectiveCounts } from '../directives/counts.ts'
import type { CompiledRule } from '../engine/rules.ts'
import type { FaultParser } from '../headers/faults.ts'
import type { ServerStates } from '../inference/model-server.ts'
import type { StatedLoads } from '../inference/stated-load.ts'
import type { Limiter } from '../limits/limiter.ts'
import type { Profiles } from '../profiles/profiles.ts'
import type { ProviderSettings } from '../providers/options.ts'
import type { Variables } from '../providers/variables.ts'
import type { LlmMetrics } from '../records/metrics.ts'
import type { Records } from '../records/records.ts'
import type { OpenSockets } from '../streaming/socket-bounds.ts'
import type { TokenClock } from '../streaming/token-clock.ts'
import type { GenAiMetrics } from '../telemetry/metrics.ts'
import type { MessageStepFinders } from '../testing/message-steps.ts'
import type { PlacedRoute } from '../testing/protocol.ts'
import type { Tokenizers } from '../tokenizers/tokenizers.ts'
import type { Ledger } from '../usage/ledger.ts'
import type { Validator } from '../validation/validator.ts'
import type { Generate, RunItem } from './model-call.ts'

export interface CallServices {
  svc: Svc<unknown, Variables>
  limits: EngineLimits
  faults: FaultParser
  rules: readonly CompiledRule[]
  records: Records
  ledger: Ledger
  limiter: Limiter
  messageSteps: MessageStepFinders
  cache: PromptCache
  profiles: Profiles
  tokenizers: Tokenizers
  validator: Validator
  loads: Replicated<StatedLoads> | null
  servers: Replicated<ServerStates> | null
  /** Settings of formats under their own name, by id. */
  builtin: Readonly<Record<string, ProviderSettings>>
  metrics: LlmMetrics
  genAi: GenAiMetrics
  /** Whether a text generation needs a rule, if its header does not say so. */
  strictFixtures: boolean
  /** Whether prompts can have directives. */
  readsDirectives: boolean
  /** Counts the requests on which directives with `times` have acted. */
  directiveCounts: DirectiveCounts
  clock: TokenClock
  sockets: OpenSockets
  socketLifetimeMs: number
  /** The route of a path; null if no provider serves it. */
  find(method: string, path: string): PlacedRoute | null
  /** Runs items of batches. */
  runItem: RunItem
  /** Generates for routes that ask for it. */
  generate: Generate
  /** A new request id. */
  newId(): string
}
