/** Certificates of the demo CA for the server names that clients send, made when they are first needed. */
import { BoundedMap } from '../collections/bounded-map.ts'
import type { CertificateProfile } from '../contract/plugin.ts'
import type { PemPair } from './authority.ts'

/** Certificates are valid for 30 days from a day ago. */
const RENEW_AFTER_MS = 15 * 86_400_000
const MAX_KEPT = 256
/** Names without a certificate of their own get this one. */
const DEFAULT_NAMES = ['localhost', 'svc']
const DEFAULT_IPS = ['127.0.0.1', '::1']

/**
 * Finds the certificate for a server name, or makes it: for exactly this name. Null, or a name that is no DNS name: one for
 * `localhost`, `127.0.0.1`, `::1` and `svc`.
 */
export type FindLeaf = (serverName: string | null) => Promise<PemPair>

/** Whether a certificate can be made for a server name, in lower case. */
export function isDnsName(name: string): boolean {
  return /^[a-z0-9._-]{1,253}$/.test(name) && name.split('.').every(label => label.length >= 1 && label.length <= 63)
}

/** Keeps the last 256 certificates. */
export function createLeaves(issue: (profile: CertificateProfile) => Promise<PemPair>): FindLeaf {
  const kept = new BoundedMap<{ pair: Promise<PemPair>; madeAt: number }>(MAX_KEPT)
  return serverName => {
    const name = serverName !== null && isDnsName(serverName) ? serverName : null
    const key = name ?? ''
    const known = kept.get(key)
    if (known !== undefined && Date.now() < known.madeAt + RENEW_AFTER_MS) return known.pair
    const pair = issue({
      subject: 'CN=svc, O=svc Demo',
      usages: ['server'],
      ...(name === null ? { names: DEFAULT_NAMES, ips: DEFAULT_IPS } : { names: [name] }),
    })
    kept.set(key, { pair, madeAt: Date.now() })
    pair.catch(() => kept.delete(key))
    return pair
  }
}
