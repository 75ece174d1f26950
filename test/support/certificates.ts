/** Creates certificates that the demo PKI does not: with other names, keys and purposes. */
import 'reflect-metadata'
import {
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  X509Certificate as IssuedCertificate,
  X509CertificateGenerator,
} from '@peculiar/x509'
import { KeyObject, X509Certificate, webcrypto } from 'node:crypto'
import type { CertificateAuthority } from '../../core/pki/authority.ts'

const dayMs = 86_400_000
const ec = { generate: { name: 'ECDSA', namedCurve: 'P-256' }, sign: { name: 'ECDSA', hash: 'SHA-256' } }
const rsaAlgorithm = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
}
const rsa = { generate: rsaAlgorithm, sign: rsaAlgorithm }

/** The certificate to create: by default a self-signed CA with an EC key, valid for a month from yesterday. */
export interface CertificateRequest {
  subject: string
  ca?: boolean
  /** Signs the certificate; its key must be EC P-256. Default: itself. */
  issuer?: CertificateAuthority
  /** Extended key usages; default: the extension is left out. */
  usages?: string[]
  keyType?: 'ec' | 'rsa'
  notBefore?: Date
  notAfter?: Date
}

/** Creates a certificate and its key. */
export async function makeCertificate({
  subject,
  ca = true,
  issuer,
  usages,
  keyType = 'ec',
  ...dates
}: CertificateRequest): Promise<CertificateAuthority> {
  const algorithm = keyType === 'ec' ? ec : rsa
  const keys = (await webcrypto.subtle.generateKey(algorithm.generate, true, [
    'sign',
    'verify',
  ])) as webcrypto.CryptoKeyPair
  const signingKey =
    issuer === undefined
      ? keys.privateKey
      : await webcrypto.subtle.importKey(
          'pkcs8',
          issuer.key.export({ type: 'pkcs8', format: 'der' }),
          ec.generate,
          false,
          ['sign'],
        )
  const certificate = await X509CertificateGenerator.create({
    subject,
    issuer: issuer === undefined ? subject : new IssuedCertificate(issuer.certificate.raw).subjectName,
    notBefore: dates.notBefore ?? new Date(Date.now() - dayMs),
    notAfter: dates.notAfter ?? new Date(Date.now() + 30 * dayMs),
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: issuer === undefined ? algorithm.sign : ec.sign,
    extensions: [
      ...(ca ? [new BasicConstraintsExtension(true, undefined, true)] : []),
      ...(usages ? [new ExtendedKeyUsageExtension(usages)] : []),
    ],
  })
  return { certificate: new X509Certificate(certificate.toString('pem')), key: KeyObject.from(keys.privateKey) }
}

/** PEM (PKCS#8) of a private key, encrypted if a passphrase is given. */
export function keyPem(key: KeyObject, passphrase?: string): string {
  return key
    .export({
      type: 'pkcs8',
      format: 'pem',
      ...(passphrase === undefined ? {} : { cipher: 'aes-256-cbc', passphrase }),
    })
    .toString()
}
