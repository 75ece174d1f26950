/** What a Redis or Valkey server says about itself. */
import type { StoreFacts } from '../../core/state/shared-backend.ts'
import type { StoreLink } from './store-link.ts'

/** Versions with sharded publish and subscribe. */
const OLDEST = { redis: 7.0, valkey: 7.2 }

/** Whether the server replied with this error. */
export function isServerError(error: unknown, code: string): boolean {
  return error instanceof Error && (error.message.startsWith(code) || error.message.startsWith(`ERR ${code}`))
}

/** Reads version and policy. */
export async function readFacts(link: StoreLink): Promise<StoreFacts> {
  let text: string
  try {
    text = String(await link.send('', ['INFO']))
  } catch (error) {
    if (!isServerError(error, 'NOPERM')) throw error
    return { version: '', policy: null, clockOffsetMs: null }
  }
  const fields = new Map(text.split('\r\n').map(line => [line.split(':', 1)[0]!, line.slice(line.indexOf(':') + 1)]))
  const field = (name: string): string | null => fields.get(name) ?? null
  const valkey = field('valkey_version')
  const microseconds = field('server_time_usec')
  return {
    version: valkey === null ? `Redis ${field('redis_version') ?? ''}` : `Valkey ${valkey}`,
    policy: field('maxmemory_policy'),
    clockOffsetMs: microseconds === null ? null : Math.round(Date.now() - Number(microseconds) / 1000),
  }
}

/** Throws for a version that lacks what the store needs. */
export function assertSupported(version: string): void {
  const [, kind, number] = /^(Redis|Valkey) (\d+\.\d+)/.exec(version) ?? []
  if (number === undefined) return
  if (Number(number) < OLDEST[kind === 'Valkey' ? 'valkey' : 'redis'])
    throw new Error(`${version} is too old (Redis 7.0 or Valkey 7.2 is needed)`)
}
