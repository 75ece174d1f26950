/** Owns the files of the demo CA: which pair is used, which is foreign and stays untouched, where a new one goes. */
import type { X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { canSign, demoCaName } from './authority.ts'
import type { CertificateAuthority } from './authority.ts'
import { errorCode, isEncryptedKey, parseCertificate, parsePrivateKey, readPemFile, writePair } from './pem-files.ts'
import type { FileContent, PairFiles } from './pem-files.ts'
import { hasCommonName, isIssuedBy, validityOf, validityState } from './verification.ts'

/** What a pair of CA files turned out to be. `broken` is ours but of no use, and may be replaced like a free one. */
type CaPair =
  | { state: 'free' }
  | { state: 'usable'; authority: CertificateAuthority }
  | { state: 'broken'; reason: string }
  | { state: 'foreign'; reason: string }

/** Base names of the two pairs, in the order in which they are tried. */
const pairNames = ['ca', 'svc-demo-ca']

/**
 * The demo CA kept in `folder`; when there is none a new one, written to the first pair of files that is free, else
 * kept in memory. `now` is in milliseconds since 1970. Says through `warn` what it could not use or write.
 */
export async function loadAuthority(folder: string, now: number, warn: (message: string) => void): Promise<CertificateAuthority> {
  let free: PairFiles | null = null
  for (const name of pairNames) {
    const files = { certificate: join(folder, `${name}.crt`), key: join(folder, `${name}.key`) }
    const found = await inspectPair(files, now)
    if (found.state === 'usable') return found.authority
    if (found.state === 'foreign') warn(`${files.certificate} and ${files.key} are left untouched: ${found.reason}`)
    if (found.state === 'broken') warn(`the demo CA in ${files.certificate} cannot be used: ${found.reason}`)
    if (found.state !== 'foreign') free ??= files
  }
  const { createAuthority } = await import('./certificates.ts')
  const authority = await createAuthority(now)
  await keep(authority, free, warn)
  return authority
}

async function keep(authority: CertificateAuthority, files: PairFiles | null, warn: (message: string) => void): Promise<void> {
  const inMemory = 'the demo CA is kept in memory, and its client certificates end with this process'
  if (files === null) {
    warn(`no file name is free for the demo CA: ${inMemory}`)
    return
  }
  try {
    const key = authority.key.export({ type: 'pkcs8', format: 'pem' }).toString()
    await writePair(files, { certificate: authority.certificate.toString(), key })
  } catch (error) {
    warn(`cannot write ${files.certificate} and ${files.key} (${errorCode(error)}): ${inMemory}`)
  }
}

async function inspectPair(files: PairFiles, now: number): Promise<CaPair> {
  const [certificateFile, keyFile] = await Promise.all([readPemFile(files.certificate), readPemFile(files.key)])
  if (certificateFile.state === 'missing') {
    return keyFile.state === 'missing' ? { state: 'free' } : { state: 'foreign', reason: 'a key without a certificate' }
  }
  if (certificateFile.state === 'unreadable') {
    return { state: 'foreign', reason: `the certificate cannot be read (${certificateFile.reason})` }
  }
  const certificate = parseCertificate(certificateFile.text)
  if (certificate === null) return { state: 'foreign', reason: 'not a PEM certificate' }
  const reason = reasonForeign(certificate)
  return reason === null ? inspectKey(certificate, keyFile, now) : { state: 'foreign', reason }
}

/** Why a certificate is not one that svc made; null when it is. */
function reasonForeign(certificate: X509Certificate): string | null {
  if (!certificate.ca) return 'not a CA certificate'
  if (!hasCommonName(certificate.subject, demoCaName)) return `a CA whose common name is not ${demoCaName}`
  if (!isIssuedBy(certificate, certificate)) return 'a CA that did not sign itself'
  return null
}

/** Finds the key of a demo CA. What might be its key, but cannot be looked into, is not ours to replace. */
function inspectKey(certificate: X509Certificate, file: FileContent, now: number): CaPair {
  if (file.state === 'missing') return { state: 'broken', reason: 'its key is missing' }
  if (file.state === 'unreadable') return { state: 'foreign', reason: `the key cannot be read (${file.reason})` }
  if (isEncryptedKey(file.text)) return { state: 'foreign', reason: 'the key is encrypted' }
  const key = parsePrivateKey(file.text)
  if (key === null || !certificate.checkPrivateKey(key)) return { state: 'broken', reason: 'the key does not belong to it' }
  if (!canSign(key)) return { state: 'foreign', reason: `keys of type ${key.asymmetricKeyType} are not supported` }
  // Nothing that an expired CA issues is accepted by anybody.
  if (validityState(validityOf(certificate), now) === 'expired') return { state: 'broken', reason: `it expired on ${certificate.validTo}` }
  return { state: 'usable', authority: { certificate, key } }
}
