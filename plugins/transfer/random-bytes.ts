/** Owns random bytes: true ones, and ones that a seed brings back. */
import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import { invalidParameter } from 'svc/plugin'

const MAX_SEED_LENGTH = 256

/** The seed in a query, null without one; throws `invalid_parameter` beyond 256 characters. */
export function readSeed(query: URLSearchParams): string | null {
  const seed = query.get('seed')
  if (seed === null || seed === '') return null
  const length = [...seed].length
  if (length > MAX_SEED_LENGTH)
    throw invalidParameter('seed', `the seed is too long: ${length} characters (at most ${MAX_SEED_LENGTH})`)
  return seed
}

/** `count` bytes. Those of one seed are the same everywhere and always, and fewer of them are the beginning of more. */
export function makeBytes(count: number, seed: string | null): Buffer {
  if (seed === null) return randomBytes(count)
  const key = createHash('sha256').update(seed).digest().subarray(0, 16)
  return createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(count))
}
