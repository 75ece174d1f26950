/** Describes a client certificate for a response. */
import type { X509Certificate } from 'node:crypto'

/** Subject, issuer, and the details that gateways usually forward. */
export interface CertificateSummary {
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

/** Summarizes a certificate. */
export function summarizeCertificate(certificate: X509Certificate): CertificateSummary {
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

/** Node separates the attributes by newlines and keeps the order of the certificate. */
function distinguishedName(name: string): string {
  return name.split('\n').join(', ')
}
