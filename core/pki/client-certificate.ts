/**
 * Finds the client certificate of a request, on its TLS connection or in a header, and verifies it against the demo CA.
 */
import { X509Certificate, createHash } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import type { ClientCertificate } from '../contract/plugin.ts'
import { decodeCertificateHeader } from './certificate-header.ts'
import { isIssuedBy, validityOf, validityState, type Validity } from './verification.ts'

/** Why a certificate is rejected, as shown in responses. */
export type RefusalReason =
  | 'not a certificate'
  | 'not issued by the demo CA'
  | 'expired'
  | 'not yet valid'
  | 'not for client authentication'

/** Where a request may carry a client certificate. */
export interface PresentedCertificate {
  /** The TLS connection; null without TLS. */
  tlsSocket: Pick<TLSSocket, 'getPeerCertificate'> | null
  /** Value of the header named by SVC_MTLS_IN_HEADER; null if none is configured or the request does not have it. */
  headerValue: string | null
}

/** Returns the client certificate of a request. Never throws. */
export type ClientCertificateCheck = (presented: PresentedCertificate) => ClientCertificate

/** The part of the result that does not depend on time: rejected for good, or accepted within its validity. */
type Verification = { reason: RefusalReason } | { certificate: X509Certificate; validity: Validity }

const clientAuthUsage = '1.3.6.1.5.5.7.3.2'
/**
 * Maximum number of cached results; the least recently used is evicted first. Only certificates signed by our CA are
 * cached with their details.
 */
const maxCachedResults = 256

/**
 * Verifies against one CA. Signatures are verified once per certificate and cached by SHA-256. Dates are compared every
 * time with `now`, which returns milliseconds since 1970.
 */
export function createClientCertificateCheck(authority: X509Certificate, now: () => number): ClientCertificateCheck {
  const verifications = new Map<string, Verification>()

  function verificationOf(der: Buffer): Verification {
    const fingerprint = createHash('sha256').update(der).digest('hex')
    const verification = verifications.get(fingerprint) ?? verify(der, authority)
    verifications.delete(fingerprint)
    verifications.set(fingerprint, verification)
    if (verifications.size > maxCachedResults) verifications.delete(verifications.keys().next().value ?? '')
    return verification
  }

  function check(source: 'tls' | 'header', der: Buffer | null): ClientCertificate {
    const verification: Verification = der === null ? { reason: 'not a certificate' } : verificationOf(der)
    if ('reason' in verification) return { state: 'refused', source, reason: verification.reason }
    const state = validityState(verification.validity, now())
    return state === 'valid'
      ? { state, source, certificate: verification.certificate }
      : { state: 'refused', source, reason: state }
  }

  return ({ tlsSocket, headerValue }) => {
    const peer = tlsSocket === null ? undefined : peerCertificate(tlsSocket)
    if (peer !== undefined) return check('tls', peer)
    // Gateways send an empty value for a client without a certificate.
    if (headerValue === null || headerValue.trim() === '') return { state: 'none' }
    return check('header', decodeCertificateHeader(headerValue))
  }
}

/**
 * Whether a TLS connection has a client certificate that does not chain to the CA, lacks clientAuth, or is outside its
 * validity. Such a connection is destroyed on `secureConnection`, without a response.
 */
export function hasRefusedCertificate(socket: Pick<TLSSocket, 'getPeerCertificate' | 'authorized'>): boolean {
  return peerCertificate(socket) !== undefined && !socket.authorized
}

/**
 * The DER of the peer certificate. `authorized` does not show whether there is one: on a resumed TLS 1.3 session
 * without a certificate, Node reports true and an empty object. A socket that is already destroyed gives null.
 */
function peerCertificate(socket: Pick<TLSSocket, 'getPeerCertificate'>): Buffer | undefined {
  const peer: { raw?: Buffer } | null = socket.getPeerCertificate()
  return peer?.raw
}

function verify(der: Buffer, authority: X509Certificate): Verification {
  try {
    const certificate = new X509Certificate(der)
    // X509Certificate also accepts PEM, and DER with trailing bytes.
    if (!certificate.raw.equals(der)) return { reason: 'not a certificate' }
    if (certificate.ca) return { reason: 'not for client authentication' }
    if (!isIssuedBy(certificate, authority)) return { reason: 'not issued by the demo CA' }
    // Node calls the extended key usages (RFC 5280, 4.2.1.12) `keyUsage`; undefined if the certificate has none.
    const usages: string[] | undefined = certificate.keyUsage
    if (usages !== undefined && !usages.includes(clientAuthUsage)) return { reason: 'not for client authentication' }
    return { certificate, validity: validityOf(certificate) }
  } catch {
    return { reason: 'not a certificate' }
  }
}
