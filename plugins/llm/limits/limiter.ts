/** Limits requests by token buckets, as svc.yaml or the headers of a request say. */
import { randomUUID } from 'node:crypto'
import type { FastifyRequest, SessionKey, Store, Svc } from 'svc/plugin'
import { ProviderError } from '../contract/errors.ts'
import type { RequestHeaders } from '../contract/provider.ts'
import type { Parsed } from '../contract/parsed.ts'
import type { Credential } from '../headers/credentials.ts'
import { groupText } from '../usage/call.ts'
import type { KeyIds } from '../usage/key-ids.ts'
import { matchesName } from '../usage/prices.ts'
import { adjust, stateOf, take, type Amounts, type Levels, type Limits } from './bucket.ts'
import { DIMENSIONS, type LimitState, type Refusal } from '../contract/limit-state.ts'
import { maxTokensOf, promptTokensOf } from '../engine/prompt-tokens.ts'

/** An entry of `llm.limits`. */
export interface LimitEntry extends Limits {
  provider?: string
  /** A model, or a prefix followed by `*`. */
  model?: string
  /** A credential, or `*` followed by its last characters. */
  key?: string
  /** What has a bucket of its own. Default: `both`. */
  per?: 'key' | 'model' | 'both' | 'all'
}

/** A bucket with what it belongs to. */
export interface Bucket {
  limits: Limits
  levels: Levels
  provider: string
  model: string | null
  key: string
  key_id: string
  session: string | null
  session_key: string | null
  from: 'svc.yaml' | 'header'
  /** The result of the last admission, and whose it is. */
  last: { id: string; refusal: Refusal | null } | null
}

/** A request that passed its buckets. */
export interface Admission {
  state: LimitState
  /** What is left once these tokens are paid, and what was reserved in vain is returned. */
  stateAfter(prompt: number, completion: number): LimitState
  /** Pays the tokens that were used, and returns those that were reserved in vain. Called once. */
  finish(prompt: number, completion: number): void
}

/** The call that is admitted: what decides its bucket. */
export interface LimitedCall {
  readonly request: FastifyRequest
  readonly headers: RequestHeaders
  /** The first value of a header. */
  header(name: string): string | undefined
  readonly instance: { name: string; format: { id: string }; limits?: Limits }
  readonly credential: Credential | null
  readonly shownCredential: string
  /** Prompt tokens that are read from the cache cost nothing. */
  readonly cacheUse: { read: number } | null
  /** Set by `admit`: what is left, and the dimension that refused the call. */
  rateLimits: LimitState | null
  limited: string | null
}

const BOUNDS = { normal: { buckets: 10_000 }, public: { buckets: 1000 } }
const IDLE_MS = 3_600_000
const DAY_MS = 86_400_000
const HEADERS = DIMENSIONS.map(dimension => [dimension, `x-svc-limit-${dimension}`] as const)
const HEADER_NAMES = HEADERS.map(([, name]) => name)
const MAX_LIMIT = 1e9

export class Limiter {
  readonly #entries: readonly LimitEntry[]
  readonly #buckets: Store<Bucket>
  readonly #keyIds: KeyIds
  readonly #svc: Svc<unknown>

  constructor(svc: Svc<unknown>, entries: readonly LimitEntry[], keyIds: KeyIds) {
    const { buckets } = BOUNDS[svc.config.publicMode ? 'public' : 'normal']
    this.#svc = svc
    this.#entries = entries
    this.#keyIds = keyIds
    this.#buckets = svc.state<Bucket>('buckets', { maxCount: buckets, ttlMs: IDLE_MS, ttlFrom: 'use', evict: 'idle' })
  }

  /** Null if nothing limits the request; throws if it is refused. */
  admit(call: LimitedCall, parsed: Parsed): Promise<Admission> | null {
    if (parsed.op === 'models' || parsed.op === 'count' || (parsed.op === 'own' && parsed.mode === undefined))
      return null
    const ofHeader = readHeaders(call, this.#svc)
    if (ofHeader === null && this.#entries.length === 0 && call.instance.limits === undefined) return null
    const entry = ofHeader === null ? this.#entryFor(call, parsed.model ?? null) : { name: 'header', limits: ofHeader }
    return entry === null ? null : this.#take(call, parsed, { isOfHeader: ofHeader !== null, per: 'both', ...entry })
  }

  /** The buckets that match, with what they have left. */
  async list(where: (bucket: Bucket) => boolean): Promise<{ bucket: Bucket; state: LimitState }[]> {
    const now = Date.now()
    const found = await this.#buckets.list({ where })
    return found.map(({ value }) => ({ bucket: value, state: stateOf(value.limits, value.levels, now) }))
  }

  clear(session: SessionKey | null): Promise<number> {
    return this.#buckets.clear(bucket => session === null || bucket.session_key === session.key)
  }

  /** The limits of the provider, otherwise the first entry that matches. */
  #entryFor(
    { instance, credential }: LimitedCall,
    model: string | null,
  ): { name: string; limits: Limits; per?: LimitEntry['per'] } | null {
    if (instance.limits !== undefined) return { name: `provider ${instance.name}`, limits: instance.limits }
    const index = this.#entries.findIndex(
      entry =>
        (entry.provider === undefined || entry.provider === instance.name || entry.provider === instance.format.id) &&
        (entry.model === undefined || (model !== null && matchesName(entry.model, model))) &&
        (entry.key === undefined || (credential !== null && matchesKey(entry.key, credential.value))),
    )
    const entry = this.#entries[index]
    return entry === undefined ? null : { name: `entry ${index}`, limits: limitsOf(entry), per: entry.per }
  }

  async #take(
    call: LimitedCall,
    parsed: Parsed,
    {
      name,
      limits,
      per = 'both',
      isOfHeader,
    }: { name: string; limits: Limits; per?: LimitEntry['per']; isOfHeader: boolean },
  ): Promise<Admission> {
    const session = this.#svc.http.session(call.request)
    const keyId = await this.#keyIds.of(call.credential)
    const model = parsed.model === undefined ? null : groupText(parsed.model)
    const prompt = promptTokensOf(parsed)
    const reserved = prompt + maxTokensOf(parsed)
    const now = Date.now()
    const id = randomUUID()
    const key = JSON.stringify([
      name,
      isOfHeader ? [session.key, limits] : null,
      per === 'key' || per === 'both' ? keyId : null,
      per === 'model' || per === 'both' ? [call.instance.name, model] : null,
    ])
    const isDaily = limits.rpd !== undefined || limits.tpd !== undefined
    const options = isDaily ? { ttlMs: (Math.floor(now / DAY_MS) + 1) * DAY_MS - now + IDLE_MS } : {}
    const amounts = { rpm: 1, rpd: 1, itpm: prompt - (call.cacheUse?.read ?? 0), tpm: reserved }
    const fresh: Bucket = {
      limits,
      levels: {},
      provider: call.instance.name,
      model,
      key: call.shownCredential,
      key_id: keyId,
      session: isOfHeader ? session.label : null,
      session_key: isOfHeader ? session.key : null,
      from: isOfHeader ? 'header' : 'svc.yaml',
      last: null,
    }
    const taken = await this.#buckets.update(
      key,
      (bucket = fresh) => {
        const { levels, refusal } = take(limits, bucket.levels, amounts, now)
        return { ...bucket, limits, levels, last: { id, refusal } }
      },
      options,
    )
    const levels = taken?.levels ?? {}
    const state = stateOf(limits, levels, now)
    call.rateLimits = state
    const refusal = taken?.last?.id === id ? taken.last.refusal : null
    if (refusal !== null) {
      call.limited = refusal.dimension
      throw new ProviderError('rate_limit', { refusal })
    }
    const backFor = (usedPrompt: number, completion: number): Amounts => {
      const used = usedPrompt + completion
      return { tpm: reserved - used, otpm: -completion, tpd: -used }
    }
    return {
      state,
      stateAfter: (usedPrompt, completion) =>
        stateOf(limits, adjust(limits, levels, backFor(usedPrompt, completion), now), now),
      finish: (usedPrompt, completion) => {
        const back = backFor(usedPrompt, completion)
        this.#buckets
          .update(key, bucket =>
            bucket === undefined ? undefined : { ...bucket, levels: adjust(limits, bucket.levels, back, Date.now()) },
          )
          .catch((error: unknown) => this.#svc.log.error('tokens could not be returned to their bucket', { error }))
      },
    }
  }
}

function limitsOf(entry: LimitEntry): Limits {
  return Object.fromEntries(
    DIMENSIONS.flatMap(dimension => (entry[dimension] === undefined ? [] : [[dimension, entry[dimension]]])),
  )
}

function matchesKey(pattern: string, key: string): boolean {
  return pattern.startsWith('*') ? key.endsWith(pattern.slice(1)) : key === pattern
}

/** The limits that the request names for itself; null: none. */
function readHeaders(call: LimitedCall, { http }: Svc<unknown>): Limits | null {
  const { headers, request } = call
  // Most requests have none.
  if (HEADER_NAMES.every(name => headers[name] === undefined)) return null
  const limits: Limits = {}
  for (const [dimension, name] of HEADERS) {
    if (headers[name] === undefined) continue
    const text = call.header(name)?.trim() ?? ''
    const limit = /^\d{1,10}$/.test(text) ? Number(text) : 0
    if (limit < 1 || limit > MAX_LIMIT)
      http.ignoreHeader(request, `X-Svc-Limit-${dimension}`, 'expected a whole number from 1 to 1000000000')
    else limits[dimension] = limit
  }
  return Object.keys(limits).length === 0 ? null : limits
}
