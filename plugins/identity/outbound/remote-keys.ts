/** Key sets at URLs: `jwks_uri` of clients and of trusted issuers. */
import type { JWK } from 'jose'
import type { Store } from 'svc/plugin'
import { type Fetcher, FetchProblem } from 'svc/toolkit'
import { readClientKeys } from '../jwt/public-keys.ts'

const MAX_BYTES = 65_536
const LIFE_MS = 300_000

/** The keys at a place; an empty list if there are none that can be used. */
export type RemoteKeys = (place: string, ownBase: string) => Promise<readonly JWK[]>

/** Fetches key sets, and keeps them for five minutes by their place: own ones by path, others by URL. */
export function createRemoteKeys(fetcher: Fetcher, store: Store<JWK[]>): RemoteKeys {
  return async (place, ownBase) => {
    const known = await store.get(place)
    if (known !== undefined) return known
    const keys = await fetchKeys(place, ownBase, fetcher)
    if (keys.length > 0) await store.set(place, keys, { ttlMs: LIFE_MS })
    return keys
  }
}

async function fetchKeys(place: string, ownBase: string, fetcher: Fetcher): Promise<JWK[]> {
  try {
    const { status, body } = await fetcher.send(place, { ownBase, maxBytes: MAX_BYTES })
    const read = status === 200 ? readClientKeys(JSON.parse(body)) : { problem: 'is missing' }
    return 'keys' in read ? read.keys : []
  } catch (error) {
    if (error instanceof FetchProblem || error instanceof SyntaxError) return []
    throw error
  }
}
