/**
 * Creates the certificates of the demo PKI: CA, server and client (profile of RFC 5280, section 4). Imported on demand,
 * because it loads many packages and most starts find existing certificates on disk.
 */
import 'reflect-metadata'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate as IssuedCertificate,
  X509CertificateGenerator,
  type Extension,
} from '@peculiar/x509'
import { KeyObject, X509Certificate, randomBytes, webcrypto } from 'node:crypto'
import { demoCaName, signingKeyOf, type CertificateAuthority, type PemPair } from './authority.ts'

const dayMs = 86_400_000
const leafDays = 825
const caYears = 10

/** Creates a demo CA, valid from one day before `now` (milliseconds since 1970) for ten years. */
export async function createAuthority(now: number): Promise<CertificateAuthority> {
  const keys = await generateKeys()
  const notBefore = dayBefore(now)
  const notAfter = new Date(notBefore)
  notAfter.setUTCFullYear(notAfter.getUTCFullYear() + caYears)
  const certificate = await X509CertificateGenerator.create({
    serialNumber: randomSerial(),
    subject: `CN=${demoCaName}`,
    issuer: `CN=${demoCaName}`,
    notBefore,
    notAfter,
    publicKey: keys.publicKey,
    signingKey: keys.privateKey,
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign | KeyUsageFlags.digitalSignature, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { certificate: new X509Certificate(certificate.toString('pem')), key: KeyObject.from(keys.privateKey) }
}

/** Creates a server certificate for the local host names and `svc`, valid for 825 days from one day before `now`. */
export function issueServerCertificate(authority: CertificateAuthority, now: number): Promise<PemPair> {
  return issueLeaf(authority, now, 'CN=svc', [
    new SubjectAlternativeNameExtension([
      { type: 'dns', value: 'localhost' },
      { type: 'ip', value: '127.0.0.1' },
      { type: 'ip', value: '::1' },
      { type: 'dns', value: 'svc' },
    ]),
    new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
  ])
}

/** Creates the certificate of the demo client, valid for 825 days from one day before `now`. */
export function issueClientCertificate(authority: CertificateAuthority, now: number): Promise<PemPair> {
  return issueLeaf(authority, now, 'CN=demo-client, O=svc Demo', [
    new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth]),
  ])
}

async function issueLeaf(
  authority: CertificateAuthority,
  now: number,
  subject: string,
  extensions: Extension[],
): Promise<PemPair> {
  const issuer = new IssuedCertificate(authority.certificate.raw)
  const signingKey = await signingKeyOf(authority)
  const keys = await generateKeys()
  const notBefore = dayBefore(now)
  const certificate = await X509CertificateGenerator.create({
    serialNumber: randomSerial(),
    subject,
    issuer: issuer.subjectName,
    notBefore,
    notAfter: new Date(notBefore.getTime() + leafDays * dayMs),
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: { ...signingKey.algorithm, hash: 'SHA-256' },
    extensions: [
      ...extensions,
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      await authorityKeyIdentifier(issuer),
    ],
  })
  return {
    certificate: new X509Certificate(certificate.toString('pem')).toString(),
    key: KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

/** The key identifier of the issuer, however it was computed; strict verifiers reject a chain in which they differ. */
export async function authorityKeyIdentifier(issuer: IssuedCertificate): Promise<AuthorityKeyIdentifierExtension> {
  const subjectKey = issuer.getExtension(SubjectKeyIdentifierExtension)
  return subjectKey
    ? new AuthorityKeyIdentifierExtension(subjectKey.keyId)
    : AuthorityKeyIdentifierExtension.create(issuer.publicKey)
}

function generateKeys() {
  return webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify'])
}

/**
 * One day earlier, so that a client with a slow clock accepts the certificate. Certificates have a resolution of one
 * second.
 */
export function dayBefore(now: number): Date {
  return new Date(Math.floor((now - dayMs) / 1000) * 1000)
}

/**
 * Sixteen bytes in hex. The first bits are 01, so that the number is positive and keeps its length (RFC 5280, 4.1.2.2).
 */
export function randomSerial(): string {
  const serial = randomBytes(16)
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40
  return serial.toString('hex')
}
