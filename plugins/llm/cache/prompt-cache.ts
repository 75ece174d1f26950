/** The prompt cache of all formats: remembers prefixes of prompts, and says which tokens a request reads from it. */
import type { FastifyRequest, SessionKey, Store, Svc, SvcHttp } from 'svc/plugin'
import { tokenizerOf } from '../engine/tokenizer.ts'
import { digest } from '../engine/seed.ts'
import { promptTokensOf } from '../engine/prompt-tokens.ts'
import type { RequestHeaders } from '../contract/provider.ts'
import type { ChatParsed, Parsed } from '../contract/parsed.ts'
import { blockKeys, cachedText } from './prefix-blocks.ts'

/** The automatic cache of a provider. */
export interface CacheSettings {
  /** Tokens of a block. */
  block: number
  /** Capacity. */
  tokens: number
  /** Lifetime of a block since its last use. */
  ttlMs: number
  scope: 'session' | 'instance'
  /** A shorter prefix is not read. */
  minTokens: number
}

export const DEFAULT_CACHE: CacheSettings = {
  block: 16,
  tokens: 65_536,
  ttlMs: 300_000,
  scope: 'session',
  minTokens: 1024,
}

/** What a request reads from the cache and writes to it. */
export interface CacheUse {
  read: number
  written: number
  /** Stores what is new, when the reply begins. */
  commit(): Promise<void>
}

/** The call whose prompt is looked up. */
export interface CachedCall {
  readonly request: FastifyRequest
  readonly headers: RequestHeaders
  /** The first value of a header. */
  header(name: string): string | undefined
  readonly instance: {
    name: string
    cache?: CacheSettings
    /** Tokens that running generations and the cache hold together, and those of the former. */
    kvTokens?: number
    slots?: { readonly tokens: number }
  }
}

interface Block {
  provider: string
  session_key: string
  /** Time of the last use. */
  used_at: number
}

interface MarkedPrefix {
  session_key: string
}

const BOUNDS = { normal: { blocks: 65_536, marks: 4096 }, public: { blocks: 4096, marks: 512 } }
/** Blocks that are looked up together. */
const BATCH = 64
/** A full cache is emptied to this share, so that not every request has to look for the oldest blocks. */
const KEPT_SHARE = 0.9

export class PromptCache {
  readonly #svc: Svc<unknown>
  readonly #blocks: Store<Block>
  readonly #marks: Store<MarkedPrefix>
  readonly #maxBlocks: number

  constructor(svc: Svc<unknown>) {
    const { blocks, marks } = BOUNDS[svc.config.publicMode ? 'public' : 'normal']
    this.#svc = svc
    this.#maxBlocks = blocks
    this.#blocks = svc.state<Block>('prefix-blocks', {
      maxCount: blocks,
      ttlMs: DEFAULT_CACHE.ttlMs,
      ttlFrom: 'use',
      evict: 'idle',
    })
    this.#marks = svc.state<MarkedPrefix>('prompt-cache', {
      maxCount: marks,
      ttlMs: DEFAULT_CACHE.ttlMs,
      ttlFrom: 'use',
    })
  }

  /** Null if nothing is cached for the request. */
  look(call: CachedCall, parsed: Parsed): Promise<CacheUse> | CacheUse | null {
    const { headers, instance } = call
    if (
      instance.cache === undefined &&
      headers['x-svc-prefix-cache'] === undefined &&
      headers['x-svc-cached-tokens'] === undefined &&
      (parsed.op !== 'chat' || (parsed.cacheMark == null && parsed.cachedTokens === undefined))
    )
      return null
    if (parsed.op !== 'chat') return null
    const stated = readStated(call, this.#svc.http) ?? parsed.cachedTokens
    if (stated !== undefined)
      return { read: Math.min(stated, promptTokensOf(parsed) - 1), written: 0, commit: () => Promise.resolve() }
    const { cacheMark: mark } = parsed
    if (mark !== undefined) return mark === null ? null : this.#lookForMark(call, parsed, mark)
    const settings = settingsOf(call, this.#svc.http)
    return settings === null ? null : this.#lookForBlocks(call, parsed, settings)
  }

  /** Tokens of the blocks of a provider. */
  async tokensOf(provider: string, block = DEFAULT_CACHE.block): Promise<number> {
    return block * (await this.#blocks.count({ group: provider }))
  }

  /** Removes the blocks of a provider. */
  discard(provider: string): Promise<number> {
    return this.#blocks.clear(block => block.provider === provider)
  }

  /** Removes what is kept for a session, or everything. */
  async clear(session: SessionKey | null): Promise<number> {
    const isOf = ({ session_key }: MarkedPrefix): boolean => session === null || session_key === session.key
    return (await this.#blocks.clear(isOf)) + (await this.#marks.clear(isOf))
  }

  async #lookForMark(
    call: CachedCall,
    parsed: ChatParsed,
    mark: NonNullable<ChatParsed['cacheMark']>,
  ): Promise<CacheUse> {
    const session = this.#svc.http.session(call.request).key
    const key = digest(session, parsed.model, mark.prefix)
    const tokens = Math.max(0, Math.min(tokenizerOf(parsed.request).count(mark.prefix), promptTokensOf(parsed) - 1))
    const isKnown = (await this.#marks.get(key)) !== undefined
    return {
      read: isKnown ? tokens : 0,
      written: isKnown ? 0 : tokens,
      commit: async () => {
        if (!isKnown) await this.#marks.set(key, { session_key: session }, { ttlMs: mark.ttlMs })
      },
    }
  }

  async #lookForBlocks(call: CachedCall, parsed: ChatParsed, settings: CacheSettings): Promise<CacheUse> {
    const { block, minTokens, ttlMs } = settings
    const provider = call.instance.name
    const session = this.#svc.http.session(call.request).key
    const isShared = settings.scope === 'instance' && !this.#svc.config.publicMode
    const maxBlocks = Math.min(Math.floor(settings.tokens / block), this.#maxBlocks, blocksLeft(call, block))
    const upTo = Math.floor((parsed.cacheUpTo ?? Infinity) / block)
    const keys = blockKeys(cachedText(parsed.request), {
      scope: JSON.stringify([provider, parsed.model, isShared ? null : session]),
      block,
      maxBlocks: Math.min(maxBlocks, upTo),
    })
    const known = await this.#leading(keys)
    const found = known * block
    const read = found < minTokens ? 0 : Math.min(found, promptTokensOf(parsed) - 1)
    return {
      read,
      written: keys.length * block < minTokens ? 0 : (keys.length - known) * block,
      commit: async () => {
        const value = { provider, session_key: isShared ? '' : session, used_at: Date.now() }
        for (let at = 0; at < keys.length; at += BATCH)
          await Promise.all(
            keys.slice(at, at + BATCH).map(key => this.#blocks.set(key, value, { group: provider, ttlMs })),
          )
        await this.#trim(provider, maxBlocks)
      },
    }
  }

  /** The number of leading keys that are stored. */
  async #leading(keys: readonly string[]): Promise<number> {
    for (let at = 0; at < keys.length; at += BATCH) {
      const found = await Promise.all(keys.slice(at, at + BATCH).map(key => this.#blocks.peek(key)))
      const missing = found.findIndex(value => value === undefined)
      if (missing >= 0) return at + missing
    }
    return keys.length
  }

  /** Drops the blocks of a provider that were not used for the longest time. */
  async #trim(provider: string, maxBlocks: number): Promise<void> {
    if ((await this.#blocks.count({ group: provider })) <= maxBlocks) return
    const all = await this.#blocks.list({ group: provider })
    all.sort((one, other) => one.value.used_at - other.value.used_at)
    const surplus = all.slice(0, all.length - Math.floor(maxBlocks * KEPT_SHARE))
    await Promise.all(surplus.map(({ key }) => this.#blocks.delete(key)))
  }
}

/** Blocks that the running generations leave of the KV cache. */
function blocksLeft({ instance: { kvTokens, slots } }: CachedCall, block: number): number {
  return kvTokens === undefined ? Infinity : Math.floor(Math.max(0, kvTokens - (slots?.tokens ?? 0)) / block)
}

/** The number in `X-Svc-Cached-Tokens`; null without a valid one. */
function readStated(call: CachedCall, http: SvcHttp): number | null {
  const text = call.header('x-svc-cached-tokens')?.trim()
  if (text === undefined) return null
  if (/^\d{1,9}$/.test(text)) return Number(text)
  http.ignoreHeader(call.request, 'X-Svc-Cached-Tokens', 'expected a whole number')
  return null
}

/** The provider's cache, as the header switches it; null: off. */
function settingsOf(call: CachedCall, http: SvcHttp): CacheSettings | null {
  const configured = call.instance.cache ?? null
  const text = call.header('x-svc-prefix-cache')?.trim().toLowerCase()
  if (text === undefined) return configured
  if (text === 'off') return null
  if (text === 'on') return { ...DEFAULT_CACHE, ...configured, minTokens: 0 }
  http.ignoreHeader(call.request, 'X-Svc-Prefix-Cache', 'expected on or off')
  return configured
}
