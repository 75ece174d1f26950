/** Random bytes, reproducible with a seed. */
import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import { invalidParameter } from 'svc/plugin'

const MAX_SEED_LENGTH = 256

/** The seed in a query, or null; throws `invalid_parameter` if it is longer than 256 characters. */
export function readSeed(query: URLSearchParams): string | null {
  const seed = query.get('seed')
  if (seed === null || seed === '') return null
  const length = [...seed].length
  if (length > MAX_SEED_LENGTH)
    throw invalidParameter('seed', `the seed is too long: ${length} characters (at most ${MAX_SEED_LENGTH})`)
  return seed
}

/** Returns `count` bytes. The same seed gives the same bytes on every instance; a shorter result is a prefix of a longer one. */
export function makeBytes(count: number, seed: string | null): Buffer {
  if (seed === null) return randomBytes(count)
  const key = createHash('sha256').update(seed).digest().subarray(0, 16)
  return createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(count))
}
