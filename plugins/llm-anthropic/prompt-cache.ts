/** Simulates prompt caching in `usage`: remembers the prefixes that a session has sent. */
import { isRecord, type Svc } from 'svc/plugin'
import type { Engine } from '../llm/types.ts'

/** Tokens that a request reads from or writes to the cache; one of them is 0. */
export interface CacheUsage {
  created: number
  read: number
}

export const noCacheUsage: CacheUsage = { created: 0, read: 0 }

export interface PromptCache {
  /** Stores a prefix with its size in tokens. */
  use(session: string, model: string, prefix: string, tokens: number): Promise<CacheUsage>
}

const lifetimeMs = 5 * 60 * 1000

/**
 * Entries expire 5 minutes after their last use. Keeps at most 4096 entries (512 in public mode); evicts the oldest.
 */
export function createPromptCache(svc: Svc, engine: Engine): PromptCache {
  const store = svc.state<true>('prompt-cache', {
    maxCount: svc.config.publicMode ? 512 : 4096,
    ttlMs: lifetimeMs,
    ttlFrom: 'use',
  })
  return {
    async use(session, model, prefix, tokens) {
      const key = engine.digest(session, model, prefix)
      if (await store.get(key)) return { created: 0, read: tokens }
      await store.set(key, true)
      return { created: tokens, read: 0 }
    },
  }
}

/** The text of tools, system and messages up to the last block with `cache_control`; null if there is no such block. */
export function cachedPrefix({ json }: Engine, body: Record<string, unknown>): string | null {
  const blocks = [
    ...json.listOf(body.tools),
    ...json.listOf(body.system),
    ...json.listOf(body.messages).flatMap(message => json.listOf(json.own(message, 'content'))),
  ]
  const last = blocks.findLastIndex(block => isRecord(json.own(block, 'cache_control')))
  if (last < 0) return null
  return blocks
    .slice(0, last + 1)
    .map(block => textOf(json.objectOf(block)))
    .join('\n')
}

/** Text unchanged; other blocks as JSON without `cache_control`, which may be on another block in the next turn. */
function textOf({ cache_control: _mark, ...block }: Record<string, unknown>): string {
  return typeof block.text === 'string' ? block.text : JSON.stringify(block)
}
