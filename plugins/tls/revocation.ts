/** Which certificates are revoked: the CRL, OCSP responses, and the addresses of both in certificates. */
import { X509Certificate } from 'node:crypto'
import type { CertificateProfile, Store, Svc } from 'svc/plugin'
import type { AuthorityName } from './authorities.ts'
import { respondToOcsp, type OcspQuestion } from './ocsp.ts'
import type { Signer } from './signer.ts'

/** Longer than a revoked certificate is valid. */
const KEPT_MS = 31 * 86_400_000

/** What certificates say about revocation, and what clients that ask get. */
export interface Revocation {
  /** Revokes a certificate of the demo CA. */
  revoke(certificate: string): Promise<void>
  /** The CRL of the demo CA, as DER. */
  crl(): Promise<Uint8Array>
  /** An OCSP response, as DER. */
  respond(question: OcspQuestion): Promise<Uint8Array>
  /** The addresses in a certificate of this issuer. */
  urlsOf(issuer: AuthorityName | 'demo' | 'self'): NonNullable<CertificateProfile['urls']>
}

/** `baseUrl` is that of the addresses. */
export function openRevocation(svc: Pick<Svc, 'state' | 'pki'>, baseUrl: () => string): Revocation {
  // By serial number: when it was revoked, in milliseconds since 1970.
  const revoked: Store<number> = svc.state<number>('revoked-serials', { maxCount: 500, ttlMs: KEPT_MS })

  async function revokedSince(serial: string): Promise<Date | null> {
    const since = await revoked.peek(serial)
    return since === undefined ? null : new Date(since)
  }

  const demoCa = async (): Promise<Signer> => ({
    certificate: svc.pki.caCertificate,
    key: await svc.pki.signingKey(),
  })

  return {
    async revoke(certificate) {
      const { serialNumber, validFrom } = new X509Certificate(certificate)
      await revoked.set(serialNumber, Date.parse(validFrom))
    },
    async crl() {
      const entries = await revoked.list()
      const revokedNow = entries.map(({ key, value }) => ({ serial: key, since: new Date(value) }))
      return (await import('./crl.ts')).issueCrl(revokedNow, await demoCa(), Date.now())
    },
    respond: async question => respondToOcsp(question, await demoCa(), revokedSince, Date.now()),
    urlsOf(issuer) {
      const base = baseUrl()
      // The others have no CRL, so that a strict client does not refuse the endpoint for a second reason.
      if (issuer === 'demo') return { crl: `${base}/tls/crl`, ocsp: `${base}/tls/ocsp`, issuer: `${base}/tls/ca.crt` }
      return issuer === 'intermediate' ? { issuer: `${base}/tls/intermediate.crt` } : {}
    },
  }
}
