/** A served provider: a wire format under its own name or a name from svc.yaml, with its settings. */
import type { CredentialRequirement } from '../headers/credentials.ts'
import type { CompiledRule } from '../engine/rules.ts'
import type { FaultSpec } from '../headers/faults.ts'
import type { Limits } from '../limits/bucket.ts'
import type { Mode, ModelInfo, ReasoningMember } from '../contract/neutral.ts'
import { modeOfModel } from '../engine/model-mode.ts'
import type { StreamShape } from '../shapes/shape.ts'
import type { EngineMetrics } from '../inference/engine-metrics.ts'
import type { ModelServer } from '../inference/model-server.ts'
import type { TokenizerSettings } from '../tokenizers/tokenizers.ts'
import type { Slots } from '../capacity/slots.ts'
import type { Profile } from '../profiles/profile.ts'
import type { CacheSettings } from '../cache/prompt-cache.ts'
import type { ProviderValidation } from '../validation/validator.ts'
import type { Latency } from '../streaming/pace.ts'
import type { LlmProvider } from '../contract/provider.ts'
import type { BatchPlan } from '../contract/route.ts'

export interface ProviderInstance {
  /** Used in paths, records, metric labels and `X-Svc-Provider`. */
  name: string
  title: string
  basePath: string
  format: LlmProvider
  models: ModelInfo[]
  /** The model for requests that don't name one; default: the format's default. */
  defaultModel?: string
  /** Reject unknown models. */
  strictModels: boolean
  mode?: Mode
  reply?: string
  rules: readonly CompiledRule[]
  latency: Latency
  fail: FaultSpec | null
  /** Shape of its streams if the request names none. */
  streamShape?: StreamShape
  /** Rate limits of this provider. */
  limits?: Limits
  /** Default context window of its models. */
  contextWindow?: number
  /** A context window or an output limit is configured, for the provider or a model. */
  hasWindows: boolean
  /** Latency profile of its generations. */
  profile?: Profile
  /** Slots of its generations; absent: all run at once, and nobody counts them. */
  slots?: Slots
  /** Tokens that running generations and the prompt cache hold together; absent: as many as they need. */
  kvTokens?: number
  /** Metrics of an inference engine. */
  engineMetrics?: EngineMetrics
  /** Adapters and sleep of a model server; providers with metrics have it. */
  server?: ModelServer
  /** Milliseconds since the start of the process until `/health/ready` is 200. */
  startupMs?: number
  /** Tokenizers of the provider and of its models; absent: the rule of the engine. */
  tokenizers?: TokenizerSettings
  /** Automatic prompt cache. */
  cache?: CacheSettings
  /** The plan of batches whose request names none. */
  batchPlan?: BatchPlan
  /** False: responses, conversations and interactions are not stored. */
  storesResponses?: boolean
  /** How strictly its requests are checked; absent: as the server says. */
  validation?: ProviderValidation
  /** The member of chat completions that has the reasoning. */
  reasoningMember?: ReasoningMember
  requirement: CredentialRequirement
  isNamed: boolean
}

/** The models that are served now: with the adapters that a route has loaded, without those that one has unloaded. */
export function listedModels({ models, server, name }: ProviderInstance): readonly ModelInfo[] {
  if (server === undefined) return models
  const kept = models.filter(({ id }) => !server.isUnloaded(id))
  const added = server.adapters.filter(id => models.every(model => model.id !== id))
  return added.length === 0 ? kept : [...kept, ...added.map(id => ({ id, owned_by: name }))]
}

/**
 * Finds a listed model, or accepts an unlisted id that starts with `svc`, contains a mode, or is known to the format.
 */
export function findModel(instance: ProviderInstance, id: string): ModelInfo | undefined {
  const listed = listedModels(instance).find(model => model.id === id)
  if (listed !== undefined || instance.strictModels || instance.server?.isUnloaded(id) === true) return listed
  const exists = id.startsWith('svc') || modeOfModel(id) !== undefined || instance.format.knowsModel?.(id) === true
  return exists ? { id } : undefined
}
