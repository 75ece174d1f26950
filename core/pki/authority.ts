/** The demo CA: its name, its key pair, and how it signs. */
import { X509Certificate, createPrivateKey, webcrypto, type KeyObject } from 'node:crypto'

/** Common name of every demo CA; it distinguishes files of svc from others. */
export const demoCaName = 'svc Demo CA'

/** A CA that can sign: its certificate and the matching private key. */
export interface CertificateAuthority {
  certificate: X509Certificate
  key: KeyObject
}

/** A certificate and its private key (PKCS#8), both PEM. */
export interface PemPair {
  certificate: string
  key: string
}

/** A CA as PEM. */
export function pairOf({ certificate, key }: CertificateAuthority): PemPair {
  return { certificate: certificate.toString(), key: key.export({ type: 'pkcs8', format: 'pem' }).toString() }
}

/** A CA from its PEM. Throws if it cannot be parsed. */
export function authorityOf({ certificate, key }: PemPair): CertificateAuthority {
  return { certificate: new X509Certificate(certificate), key: createPrivateKey(key) }
}

/** Whether certificates can be signed with this key: RSA, or EC on a curve supported by WebCrypto. */
export function canSign(key: KeyObject): boolean {
  return signatureOf(key) !== null
}

const webCryptoCurves = new Map([
  ['prime256v1', 'P-256'],
  ['secp384r1', 'P-384'],
  ['secp521r1', 'P-521'],
])

/**
 * The WebCrypto parameters to import a CA key and sign with it; null if it is not supported. A CA found on disk may use
 * RSA.
 */
export function signatureOf(key: KeyObject) {
  if (key.asymmetricKeyType === 'rsa') {
    const rsa = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
    return { key: rsa, algorithm: rsa }
  }
  const namedCurve = webCryptoCurves.get(key.asymmetricKeyDetails?.namedCurve ?? '')
  return namedCurve ? { key: { name: 'ECDSA', namedCurve }, algorithm: { name: 'ECDSA', hash: 'SHA-256' } } : null
}

/** Imports the key of a CA into WebCrypto, for signing. Throws if it is of a type that `canSign` excludes. */
export async function signingKeyOf({ key }: CertificateAuthority): Promise<webcrypto.CryptoKey> {
  const signature = signatureOf(key)
  if (signature === null) throw new Error(`keys of type ${key.asymmetricKeyType} cannot sign`)
  return webcrypto.subtle.importKey('pkcs8', key.export({ type: 'pkcs8', format: 'der' }), signature.key, false, [
    'sign',
  ])
}
