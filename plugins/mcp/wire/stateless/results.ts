/** Owns the additional members of stateless results. */
import type { CacheHint, MethodResult } from '../../servers/call.ts'
import { resultJson } from '../../methods/dispatch.ts'
import type { Server } from '../../servers/server.ts'
import type { JsonObject } from '../../types.ts'

const SERVER_INFO_KEY = 'io.modelcontextprotocol/serverInfo'

/** The JSON text of a complete result. The members are inserted into the text, to avoid parsing it again. */
export function completeResult(outcome: MethodResult, server: Server): string {
  const text = resultJson(outcome)
  const own = text === '{}' ? '{' : `${text.slice(0, -1)},`
  return `${own}${cacheMembers(outcome.cache)}"resultType":"${outcome.type ?? 'complete'}","_meta":{${metaMembers(outcome.meta)}"${SERVER_INFO_KEY}":${server.infoText}}}`
}

/** `_meta` of the results that are built as objects. */
export function resultMeta(server: Server): JsonObject {
  return { [SERVER_INFO_KEY]: JSON.parse(server.infoText) }
}

function metaMembers(meta: JsonObject | undefined): string {
  const { [SERVER_INFO_KEY]: _, ...others } = meta ?? {}
  const text = JSON.stringify(others).slice(1, -1)
  return text === '' ? '' : `${text},`
}

function cacheMembers(cache: CacheHint | undefined): string {
  return cache ? `"ttlMs":${cache.ttlMs},"cacheScope":"${cache.cacheScope}",` : ''
}
