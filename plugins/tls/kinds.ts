/** The endpoints: what is wrong with each, and what a correct client says. */
import type { SecureVersion } from 'node:tls'
import type { CertificateProfile } from 'svc/plugin'
import type { AuthorityName } from './authorities.ts'

/** What happens instead of a handshake, or right after it. */
export type Behavior =
  | 'slow-handshake'
  | 'drip-handshake'
  | 'stall'
  | 'reset'
  | 'close'
  | 'reset-late'
  | 'close-late'
  | 'alert'
  | 'not-tls'
  | 'garbage'

/** An endpoint. */
export interface Kind {
  description: string
  /** What a client with OpenSSL's defaults that trusts the CA meets, without ALPN and without a certificate. */
  expect: 'ok' | 'fail' | 'either'
  /** The error code of Node and OpenSSL. */
  error?: string
  /** The certificate for a server name. Default: a valid one for this name. */
  certificate?: (serverName: string) => CertificateProfile
  /** The CA that issues the certificate. Default: the demo CA. */
  issuer?: AuthorityName
  /** What is sent after the certificate. */
  chain?: readonly (AuthorityName | 'root')[]
  version?: SecureVersion
  ciphers?: string
  /** The protocols that the endpoint offers; an empty list for no ALPN. Default: those of the HTTPS listener. */
  alpn?: readonly string[]
  clientCertificate?: 'optional' | 'required' | 'wrong-ca'
  hasNoTickets?: true
  /** Default: CRL and OCSP say good, and the endpoint staples this response if the client asks for it. */
  revocation?: 'revoked' | 'staple-missing'
  behavior?: Behavior
}

const LONG_CHAIN = Array.from({ length: 10 }, (_, index): AuthorityName => `long-${index}`)
/** About 60 KiB of names. */
const HUGE_NAMES = Array.from({ length: 1200 }, (_, index) => `name-${String(index).padStart(32, '0')}.huge.invalid`)
const ALL_CIPHERS = 'DEFAULT:@SECLEVEL=0'
/** The TLS feature status_request (RFC 7633, 4.2.3). */
const MUST_STAPLE = { oid: '1.3.6.1.5.5.7.1.24', value: Buffer.from('3003020105', 'hex') }

const on = (year: number): Pick<CertificateProfile, 'notBefore' | 'notAfter'> => ({
  notBefore: new Date(Date.UTC(year, 0, 1)),
  notAfter: new Date(Date.UTC(year, 11, 31)),
})

/** By name, in the order in which they are listed. */
export const KINDS: Record<string, Kind> = {
  good: { description: 'Nothing is wrong', expect: 'ok' },
  'good-rsa': {
    description: 'Nothing is wrong; RSA key',
    expect: 'ok',
    certificate: () => ({ subject: '', key: 'rsa' }),
  },
  'good-ed25519': {
    description: 'Nothing is wrong; Ed25519 key',
    expect: 'ok',
    certificate: () => ({ subject: '', key: 'ed25519' }),
  },
  'good-p384': {
    description: 'Nothing is wrong; P-384 key',
    expect: 'ok',
    certificate: () => ({ subject: '', key: 'p384' }),
  },
  expired: {
    description: 'Expired at the end of 2020',
    expect: 'fail',
    error: 'CERT_HAS_EXPIRED',
    certificate: () => ({ subject: '', ...on(2020) }),
  },
  'not-yet-valid': {
    description: 'Valid from 2099',
    expect: 'fail',
    error: 'CERT_NOT_YET_VALID',
    certificate: () => ({ subject: '', ...on(2099) }),
  },
  'wrong-host': {
    description: 'For another host name',
    expect: 'fail',
    error: 'ERR_TLS_CERT_ALTNAME_INVALID',
    certificate: () => ({ subject: '', names: ['wrong.host.invalid'] }),
  },
  'no-san': {
    description: 'The name is in the subject only; strict clients refuse it',
    expect: 'either',
    certificate: name => ({ subject: `CN=${name}`, names: [] }),
  },
  wildcard: {
    description: 'A wildcard for all endpoints below the same name',
    expect: 'ok',
    certificate: name => ({ subject: '', names: [`*.tls.${name.slice(name.indexOf('.tls.') + 5)}`] }),
  },
  'unknown-ca': {
    description: 'Issued by a CA with the same name and another key',
    expect: 'fail',
    error: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    issuer: 'twin',
  },
  'self-signed': {
    description: 'Signed by itself',
    expect: 'fail',
    error: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    certificate: () => ({ subject: '', issuer: 'self' }),
  },
  'self-signed-in-chain': {
    description: 'Issued by a foreign root, which is sent along',
    expect: 'fail',
    error: 'SELF_SIGNED_CERT_IN_CHAIN',
    issuer: 'foreign',
    chain: ['foreign'],
  },
  'incomplete-chain': {
    description: 'The intermediate certificate is not sent',
    expect: 'fail',
    error: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    issuer: 'intermediate',
  },
  'complete-chain': {
    description: 'The same with the intermediate certificate',
    expect: 'ok',
    issuer: 'intermediate',
    chain: ['intermediate'],
  },
  'wrong-order': {
    description: 'Certificate, root, intermediate; accepted by most clients',
    expect: 'either',
    issuer: 'intermediate',
    chain: ['root', 'intermediate'],
  },
  'expired-intermediate': {
    description: 'The intermediate certificate has expired',
    expect: 'fail',
    error: 'CERT_HAS_EXPIRED',
    issuer: 'expired-intermediate',
    chain: ['expired-intermediate'],
  },
  'not-a-ca': {
    description: 'Issued by a certificate that is not a CA',
    expect: 'fail',
    error: 'INVALID_PURPOSE',
    issuer: 'not-a-ca',
    chain: ['not-a-ca'],
  },
  'path-length': {
    description: 'A CA too many below one with path length 0',
    expect: 'fail',
    error: 'PATH_LENGTH_EXCEEDED',
    issuer: 'below-path-length',
    chain: ['below-path-length', 'path-length'],
  },
  'name-constraint': {
    description: 'The CA may issue for .allowed.invalid only',
    expect: 'fail',
    error: 'PERMITTED_VIOLATION',
    issuer: 'name-constraint',
    chain: ['name-constraint'],
  },
  'client-usage': {
    description: 'For client authentication only',
    expect: 'fail',
    error: 'INVALID_PURPOSE',
    certificate: () => ({ subject: '', usages: ['client'] }),
  },
  revoked: {
    description: 'Revoked, as CRL, OCSP and the stapled response say; accepted by clients that do not check',
    expect: 'either',
    error: 'CERT_REVOKED',
    revocation: 'revoked',
  },
  'staple-missing': {
    description: 'Promises a stapled OCSP response (must-staple), and sends none',
    expect: 'either',
    certificate: () => ({ subject: '', extensions: [MUST_STAPLE] }),
    revocation: 'staple-missing',
  },
  'rsa-1024': {
    description: 'RSA key of 1024 bits; refused from security level 2 on',
    expect: 'either',
    certificate: () => ({ subject: '', key: 'rsa1024' }),
    ciphers: ALL_CIPHERS,
  },
  sha1: {
    description: 'Signed with SHA-1',
    expect: 'fail',
    error: 'CA_MD_TOO_WEAK',
    certificate: () => ({ subject: '', hash: 'sha1' }),
    ciphers: ALL_CIPHERS,
  },
  'client-cert-required': {
    description: 'Requires a client certificate of the demo CA',
    expect: 'fail',
    error: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
    clientCertificate: 'required',
  },
  'client-cert-optional': {
    description: 'Asks for a client certificate, as the HTTPS listener does',
    expect: 'ok',
    clientCertificate: 'optional',
  },
  'client-cert-wrong-ca': {
    description: 'Requires a client certificate of another CA',
    expect: 'fail',
    error: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
    clientCertificate: 'wrong-ca',
  },
  'tls1.0': { description: 'TLS 1.0 only', expect: 'fail', error: 'EPROTO', version: 'TLSv1', ciphers: ALL_CIPHERS },
  'tls1.1': { description: 'TLS 1.1 only', expect: 'fail', error: 'EPROTO', version: 'TLSv1.1', ciphers: ALL_CIPHERS },
  'tls1.2': { description: 'TLS 1.2 only', expect: 'ok', version: 'TLSv1.2' },
  'tls1.3': { description: 'TLS 1.3 only', expect: 'ok', version: 'TLSv1.3' },
  'weak-cipher': {
    description: 'AES128-SHA with TLS 1.2 only: no forward secrecy',
    expect: 'either',
    certificate: () => ({ subject: '', key: 'rsa' }),
    version: 'TLSv1.2',
    ciphers: 'AES128-SHA:@SECLEVEL=0',
  },
  'alpn-mismatch': { description: 'Offers only svc-none/1', expect: 'either', alpn: ['svc-none/1'] },
  'alpn-h2-only': { description: 'Offers only HTTP/2', expect: 'either', alpn: ['h2'] },
  'alpn-http1-only': { description: 'Offers only HTTP/1.1', expect: 'either', alpn: ['http/1.1'] },
  'no-alpn': { description: 'Does not answer ALPN', expect: 'ok', alpn: [] },
  'slow-handshake': { description: 'The first byte comes late', expect: 'ok', behavior: 'slow-handshake' },
  'drip-handshake': {
    description: 'The handshake comes in pieces of 16 bytes, 20 ms apart',
    expect: 'ok',
    behavior: 'drip-handshake',
  },
  stall: { description: 'Nothing after the ClientHello', expect: 'fail', error: 'ETIMEDOUT', behavior: 'stall' },
  reset: { description: 'RST after the ClientHello', expect: 'fail', error: 'ECONNRESET', behavior: 'reset' },
  close: { description: 'FIN after the ClientHello', expect: 'fail', error: 'ECONNRESET', behavior: 'close' },
  'reset-late': {
    description: 'RST at the first byte of the request',
    expect: 'fail',
    error: 'ECONNRESET',
    behavior: 'reset-late',
  },
  'close-late': {
    description: 'FIN at the first byte of the request',
    expect: 'fail',
    error: 'ECONNRESET',
    behavior: 'close-late',
  },
  alert: { description: 'Alert internal_error (80)', expect: 'fail', error: 'EPROTO', behavior: 'alert' },
  'not-tls': { description: 'Plain HTTP on the TLS port', expect: 'fail', error: 'EPROTO', behavior: 'not-tls' },
  garbage: { description: '512 bytes that are not TLS', expect: 'fail', error: 'EPROTO', behavior: 'garbage' },
  'long-chain': {
    description: 'Ten intermediate certificates',
    expect: 'ok',
    issuer: 'long-9',
    chain: LONG_CHAIN.toReversed(),
  },
  'huge-cert': {
    description: 'A certificate with 60 KiB of names',
    expect: 'ok',
    certificate: name => ({ subject: '', names: [name, ...HUGE_NAMES] }),
  },
  'no-resumption': { description: 'No session tickets', expect: 'ok', hasNoTickets: true },
}

const SERVER_NAME = /^([a-z0-9.-]{1,100}?)\.tls\.[a-z0-9.-]{1,253}$/

/** Whether a server name belongs to this plugin: it has `.tls.` inside. */
export function isZoneName(serverName: string): boolean {
  return serverName.includes('.tls.')
}

/** The kind that a server name asks for; null for an unknown one and for other characters. */
export function kindOf(serverName: string): string | null {
  const kind = serverName.length > 253 ? undefined : SERVER_NAME.exec(serverName)?.[1]
  return kind !== undefined && Object.hasOwn(KINDS, kind) ? kind : null
}
