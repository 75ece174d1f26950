/** Reads a certificate: its subject, its issuer and its validity (RFC 5280). */
import type { X509Certificate } from 'node:crypto'

/** Whether a distinguished name (`subject` or `issuer` of a certificate) has this common name. */
export function hasCommonName(distinguishedName: string | undefined, commonName: string): boolean {
  return (distinguishedName ?? '').split('\n').includes(`CN=${commonName}`)
}

/**
 * Whether `issuer` issued the certificate, by name and signature (RFC 5280, 6.1.3). `checkIssued` alone compares names
 * and key identifiers, which anyone can copy.
 */
export function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
}

/** The validity of a certificate, both ends inclusive, in milliseconds since 1970. */
export interface Validity {
  notBefore: number
  notAfter: number
}

/** The validity of a certificate (RFC 5280, 4.1.2.5); an unreadable date is NaN. */
export function validityOf(certificate: X509Certificate): Validity {
  // Whole seconds: notAfter names the last second, which is included.
  return { notBefore: Date.parse(certificate.validFrom), notAfter: Date.parse(certificate.validTo) + 999 }
}

/** The state at `now` (milliseconds since 1970); an unreadable date counts as expired. */
export function validityState(validity: Validity, now: number): 'valid' | 'not yet valid' | 'expired' {
  if (now < validity.notBefore) return 'not yet valid'
  return validity.notBefore <= now && now <= validity.notAfter ? 'valid' : 'expired'
}
