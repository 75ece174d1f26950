/** The certificates of the endpoints, made for the server name of the client so that exactly one thing is wrong. */
import { BoundedMap } from 'svc/toolkit'
import type { CertificateProfile, Svc } from 'svc/plugin'
import type { FindAuthority } from './authorities.ts'
import { KINDS } from './kinds.ts'
import type { Revocation } from './revocation.ts'

/** What an endpoint sends: the certificate, then the rest of the chain, as PEM. */
export interface Chain {
  certificates: string
  key: string
  /** The certificate, as PEM, whose OCSP response is stapled; absent if the endpoint does not staple. */
  stapled?: string
}

/** A chain of the cache, which survives reloads and so refers to no generation, and when it was made, in milliseconds since 1970. */
export interface MadeChain {
  chain: Promise<Chain>
  madeAt: number
}

/** Finds the chain of a kind for a server name, or makes it; `onPort` for one with a port of its own. */
export type FindChain = (kind: string, serverName: string, onPort?: boolean) => Promise<Chain>

/** What `chainsOf` needs. */
export interface ChainParts {
  svc: Pick<Svc, 'pki'>
  findAuthority: FindAuthority
  revocation: Revocation
  cache: BoundedMap<MadeChain>
}

/** Certificates are valid for 30 days from a day ago. */
const RENEW_AFTER_MS = 15 * 86_400_000

/** Creates the cache of certificates. It survives reloads. */
export function createChainCache(publicMode: boolean): BoundedMap<MadeChain> {
  return new BoundedMap(publicMode ? 64 : 256)
}

/** Returns a function that makes chains, or finds them in the cache. */
export function chainsOf({ svc, findAuthority, revocation, cache }: ChainParts): FindChain {
  return (kind, serverName, onPort = false) => {
    const id = `${kind} ${serverName} ${onPort}`
    const known = cache.get(id)
    if (known !== undefined && Date.now() < known.madeAt + RENEW_AFTER_MS) return known.chain
    const chain = make(kind, serverName, onPort)
    cache.set(id, { chain, madeAt: Date.now() })
    chain.catch(() => cache.delete(id))
    return chain
  }

  async function make(kind: string, serverName: string, onPort: boolean): Promise<Chain> {
    const { certificate, issuer, chain = [], revocation: rule, hasOnlyTheseNames = false } = KINDS[kind]!
    const ordered = certificate?.(serverName)
    const authority = issuer === undefined ? 'demo' : await findAuthority(issuer)
    const profile: Partial<CertificateProfile> = {
      issuer: authority,
      names: [serverName],
      ...ordered,
    }
    const hasDemoIssuer = profile.issuer === 'demo'
    if (onPort && !hasOnlyTheseNames) {
      profile.names = [...new Set([...profile.names!, `${kind}.tls.localhost`, 'localhost', 'svc'])]
      profile.ips = ['127.0.0.1', '::1']
    }
    const leaf = await svc.pki.issue({
      usages: ['server'],
      urls: revocation.urlsOf(hasDemoIssuer ? 'demo' : (issuer ?? 'self')),
      ...profile,
      subject: ordered?.subject || `CN=svc TLS ${kind}, O=svc Demo`,
    })
    if (rule === 'revoked') await revocation.revoke(leaf.certificate)
    const rest = await Promise.all(
      chain.map(async name => (name === 'root' ? svc.pki.caCertificate : (await findAuthority(name)).certificate)),
    )
    return {
      certificates: [leaf.certificate, ...rest].join(''),
      key: leaf.key,
      ...(hasDemoIssuer && rule !== 'staple-missing' && { stapled: leaf.certificate }),
    }
  }
}
