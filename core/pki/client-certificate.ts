/** Finds the client certificate of a request, on its TLS connection or in a header, and checks it against the demo CA. */
import { X509Certificate, createHash } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import type { ClientCertificate } from '../contract/plugin.ts'
import { decodeCertificateHeader } from './certificate-header.ts'
import { isIssuedBy, validityOf, validityState } from './verification.ts'
import type { Validity } from './verification.ts'

/** Why a certificate is refused, in the words that replies show. */
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
  /** Value of the header that SVC_MTLS_IN_HEADER names; null when none is named or the request has none. */
  headerValue: string | null
}

/** Says what client certificate a request carries. Never throws. */
export type ClientCertificateCheck = (presented: PresentedCertificate) => ClientCertificate

/** What no later moment changes about a certificate: refused for good, or good for as long as it is valid. */
type Verification = { reason: RefusalReason } | { certificate: X509Certificate; validity: Validity }

const clientAuthUsage = '1.3.6.1.5.5.7.3.2'
/** Verdicts remembered at most, the least recently used going first. Only what our CA signed is kept itself. */
const maxVerdicts = 256

/**
 * A check against one CA. Signatures are verified once per certificate and remembered by its SHA-256; dates are
 * compared each time with `now`, which answers milliseconds since 1970.
 */
export function createClientCertificateCheck(authority: X509Certificate, now: () => number): ClientCertificateCheck {
  const verifications = new Map<string, Verification>()

  function verificationOf(der: Buffer): Verification {
    const fingerprint = createHash('sha256').update(der).digest('hex')
    const verification = verifications.get(fingerprint) ?? verify(der, authority)
    verifications.delete(fingerprint)
    verifications.set(fingerprint, verification)
    if (verifications.size > maxVerdicts) verifications.delete(verifications.keys().next().value ?? '')
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
    // Gateways forward an empty value for a client without a certificate.
    if (headerValue === null || headerValue.trim() === '') return { state: 'none' }
    return check('header', decodeCertificateHeader(headerValue))
  }
}

/**
 * Whether a TLS connection came with a client certificate that does not lead to the CA, lacks clientAuth, or is out
 * of date; such a connection is destroyed on `secureConnection`, without an answer.
 */
export function hasRefusedCertificate(socket: Pick<TLSSocket, 'getPeerCertificate' | 'authorized'>): boolean {
  return peerCertificate(socket) !== undefined && !socket.authorized
}

/**
 * DER of the peer's certificate. `authorized` does not tell whether there is one: on a resumed TLS 1.3 session without
 * it Node says true, with an empty object. A socket that is already destroyed gives null.
 */
function peerCertificate(socket: Pick<TLSSocket, 'getPeerCertificate'>): Buffer | undefined {
  const peer: { raw?: Buffer } | null = socket.getPeerCertificate()
  return peer?.raw
}

function verify(der: Buffer, authority: X509Certificate): Verification {
  try {
    const certificate = new X509Certificate(der)
    // X509Certificate also takes PEM, and DER with something behind it.
    if (!certificate.raw.equals(der)) return { reason: 'not a certificate' }
    if (certificate.ca) return { reason: 'not for client authentication' }
    if (!isIssuedBy(certificate, authority)) return { reason: 'not issued by the demo CA' }
    // Node calls the extended key usages (RFC 5280, 4.2.1.12) `keyUsage`; undefined when there are none.
    const usages: string[] | undefined = certificate.keyUsage
    if (usages !== undefined && !usages.includes(clientAuthUsage)) return { reason: 'not for client authentication' }
    return { certificate, validity: validityOf(certificate) }
  } catch {
    return { reason: 'not a certificate' }
  }
}
