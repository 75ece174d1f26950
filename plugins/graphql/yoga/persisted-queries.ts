/** Automatic persisted queries: a client sends a query once, and only its SHA-256 hash afterwards. */
import { createHash } from 'node:crypto'
import type { GraphQLParams, Plugin } from 'graphql-yoga'
import { StateUnavailable, type Store, type StoreBounds } from 'svc/plugin'
import { badRequest, persistedQueryMismatch, persistedQueryNotFound } from '../errors.ts'
import { isRecord } from 'svc/toolkit'

const MAX_KEPT_BYTES = 64 * 1024

export const persistedQueryBounds: StoreBounds<string> = {
  maxCount: 1000,
  maxBytes: 16 * 1024 * 1024,
  ttlMs: 24 * 3_600_000,
  ttlFrom: 'use',
  evict: 'idle',
  // Found by the digest of their text.
  immutable: true,
}

/**
 * Looks up the query of a request that has only a hash. Yoga's package for this has no limits, does not check the
 * version, and uses other error codes.
 */
export function usePersistedQueries(store: Store<string>): Plugin {
  return {
    onParams({ params, setParams }) {
      const hash = readHash(params.extensions?.persistedQuery)
      return hash === null
        ? undefined
        : resolveQuery(store, hash, params.query).then(query => setParams({ ...params, query }))
    },
  }
}

/**
 * Returns the query to execute. A query with its hash is stored, even before it is validated, unless it is larger than
 * 64 KiB. While the state store is unavailable, none is found and none is stored: clients then send the query.
 */
async function resolveQuery(store: Store<string>, hash: string, query: GraphQLParams['query']): Promise<string> {
  if (query === undefined) {
    const stored = await store.get(hash).catch(ignoreOutage)
    if (stored === undefined) throw persistedQueryNotFound()
    return stored
  }
  if (createHash('sha256').update(query).digest('hex') !== hash) throw persistedQueryMismatch()
  if (Buffer.byteLength(query) <= MAX_KEPT_BYTES) await store.set(hash, query).catch(ignoreOutage)
  return query
}

function ignoreOutage(error: unknown): undefined {
  if (!(error instanceof StateUnavailable)) throw error
}

function readHash(persistedQuery: unknown): string | null {
  if (persistedQuery === undefined || persistedQuery === null) return null
  if (!isRecord(persistedQuery)) throw badRequest('extensions.persistedQuery must be a JSON object')
  const { version, sha256Hash } = persistedQuery
  if (version !== 1) throw badRequest('extensions.persistedQuery.version must be 1')
  if (typeof sha256Hash !== 'string' || !/^[\da-f]{64}$/i.test(sha256Hash))
    throw badRequest('extensions.persistedQuery.sha256Hash must be 64 hexadecimal digits')
  return sha256Hash.toLowerCase()
}
