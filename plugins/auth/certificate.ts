/** What is shown of a client certificate. */
import type { X509Certificate } from 'node:crypto'

/** Subject and issuer, and the facts that gateways tend to pass on. */
export interface ShownCertificate {
  subject: string
  issuer: string
  facts: {
    /** Upper-case hex. */
    serial: string
    not_before: string
    not_after: string
    /** SHA-256 over the DER, lower-case hex. */
    sha256_fingerprint: string
  }
}

/** Reads a certificate. */
export function showCertificate(certificate: X509Certificate): ShownCertificate {
  return {
    subject: distinguishedName(certificate.subject),
    issuer: distinguishedName(certificate.issuer),
    facts: {
      serial: certificate.serialNumber.toUpperCase(),
      not_before: new Date(certificate.validFrom).toISOString(),
      not_after: new Date(certificate.validTo).toISOString(),
      sha256_fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    },
  }
}

/** Node writes an attribute a line, in the order of the certificate. */
function distinguishedName(name: string): string {
  return name.split('\n').join(', ')
}
