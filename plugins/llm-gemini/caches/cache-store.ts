/** The stored context caches. */
import {
  createTextRecords,
  RecordTooLong,
  type Records,
  type RecordStore,
  type StoredRecord,
  type Svc,
} from 'svc/plugin'
import type { Engine, RouteInput } from '../../llm/types.ts'

/** Whose caches: those of a provider and, in public mode, of a session. */
export type CacheOwner = Pick<RouteInput, 'provider' | 'session'>

/** Plain data. */
export interface CachedContent {
  id: string
  /** With its prefix `models/`. */
  model: string
  displayName: string | null
  /** Milliseconds since 1970. */
  createdAt: number
  updatedAt: number
  expiresAt: number
  tokens: number
  /** `contents`, `systemInstruction`, `tools` and `toolConfig`, as they were sent. */
  content: Record<string, unknown>
}

const MIB = 1024 * 1024
const HOUR_MS = 3_600_000
const BOUNDS = {
  normal: { maxCount: 1000, maxPerGroup: 1000, maxBytes: 64 * MIB, ttlMs: 168 * HOUR_MS },
  public: { maxCount: 100, maxPerGroup: 10, maxBytes: 8 * MIB, ttlMs: HOUR_MS },
}

export class CacheStore {
  /** The longest time to live. */
  readonly maxTtlMs: number
  readonly #records: RecordStore<CachedContent>
  readonly #engine: Engine
  readonly #maxCharacters: number

  constructor(svc: Svc, engine: Engine) {
    const bounds = BOUNDS[svc.config.publicMode ? 'public' : 'normal']
    this.maxTtlMs = bounds.ttlMs
    this.#engine = engine
    // A longer one could not be read by a request.
    this.#maxCharacters = engine.maxHistory(svc.budgets)
    const store = svc.state<StoredRecord<string>>('cached-contents', bounds)
    this.#records = createTextRecords(svc, store, { maxCharacters: this.#maxCharacters })
  }

  /** Stores a cache, or replaces it. Throws if it is too large. */
  async put(owner: CacheOwner, cache: CachedContent): Promise<void> {
    const ttlMs = Math.max(1, cache.expiresAt - Date.now())
    await this.#of(owner)
      .put(cache.id, cache, { ttlMs })
      .catch((error: unknown) => {
        if (!(error instanceof RecordTooLong)) throw error
        throw this.#engine.badInput(
          `The cached content is too large: at most ${this.#maxCharacters} characters are supported (SVC_BUDGET_OUTPUT_BYTES).`,
        )
      })
  }

  async get(owner: CacheOwner, id: string): Promise<CachedContent | undefined> {
    return unexpired(await this.#of(owner).get(id))
  }

  /** A cache that becomes a part of a prompt: what it costs is taken before it is read. */
  async predecessor(input: CacheOwner & Pick<RouteInput, 'output'>, id: string): Promise<CachedContent | undefined> {
    return unexpired(await this.#of(input).get(id, characters => this.#engine.takeHistory(input.output(), characters)))
  }

  /** The newest first. */
  async list(owner: CacheOwner): Promise<CachedContent[]> {
    const found = await this.#of(owner).list({ newestFirst: true })
    return found.flatMap(({ value }) => unexpired(value) ?? [])
  }

  async delete(owner: CacheOwner, id: string): Promise<void> {
    await this.#of(owner).delete(id)
  }

  clear(session: string | null): Promise<number> {
    return this.#records.clear(session)
  }

  bytes(): Promise<number> {
    return this.#records.bytes()
  }

  #of({ provider, session }: CacheOwner): Records<CachedContent> {
    return this.#records.of(provider, session)
  }
}

function unexpired(cache: CachedContent | undefined): CachedContent | undefined {
  return cache !== undefined && cache.expiresAt > Date.now() ? cache : undefined
}
