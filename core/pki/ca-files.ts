/** The files of the demo CA: which pair is used, which is left alone, and where a new one is written. */
import type { X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { canSign, demoCaName, pairOf, type CertificateAuthority } from './authority.ts'
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

/** The state of a pair of CA files. `broken` was created by svc but is unusable; it may be replaced like a free one. */
type CaPair =
  | { state: 'free' }
  | { state: 'usable'; authority: CertificateAuthority }
  | { state: 'broken'; reason: string }
  | { state: 'foreign'; reason: string }

/** Base names of the two pairs, in the order in which they are tried. */
const pairNames = ['ca', 'svc-demo-ca']

/**
 * Loads the demo CA from `folder`. If it does not exist, creates one and writes it to the first free pair of files, or
 * keeps it in memory. `now` is in milliseconds since 1970. `warn` reports what could not be used or written.
 */
export async function loadAuthority(
  folder: string,
  now: number,
  warn: (message: string) => void,
): Promise<CertificateAuthority> {
  let free: FreePair | null = null
  for (const name of pairNames) {
    const files = { certificate: join(folder, `${name}.crt`), key: join(folder, `${name}.key`) }
    const found = await inspectPair(files, now)
    if (found.state === 'usable') return found.authority
    if (found.state === 'foreign')
      warn(`${files.certificate} and ${files.key} are not used and not changed: ${found.reason}`)
    if (found.state === 'broken') warn(`the demo CA in ${files.certificate} cannot be used: ${found.reason}`)
    if (found.state !== 'foreign') free ??= { files, isNew: found.state === 'free' }
  }
  const { createAuthority } = await import('./certificates.ts')
  return keep(await createAuthority(now), free, now, warn)
}

/** A pair of files that a new CA may be written to. `isNew` means that neither file exists and none may be replaced. */
interface FreePair {
  files: PairFiles
  isNew: boolean
}

/** How long to wait for another process to finish its pair, and how often to check. */
const OTHERS_PAIR_MS = 2_000
const POLL_MS = 50

/**
 * Writes a new CA and returns the one that is on disk afterwards: if several processes start at once in one folder, all
 * use the pair of the first one.
 */
async function keep(
  authority: CertificateAuthority,
  free: FreePair | null,
  now: number,
  warn: (message: string) => void,
): Promise<CertificateAuthority> {
  const inMemory = 'the demo CA is kept in memory, so its client certificates are valid only until this process ends'
  if (free === null) {
    warn(`both file names for the demo CA are taken: ${inMemory}`)
    return authority
  }
  const { files, isNew } = free
  try {
    await writePair(files, pairOf(authority), { isNew })
    return (await readWritten(files, now)) ?? authority
  } catch (error) {
    const written = errorCode(error) === 'EEXIST' ? await readWritten(files, now) : null
    if (written !== null) return written
    warn(`cannot write ${files.certificate} and ${files.key} (${errorCode(error)}): ${inMemory}`)
    return authority
  }
}

/** The CA in these files once both are complete; null on timeout. */
async function readWritten(files: PairFiles, now: number): Promise<CertificateAuthority | null> {
  for (const deadline = performance.now() + OTHERS_PAIR_MS; ; ) {
    const found = await inspectPair(files, now)
    if (found.state === 'usable') return found.authority
    if (performance.now() >= deadline) return null
    await sleep(POLL_MS)
  }
}

async function inspectPair(files: PairFiles, now: number): Promise<CaPair> {
  const [certificateFile, keyFile] = await Promise.all([readPemFile(files.certificate), readPemFile(files.key)])
  if (certificateFile.state === 'missing') {
    return keyFile.state === 'missing'
      ? { state: 'free' }
      : { state: 'foreign', reason: 'there is a key but no certificate' }
  }
  if (certificateFile.state === 'unreadable') {
    return { state: 'foreign', reason: `the certificate cannot be read (${certificateFile.reason})` }
  }
  const certificate = parseCertificate(certificateFile.text)
  if (certificate === null) return { state: 'foreign', reason: 'not a PEM certificate' }
  const reason = reasonForeign(certificate)
  return reason === null ? inspectKey(certificate, keyFile, now) : { state: 'foreign', reason }
}

/** Why a certificate was not created by svc; null if it was. */
function reasonForeign(certificate: X509Certificate): string | null {
  if (!certificate.ca) return 'not a CA certificate'
  if (!hasCommonName(certificate.subject, demoCaName)) return `the common name of the CA is not ${demoCaName}`
  if (!isIssuedBy(certificate, certificate)) return 'the CA certificate is not self-signed'
  return null
}

/** Loads the key of a demo CA. A file that may be its key but cannot be read is not replaced. */
function inspectKey(certificate: X509Certificate, file: FileContent, now: number): CaPair {
  if (file.state === 'missing') return { state: 'broken', reason: 'the key is missing' }
  if (file.state === 'unreadable') return { state: 'foreign', reason: `the key cannot be read (${file.reason})` }
  if (isEncryptedKey(file.text)) return { state: 'foreign', reason: 'the key is encrypted' }
  const key = parsePrivateKey(file.text)
  if (key === null || !certificate.checkPrivateKey(key))
    return { state: 'broken', reason: 'the key does not match the certificate' }
  if (!canSign(key)) return { state: 'foreign', reason: `keys of type ${key.asymmetricKeyType} are not supported` }
  // Nobody accepts certificates issued by an expired CA.
  if (validityState(validityOf(certificate), now) === 'expired')
    return { state: 'broken', reason: `the certificate expired on ${certificate.validTo}` }
  return { state: 'usable', authority: { certificate, key } }
}
