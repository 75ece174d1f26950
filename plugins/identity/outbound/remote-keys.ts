/** Key sets at URLs: `jwks_uri` of clients and of trusted issuers. */
import type { JWK } from 'jose'
import type { Store } from 'svc/plugin'
import { readClientKeys } from '../clients/client-keys.ts'
import { FetchProblem } from './fetcher.ts'
import type { Fetcher } from './fetcher.ts'

const MAX_BYTES = 65_536
const LIFE_MS = 300_000

/** The keys at a URL; an empty list if there are none that can be used. */
export type RemoteKeys = (uri: string, ownBase: string) => Promise<readonly JWK[]>

/** Fetches key sets, and keeps them for five minutes. */
export function createRemoteKeys(fetcher: Fetcher, store: Store<JWK[]>): RemoteKeys {
  return async (uri, ownBase) => {
    const known = await store.get(uri)
    if (known !== undefined) return known
    const keys = await fetchKeys(uri, ownBase, fetcher)
    if (keys.length > 0) await store.set(uri, keys, { ttlMs: LIFE_MS })
    return keys
  }
}

async function fetchKeys(uri: string, ownBase: string, fetcher: Fetcher): Promise<JWK[]> {
  try {
    const { status, body } = await fetcher.send(uri, { ownBase, maxBytes: MAX_BYTES })
    const read = status === 200 ? readClientKeys(JSON.parse(body)) : { problem: 'is missing' }
    return 'keys' in read ? read.keys : []
  } catch (error) {
    if (error instanceof FetchProblem || error instanceof SyntaxError) return []
    throw error
  }
}
