/**
 * Issues certificates for plugins, valid or not (profile of RFC 5280, section 4). Imported on demand, because it loads
 * many packages.
 */
import 'reflect-metadata'
import {
  AuthorityInfoAccessExtension,
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  CRLDistributionPointsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PublicKey,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate as IssuedCertificate,
  X509CertificateGenerator,
} from '@peculiar/x509'
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  webcrypto,
  X509Certificate,
  type KeyObject,
} from 'node:crypto'
import { promisify } from 'node:util'
import type { CertificateProfile } from '../contract/plugin.ts'
import { signatureOf, type CertificateAuthority, type PemPair } from './authority.ts'
import { authorityKeyIdentifier, dayBefore, randomSerial } from './certificates.ts'
import { DER, derContextTag, derElement } from '../toolkit/der.ts'

const PERMITTED_SUBTREES = derContextTag(0, 'constructed')
const DNS_NAME = derContextTag(2, 'primitive')

const DAY_MS = 86_400_000
const DEFAULT_DAYS = 30

/** Issues a certificate with a new key. `demo` is the demo CA. */
export async function issueCertificate(
  {
    subject,
    names = [],
    ips = [],
    notBefore = dayBefore(Date.now()),
    notAfter = new Date(notBefore.getTime() + DEFAULT_DAYS * DAY_MS),
    key: keyType = 'ec',
    issuer: issuedBy = 'demo',
    hash = 'sha256',
    usages = [],
    ca,
    urls = {},
    extensions = [],
  }: CertificateProfile,
  demo: CertificateAuthority,
): Promise<PemPair> {
  const key = await generateKey(keyType)
  const publicKey = new PublicKey(publicDer(key))
  const issuer = issuedBy === 'self' ? null : issuedBy === 'demo' ? demo : readPair(issuedBy)
  const signer = issuer?.key ?? key
  const signature = signatureOf(signer)
  if (signature === null) throw new Error(`keys of type ${signer.asymmetricKeyType} cannot sign certificates`)
  const hashName = hash === 'sha1' ? 'SHA-1' : 'SHA-256'
  const alternatives = [
    ...names.map(value => ({ type: 'dns' as const, value })),
    ...ips.map(value => ({ type: 'ip' as const, value })),
  ]
  const issuerCertificate = issuer === null ? null : new IssuedCertificate(issuer.certificate.raw)
  const certificate = await X509CertificateGenerator.create({
    serialNumber: randomSerial(),
    subject,
    issuer: issuerCertificate?.subjectName ?? subject,
    notBefore,
    notAfter,
    publicKey,
    signingKey: await webcrypto.subtle.importKey(
      'pkcs8',
      signer.export({ type: 'pkcs8', format: 'der' }),
      'hash' in signature.key ? { ...signature.key, hash: hashName } : signature.key,
      false,
      ['sign'],
    ),
    signingAlgorithm: { ...signature.algorithm, hash: hashName },
    extensions: [
      ...(ca === undefined
        ? []
        : [
            new BasicConstraintsExtension(true, ca.pathLength, true),
            new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
          ]),
      ...(ca?.permitted === undefined ? [] : [new Extension('2.5.29.30', true, nameConstraints(ca.permitted))]),
      ...(alternatives.length === 0 ? [] : [new SubjectAlternativeNameExtension(alternatives)]),
      ...(usages.length === 0
        ? []
        : [
            new ExtendedKeyUsageExtension(
              usages.map(usage => (usage === 'server' ? ExtendedKeyUsage.serverAuth : ExtendedKeyUsage.clientAuth)),
            ),
          ]),
      ...extensionsOfUrls(urls),
      ...extensions.map(({ oid, isCritical = false, value }) => new Extension(oid, isCritical, new Uint8Array(value))),
      await SubjectKeyIdentifierExtension.create(publicKey),
      ...(issuerCertificate === null ? [] : [await authorityKeyIdentifier(issuerCertificate)]),
    ] satisfies (Extension | AuthorityKeyIdentifierExtension)[],
  })
  return {
    certificate: new X509Certificate(certificate.toString('pem')).toString(),
    key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

function extensionsOfUrls({ crl, ocsp, issuer }: NonNullable<CertificateProfile['urls']>): Extension[] {
  const access = { ...(ocsp !== undefined && { ocsp }), ...(issuer !== undefined && { caIssuers: issuer }) }
  return [
    ...(crl === undefined ? [] : [new CRLDistributionPointsExtension([crl])]),
    ...(Object.keys(access).length === 0 ? [] : [new AuthorityInfoAccessExtension(access)]),
  ]
}

function readPair({ certificate, key }: PemPair): CertificateAuthority {
  return { certificate: new X509Certificate(certificate), key: createPrivateKey(key) }
}

function publicDer(key: KeyObject): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createPublicKey(key).export({ type: 'spki', format: 'der' }))
}

async function generateKey(type: NonNullable<CertificateProfile['key']>): Promise<KeyObject> {
  const generate = promisify(generateKeyPair)
  const pair =
    type === 'ed25519'
      ? await generate('ed25519')
      : type === 'rsa' || type === 'rsa1024'
        ? await generate('rsa', { modulusLength: type === 'rsa' ? 2048 : 1024 })
        : await generate('ec', { namedCurve: type === 'p384' ? 'P-384' : 'P-256' })
  return pair.privateKey
}

/** The extension nameConstraints (RFC 5280, 4.2.1.10) in DER: names include all names below them. */
function nameConstraints(permitted: readonly string[]): Uint8Array<ArrayBuffer> {
  const subtrees = permitted.map(name => derElement(DER.sequence, derElement(DNS_NAME, Buffer.from(name, 'latin1'))))
  return new Uint8Array(derElement(DER.sequence, derElement(PERMITTED_SUBTREES, ...subtrees)))
}
