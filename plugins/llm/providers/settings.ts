/** Reads the settings that named providers and formats under their own name share. */
import { DEFAULT_CACHE, type CacheSettings } from '../cache/prompt-cache.ts'
import { EXPECTED_SHAPE, readShape, type StreamShape } from '../shapes/shape.ts'
import type { ProviderInstance } from './instance.ts'
import type { CacheOption, ProviderSettings } from './options.ts'

/** Reports a mistake in svc.yaml. */
export type Report = (at: string, message: string, remedy?: string) => void

export type Settings = Pick<ProviderInstance, 'streamShape' | 'limits' | 'contextWindow' | 'cache'>

/** Skips only what is invalid. */
export function readSettings(item: ProviderSettings, at: string, report: Report): Settings {
  const streamShape = readStreamShape(item.stream_shape, `${at}.stream_shape`, report)
  const cache = item.cache === undefined || item.cache === false ? undefined : readCache(item.cache)
  return {
    ...(streamShape === undefined ? {} : { streamShape }),
    ...(item.limits === undefined ? {} : { limits: item.limits }),
    ...(item.context_window === undefined ? {} : { contextWindow: item.context_window }),
    ...(cache === undefined ? {} : { cache }),
  }
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
