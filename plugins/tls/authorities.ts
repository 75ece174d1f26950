/** The certificate authorities: made at first use, the same for all replicas, never written to disk. */
import type { CertificateProfile, Store, Svc } from 'svc/plugin'

/** A certificate and its key, as PEM. */
export interface Pair {
  certificate: string
  key: string
}

/** A CA of this plugin. `twin` has the name of the demo CA. */
export type AuthorityName =
  | 'twin'
  | 'foreign'
  | 'intermediate'
  | 'expired-intermediate'
  | 'not-a-ca'
  | 'path-length'
  | 'below-path-length'
  | 'name-constraint'
  | `long-${number}`

/** Finds a CA, or makes it. */
export type FindAuthority = (name: AuthorityName) => Promise<Pair>

const LIFE_YEARS = 10

/** Opens the CAs. `demoSubject` is the subject of the demo CA. */
export function openAuthorities(svc: Pick<Svc, 'state' | 'pki'>): FindAuthority {
  const stored: Store<Pair> = svc.state<Pair>('authorities', { maxCount: 100, secret: true })

  async function find(name: AuthorityName): Promise<Pair> {
    const known = await stored.peek(name)
    if (known !== undefined) return known
    // Of several replicas, the CA of the first one counts.
    await stored.add(name, await svc.pki.issue(await profileOf(name)))
    return (await stored.peek(name))!
  }

  async function profileOf(name: AuthorityName): Promise<CertificateProfile> {
    const notBefore = new Date(Date.now() - 86_400_000)
    const notAfter = new Date(notBefore)
    notAfter.setUTCFullYear(notAfter.getUTCFullYear() + LIFE_YEARS)
    const usual = { subject: `CN=svc TLS ${name}, O=svc Demo`, notBefore, notAfter, ca: {} }
    switch (name) {
      case 'twin':
        return { ...usual, subject: 'CN=svc Demo CA', issuer: 'self' }
      case 'foreign':
        return { ...usual, issuer: 'self' }
      case 'expired-intermediate':
        return { ...usual, notBefore: new Date(Date.UTC(2020, 0, 1)), notAfter: new Date(Date.UTC(2020, 11, 31)) }
      case 'not-a-ca':
        return { subject: usual.subject, notBefore, notAfter }
      case 'path-length':
        return { ...usual, ca: { pathLength: 0 } }
      case 'below-path-length':
        return { ...usual, issuer: await find('path-length') }
      case 'name-constraint':
        return { ...usual, ca: { permitted: ['allowed.invalid'] } }
      case 'intermediate':
      case 'long-0':
        return usual
      default: {
        const number = Number(name.slice('long-'.length))
        return { ...usual, issuer: await find(`long-${number - 1}`) }
      }
    }
  }

  return find
}
