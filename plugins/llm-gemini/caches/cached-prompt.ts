/** Requests that name a context cache: its contents come before theirs. */
import { isRecord } from 'svc/toolkit'
import type { Engine, NeutralRequest, RouteInput } from '../../llm/types.ts'
import { field } from '../fields.ts'
import { readRequest } from '../request.ts'
import type { CacheStore } from './cache-store.ts'

/** What a cache contains. */
export const CACHED_MEMBERS = ['contents', 'systemInstruction', 'tools', 'toolConfig'] as const
const PREFIX = 'cachedContents/'

/** A request with the contents of its cache. */
export interface CachedPrompt {
  body: Record<string, unknown>
  /** Tokens of the cache; undefined: the request names none. */
  cachedTokens?: number
}

/** The tokens of a cache on its own. Throws for invalid contents. */
export function tokensOfCache(engine: Engine, content: Record<string, unknown>, model: string): number {
  return engine.promptTokens(requestOfCache(engine, content, model))
}

function requestOfCache(engine: Engine, content: Record<string, unknown>, model: string): NeutralRequest {
  // A cache may have only instructions or tools.
  return readRequest(engine, { ...content, contents: content.contents ?? [{ role: 'user', parts: [] }] }, model, 1)
}

/** The id in `cachedContents/<id>`, whatever comes before. */
export function cacheIdOf(name: string): string {
  return name.slice(name.lastIndexOf(PREFIX) + (name.includes(PREFIX) ? PREFIX.length : 1))
}

export function namesCache(engine: Engine, body: Record<string, unknown>): boolean {
  const name = field(engine, body, 'cachedContent')
  return name !== undefined && name !== ''
}

/**
 * The request with what its cache contains. Throws if there is no such cache, if it is of another model, or if the request
 * has itself what the cache must contain.
 */
export async function withCache(
  engine: Engine,
  caches: CacheStore,
  input: Pick<RouteInput, 'provider' | 'session' | 'output'>,
  { body, model }: { body: Record<string, unknown>; model: string },
): Promise<CachedPrompt> {
  if (!namesCache(engine, body)) return { body }
  const conflicting = ['systemInstruction', 'tools', 'toolConfig'].find(name => field(engine, body, name) !== undefined)
  if (conflicting !== undefined)
    throw engine.badInput(
      `CachedContent cannot be used with GenerateContent request setting system_instruction, tools or tool_config (${conflicting} is set). Move those values to CachedContent.`,
    )
  const name = field(engine, body, 'cachedContent')
  const cache = typeof name === 'string' ? await caches.predecessor(input, cacheIdOf(name)) : undefined
  if (cache === undefined) throw noCache(engine)
  if (cache.model !== `models/${model}`)
    throw engine.badInput(
      `Model used by GenerateContent request (models/${model.slice(0, 100)}) and CachedContent (${cache.model}) has to be the same.`,
    )
  const { contents } = body
  const own = Array.isArray(contents) ? contents : isRecord(contents) ? [contents] : textContents(contents)
  const before = engine.json.listOf(cache.content.contents)
  return {
    // A request without contents of its own is refused as without a cache.
    body: { ...body, ...cache.content, contents: own.length === 0 ? [] : [...before, ...own] },
    cachedTokens: cache.tokens,
  }
}

function textContents(contents: unknown): unknown[] {
  return typeof contents === 'string' ? [{ role: 'user', parts: [{ text: contents }] }] : []
}

/** The vendor does not tell whether a cache of others exists. */
export function noCache(engine: Engine): Error {
  return engine.badInput('CachedContent not found (or permission denied)', { kind: 'forbidden', status: 403 })
}
