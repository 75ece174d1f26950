/** The policies `allow`, `deny`, `api-key` and `random`. */
import { createHash } from 'node:crypto'
import type { Svc } from 'svc/plugin'
import { isSameSecret } from 'svc/toolkit'
import { allow, deny } from '../decision.ts'
import { headerOf, type Policy } from './policy.ts'

/** The demo key of the plugin `auth`. */
const API_KEY = 'my-key'
const CHALLENGE = 'ApiKey realm="svc"'
const MAX_SEED = 64

export const allowPolicy: Policy = { name: 'allow', summary: 'Allows every request.', decide: () => allow('always') }

export const denyPolicy: Policy = {
  name: 'deny',
  summary: 'Denies every request with 403.',
  decide: () => deny(403, 'always'),
}

export const apiKeyPolicy: Policy = {
  name: 'api-key',
  summary: 'Allows requests with `apikey: my-key`, denies others with 401.',
  decide({ checked }) {
    const key = headerOf(checked, 'apikey')
    if (key === undefined) return deny(401, 'no key in the header apikey', [['WWW-Authenticate', CHALLENGE]])
    // Node decodes header bytes as Latin-1; a non-ASCII key arrives as UTF-8 bytes.
    if (isSameSecret(Buffer.from(key, 'latin1'), API_KEY)) return allow('valid key', { user: 'api-key' })
    return deny(401, 'unknown key', [['WWW-Authenticate', CHALLENGE]])
  },
}

/** Allows with a probability; a session and a seed see the same decisions in the same order. */
export function randomPolicy(svc: Svc<unknown>): Policy {
  const numbers = svc.state<number>('random', { maxCount: 10_000, ttlMs: 3_600_000, ttlFrom: 'use', evict: 'idle' })
  return {
    name: 'random',
    summary: 'Allows with the probability `p` (0 to 1, default 0.5), in an order that `seed` fixes.',
    async decide({ checked: { session }, parameter }) {
      const given = parameter('p')
      const p = given === undefined ? 0.5 : /^(?:0|1|0?\.\d{1,9}|1\.0{1,9})$/.test(given) ? Number(given) : Number.NaN
      if (Number.isNaN(p)) return { decision: 'error', reason: 'p must be a number from 0 to 1' }
      const seed = (parameter('seed') ?? '').slice(0, MAX_SEED)
      const number = await numbers.update(JSON.stringify([session, seed]), before => (before ?? 0) + 1)
      const digest = createHash('sha256')
        .update(JSON.stringify([seed, number]))
        .digest()
      const drawn = digest.readUInt32BE(0) / 2 ** 32
      return drawn < p ? allow('drawn') : deny(403, 'drawn')
    },
  }
}
