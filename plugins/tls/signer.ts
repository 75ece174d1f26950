/** What signs the CRL and the OCSP responses. */
import type { webcrypto } from 'node:crypto'

/** A CA: its certificate as PEM, and its key. */
export interface Signer {
  certificate: string
  /** RSA (RSASSA-PKCS1-v1_5 with SHA-256) or EC. */
  key: webcrypto.CryptoKey
}
