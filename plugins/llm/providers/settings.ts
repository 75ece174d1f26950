/** Reads the settings that named providers and formats under their own name share. */
import { DEFAULT_CACHE, type CacheSettings, type PromptCache } from '../cache/prompt-cache.ts'
import { EXPECTED_SHAPE, readShape, type StreamShape } from '../shapes/shape.ts'
import { type Replicated } from 'svc/plugin'
import { unknownName } from 'svc/toolkit'
import { EngineMetrics } from '../inference/engine-metrics.ts'
import { StatedLoad, type StatedLoads } from '../inference/stated-load.ts'
import { ModelServer, type ServerStates } from '../inference/model-server.ts'
import type { ModelInfo } from '../contract/neutral.ts'
import { TOKENIZERS, type TokenizerName } from '../tokenizers/tokenizers.ts'
import { Slots, UNLIMITED, type CapacitySettings } from '../capacity/slots.ts'
import type { Profile } from '../profiles/profile.ts'
import type { Profiles } from '../profiles/profiles.ts'
import type { ProviderInstance } from './instance.ts'
import type { BatchPlan } from '../contract/route.ts'
import { strictnessOf } from '../validation/level.ts'
import type { Validator } from '../validation/validator.ts'
import { EXPECTED_PLAN, type Batches } from '../state/batches.ts'
import type { CacheOption, CapacityOption, ProviderSettings } from './options.ts'

/** Reports a mistake in svc.yaml. */
export type Report = (at: string, message: string, remedy?: string) => void

export type Settings = Pick<
  ProviderInstance,
  | 'streamShape'
  | 'limits'
  | 'contextWindow'
  | 'cache'
  | 'profile'
  | 'slots'
  | 'engineMetrics'
  | 'server'
  | 'startupMs'
  | 'kvTokens'
  | 'tokenizers'
  | 'batchPlan'
  | 'storesResponses'
  | 'validation'
>

export interface SettingsServices {
  profiles: Profiles
  /** Milliseconds that a route has for its response headers; 0: not limited. */
  requestTimeoutMs: number
  report: Report
  cache: PromptCache
  batches: Pick<Batches, 'parsePlan'>
  validator: Validator
  /** The loads that clients state; null: no provider has metrics. */
  loads: Replicated<StatedLoads> | null
  /** Adapters and sleep of model servers; null with `loads`. */
  servers: Replicated<ServerStates> | null
}

/** The provider that has the settings. */
export interface SettingsOwner {
  name: string
  /** The default first. */
  models: readonly ModelInfo[]
}

/** Skips only what is invalid. */
export function readSettings(
  item: ProviderSettings,
  at: string,
  owner: SettingsOwner,
  services: SettingsServices,
): Settings {
  const { report } = services
  const streamShape = readStreamShape(item.stream_shape, `${at}.stream_shape`, report)
  const profile = item.profile === undefined ? undefined : readProfileName(item.profile, `${at}.profile`, services)
  const cache = item.cache === undefined || item.cache === false ? undefined : readCache(item.cache)
  return {
    ...(streamShape === undefined ? {} : { streamShape }),
    ...(item.limits === undefined ? {} : { limits: item.limits }),
    ...(item.context_window === undefined ? {} : { contextWindow: item.context_window }),
    ...(cache === undefined ? {} : { cache }),
    ...(profile === undefined ? {} : { profile }),
    ...readTokenizers(item.tokenizer, owner),
    ...readBatchPlan(item.batch, `${at}.batch`, services),
    ...readValidation(item, `${at}.validation`, services),
    ...(item.startup_ms === undefined ? {} : { startupMs: item.startup_ms }),
    ...(item.store_responses === false ? { storesResponses: false } : {}),
    ...(item.reasoning_member === undefined ? {} : { reasoningMember: item.reasoning_member }),
    ...(item.capacity?.kv_tokens === undefined ? {} : { kvTokens: item.capacity.kv_tokens }),
    ...readEngine(item, at, { ...owner, cache }, services),
  }
}

function readValidation(
  { validation: option, reasoning_member: member }: ProviderSettings,
  at: string,
  { validator }: SettingsServices,
): Pick<Settings, 'validation'> {
  if (option === undefined && member === undefined) return {}
  validator.checkLater(at, option)
  const given = option === undefined || typeof option === 'string' ? [] : (option.fields ?? [])
  // Clients send back what they got.
  const fields = member === undefined ? given : [...given, member]
  return { validation: { strictness: strictnessOf(option), fields: new Set(fields) } }
}

const KV_TOKENS = 65_536

/** The slots, and the metrics, which count the generations in them. */
function readEngine(
  { capacity, metrics, loras = [], sleep_mode: canSleep = false }: ProviderSettings,
  at: string,
  { name, models, cache }: SettingsOwner & { cache: CacheSettings | undefined },
  services: SettingsServices,
): Pick<Settings, 'slots' | 'engineMetrics' | 'server'> {
  const block = cache?.block ?? DEFAULT_CACHE.block
  const kvTokens = Math.max(block, capacity?.kv_tokens ?? KV_TOKENS)
  const slots =
    capacity === undefined
      ? metrics === undefined
        ? undefined
        : new Slots(UNLIMITED, kvTokens)
      : new Slots(readCapacity(capacity, `${at}.capacity`, services), kvTokens)
  if (slots === undefined) return {}
  if (metrics === undefined || services.loads === null || services.servers === null) return { slots }
  const server = new ModelServer({
    provider: name,
    loras,
    canSleep,
    states: services.servers,
    discard: () => services.cache.discard(name),
  })
  const engineMetrics = new EngineMetrics({
    slots,
    models: models.filter(({ kind = 'chat', id }) => kind === 'chat' && !loras.includes(id)).map(({ id }) => id),
    loras: () => server.adapters,
    fake: metrics === 'vllm' ? {} : (metrics.fake ?? {}),
    stated: new StatedLoad(name, services.loads),
    kvTokens,
    block,
    isCaching: cache !== undefined,
    cachedTokens: () => services.cache.tokensOf(name, block),
  })
  return { slots, engineMetrics, server }
}

function readTokenizers(provider: TokenizerName | undefined, { models }: SettingsOwner): Pick<Settings, 'tokenizers'> {
  const ofModels = models.flatMap(({ id, tokenizer }) => {
    const name = TOKENIZERS.find(known => known === tokenizer)
    return name === undefined ? [] : [[id, name] as const]
  })
  if (provider === undefined && ofModels.length === 0) return {}
  return { tokenizers: { provider, models: Object.fromEntries(ofModels) } }
}

function readProfileName(text: string, at: string, { profiles, report }: SettingsServices): Profile | undefined {
  try {
    const profile = profiles.find(text)
    if (profile === undefined) {
      const { message, remedy } = unknownName('profile', text, profiles.names())
      report(at, message, remedy)
    }
    return profile
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'SVC_INPUT_PROBLEM') throw error
    const problem = error as Error & { at: string }
    report(at, problem.at === '' ? problem.message : `${problem.at}: ${problem.message}`)
    return undefined
  }
}

const QUEUE_TIMEOUT_MS = 30_000

/** A request that waits longer than the server gives it would get the server's own 503. */
function readCapacity(
  { slots, queue = 0, queue_timeout_ms: given, full = 'overloaded', load_factor: loadFactor = 1 }: CapacityOption,
  at: string,
  { requestTimeoutMs, report }: SettingsServices,
): CapacitySettings {
  const most = requestTimeoutMs === 0 ? Infinity : requestTimeoutMs - 1
  if (given !== undefined && given > most)
    report(
      `${at}.queue_timeout_ms`,
      `requests time out after ${requestTimeoutMs} ms, before they leave the queue`,
      'write a shorter time, or raise SVC_REQUEST_TIMEOUT',
    )
  return { slots, queue, full, loadFactor, queueTimeoutMs: Math.min(given ?? QUEUE_TIMEOUT_MS, most) }
}

function readBatchPlan(
  text: string | undefined,
  at: string,
  { batches, report }: SettingsServices,
): { batchPlan?: BatchPlan } {
  if (text === undefined) return {}
  const batchPlan = batches.parsePlan(text)
  if (batchPlan !== null) return { batchPlan }
  report(at, `${JSON.stringify(text)} is not the plan of a batch (${EXPECTED_PLAN})`)
  return {}
}

function readStreamShape(text: string | undefined, at: string, report: Report): StreamShape | undefined {
  if (text === undefined) return undefined
  const { shape, unknown } = readShape(text)
  if (unknown.length > 0)
    report(
      at,
      `unknown stream shape ${JSON.stringify(unknown[0])} (expected ${EXPECTED_SHAPE})`,
      'docs/llm.md lists the items',
    )
  return shape
}

function readCache(option: true | CacheOption): CacheSettings {
  if (option === true) return DEFAULT_CACHE
  return {
    block: option.block ?? DEFAULT_CACHE.block,
    tokens: option.tokens ?? DEFAULT_CACHE.tokens,
    ttlMs: option.ttl_ms ?? DEFAULT_CACHE.ttlMs,
    scope: option.scope ?? DEFAULT_CACHE.scope,
    minTokens: option.min_tokens ?? DEFAULT_CACHE.minTokens,
  }
}
