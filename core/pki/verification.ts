/** Owns what is read off a certificate: whose it is, who issued it, when it is valid (RFC 5280). */
import type { X509Certificate } from 'node:crypto'

/** Whether a distinguished name, as `subject` or `issuer` of a certificate show it, has this common name. */
export function hasCommonName(distinguishedName: string | undefined, commonName: string): boolean {
  return (distinguishedName ?? '').split('\n').includes(`CN=${commonName}`)
}

/**
 * Whether `issuer` issued the certificate, by name and by signature (RFC 5280, 6.1.3). `checkIssued` alone compares
 * names and key identifiers, which anybody can copy.
 */
export function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
}

/** From when to when a certificate is valid, both inclusive, in milliseconds since 1970. */
export interface Validity {
  notBefore: number
  notAfter: number
}

/** The validity of a certificate (RFC 5280, 4.1.2.5); a date that cannot be read is NaN. */
export function validityOf(certificate: X509Certificate): Validity {
  // Whole seconds: notAfter names the last second, all of which counts.
  return { notBefore: Date.parse(certificate.validFrom), notAfter: Date.parse(certificate.validTo) + 999 }
}

/** Where `now` (milliseconds since 1970) lies; a date that cannot be read counts as over. */
export function validityState(validity: Validity, now: number): 'valid' | 'not yet valid' | 'expired' {
  if (now < validity.notBefore) return 'not yet valid'
  return validity.notBefore <= now && now <= validity.notAfter ? 'valid' : 'expired'
}
