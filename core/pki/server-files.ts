/** The certificate and key files of the HTTPS listener: used as they are, created, replaced, or rejected. */
import { createSecureContext } from 'node:tls'
import { resolve } from 'node:path'
import type { X509Certificate } from 'node:crypto'
import { demoCaName, type CertificateAuthority, type PemPair } from './authority.ts'
import {
  errorCode,
  isEncryptedKey,
  parseCertificate,
  parsePrivateKey,
  readPemFile,
  writePair,
  type FileContent,
  type PairFiles,
} from './pem-files.ts'
import { hasCommonName, isIssuedBy, validityOf, validityState } from './verification.ts'

/** PEM certificate (or chain, leaf first) and key of the HTTPS listener, or why it cannot start. */
export type ServerPair = { cert: string; key: string } | { error: string }

/**
 * The pair used by the HTTPS listener. Existing files are used, unless an older demo CA issued them; those and missing
 * files are created. `now` is in milliseconds since 1970; `warn` reports what is kept in memory only.
 */
export async function loadServerPair(
  files: PairFiles,
  authority: CertificateAuthority,
  now: number,
  warn: (message: string) => void,
): Promise<ServerPair> {
  const [certificate, key] = await Promise.all([readPemFile(files.certificate), readPemFile(files.key)])
  if (certificate.state === 'missing' && key.state === 'missing') return createPair(files, authority, now, warn)
  if (certificate.state === 'missing' || key.state === 'missing') {
    const [there, absent] = key.state === 'missing' ? [files.certificate, files.key] : [files.key, files.certificate]
    warn(`found ${there} but not ${absent}: HTTPS uses a certificate kept in memory, and no file is written`)
    return servable(await issue(authority, now))
  }
  return usePair(files, certificate, key, authority, now, warn)
}

async function usePair(
  files: PairFiles,
  certificateFile: Exclude<FileContent, { state: 'missing' }>,
  keyFile: Exclude<FileContent, { state: 'missing' }>,
  authority: CertificateAuthority,
  now: number,
  warn: (message: string) => void,
): Promise<ServerPair> {
  if (certificateFile.state === 'unreadable')
    return unusable(files, `the certificate cannot be read (${certificateFile.reason})`)
  const certificate = parseCertificate(certificateFile.text)
  if (certificate !== null && isStale(certificate, authority, now)) return createPair(files, authority, now, warn)
  if (keyFile.state === 'unreadable') return unusable(files, `the key cannot be read (${keyFile.reason})`)
  const reason = reasonUnusable(certificateFile.text, keyFile.text)
  return reason === null ? { cert: certificateFile.text, key: keyFile.text } : unusable(files, reason)
}

/**
 * Whether the certificate was issued by a demo CA other than the current one, or is outside its validity: clients that
 * trust our CA would reject it.
 */
function isStale(certificate: X509Certificate, authority: CertificateAuthority, now: number): boolean {
  if (!hasCommonName(certificate.issuer, demoCaName)) return false
  return !isIssuedBy(certificate, authority.certificate) || validityState(validityOf(certificate), now) !== 'valid'
}

/** Why TLS cannot use this pair; null if it can. Expired and unrelated certificates are left to their owner. */
export function reasonUnusable(certificatePem: string, keyPem: string): string | null {
  const certificate = parseCertificate(certificatePem)
  if (certificate === null) return 'the certificate cannot be parsed'
  if (isEncryptedKey(keyPem)) return 'the key is encrypted'
  const key = parsePrivateKey(keyPem)
  if (key === null) return 'the key cannot be parsed'
  if (!certificate.checkPrivateKey(key)) return 'the key does not match the certificate'
  try {
    // Finds problems that only TLS detects: another broken certificate in the chain, or a key that is too short.
    createSecureContext({ cert: certificatePem, key: keyPem })
    return null
  } catch (error) {
    return errorCode(error)
  }
}

async function createPair(
  files: PairFiles,
  authority: CertificateAuthority,
  now: number,
  warn: (message: string) => void,
): Promise<ServerPair> {
  const pair = await issue(authority, now)
  try {
    // If both had the same path, the second write would destroy the first file.
    if (resolve(files.certificate) === resolve(files.key))
      throw new Error('the certificate and the key have the same path')
    await writePair(files, pair)
  } catch (error) {
    warn(
      `cannot write ${files.certificate} and ${files.key} (${errorCode(error)}): the HTTPS certificate is kept in memory`,
    )
  }
  return servable(pair)
}

function servable(pair: { certificate: string; key: string }): ServerPair {
  return { cert: pair.certificate, key: pair.key }
}

function unusable(files: PairFiles, reason: string): ServerPair {
  return { error: `cannot use ${files.certificate} with ${files.key}: ${reason}` }
}

async function issue(authority: CertificateAuthority, now: number): Promise<PemPair> {
  const { issueServerCertificate } = await import('./certificates.ts')
  return issueServerCertificate(authority, now)
}
