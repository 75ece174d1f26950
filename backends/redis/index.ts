/** The backend of shared state for Redis and Valkey. */
import type { BackendModule, StoreAddress, StoreFacts } from '../../core/state/shared-backend.ts'
import { RedisDailyCounts } from './daily-counts.ts'
import { createRedisLink } from './redis-link.ts'
import { assertSupported, readFacts as readFactsOf } from './server-facts.ts'
import { SharedState } from './shared-state.ts'

export const createBackend: BackendModule['createBackend'] = ({ address, ...options }) => {
  const known = new Set<string>()
  return new SharedState({ ...options, createLink: () => createRedisLink(address, known) })
}

export const createDailyCounts: BackendModule['createDailyCounts'] = options => new RedisDailyCounts(options)

export async function readFacts(address: StoreAddress, timeoutMs: number): Promise<StoreFacts> {
  const link = createRedisLink(address)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs)
  })
  try {
    await Promise.race([link.connect(), late])
    const facts = await Promise.race([readFactsOf(link), late])
    assertSupported(facts.version)
    return facts
  } finally {
    clearTimeout(timer)
    link.destroy()
  }
}
