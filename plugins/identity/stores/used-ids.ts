/** Ids of JWTs that are accepted once. */
import { createHash } from 'node:crypto'
import type { Store } from 'svc/plugin'

/** Remembers an id until it expires, in seconds since 1970. Of several callers with the same id one gets `true`. */
export async function useOnce(store: Store<true>, owner: string, id: string, expiresAt: number): Promise<boolean> {
  // Digests, so that the length of an id does not matter.
  const key = createHash('sha256')
    .update(JSON.stringify([owner, id]))
    .digest('base64url')
  const ttlMs = Math.max(expiresAt * 1000 - Date.now(), 1000)
  return store.add(key, true, { ttlMs })
}
