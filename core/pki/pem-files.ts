/** Reads and writes PEM files, a certificate and its key together, so that a half-written pair is never visible. */
import { X509Certificate, createPrivateKey, randomBytes, type KeyObject } from 'node:crypto'
import { link, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { PemPair } from './authority.ts'

/** Paths of a certificate and its key. */
export interface PairFiles {
  certificate: string
  key: string
}

/** The content of a file. `unreadable` means that it exists but is not a file, too large, or not accessible. */
export type FileContent =
  | { state: 'missing' }
  | { state: 'text'; text: string }
  | { state: 'unreadable'; reason: string }

const maxFileBytes = 1_048_576
const absentCodes = new Set(['ENOENT', 'ENOTDIR'])

/** Reads a file of at most 1 MiB. Never rejects. */
export async function readPemFile(file: string): Promise<FileContent> {
  try {
    const facts = await stat(file)
    // Reading a pipe would wait for its writer forever.
    if (!facts.isFile()) return { state: 'unreadable', reason: 'not a file' }
    if (facts.size > maxFileBytes) return { state: 'unreadable', reason: `larger than ${maxFileBytes} bytes` }
    return { state: 'text', text: await readFile(file, 'latin1') }
  } catch (error) {
    return absentCodes.has(errorCode(error)) ? { state: 'missing' } : { state: 'unreadable', reason: errorCode(error) }
  }
}

/** The first certificate of a PEM text (RFC 7468, section 5); null if there is no valid one. */
export function parseCertificate(pem: string): X509Certificate | null {
  // X509Certificate also reads DER, which is not a PEM file.
  if (!pem.includes('-----BEGIN ')) return null
  try {
    return new X509Certificate(pem)
  } catch {
    return null
  }
}

/**
 * The first private key of a PEM text, in any form that OpenSSL reads without a passphrase; null if there is no valid
 * one.
 */
export function parsePrivateKey(pem: string): KeyObject | null {
  try {
    return createPrivateKey(pem)
  } catch {
    return null
  }
}

/** Whether a PEM text contains an encrypted key (PKCS#8, or the older form of RFC 1421). */
export function isEncryptedKey(pem: string): boolean {
  return pem.includes('-----BEGIN ENCRYPTED PRIVATE KEY-----') || /^Proc-Type: 4,ENCRYPTED/m.test(pem)
}

/**
 * Writes a pair: the key first, readable by its owner only. Missing folders are created. Both files are complete on
 * disk before either gets its final name. On failure it rejects with the reason and leaves neither file. With `isNew`
 * it never replaces a file: it rejects with `EEXIST` if another process created one of the two in the meantime.
 */
export async function writePair(
  files: PairFiles,
  pair: PemPair,
  { isNew = false }: { isNew?: boolean } = {},
): Promise<void> {
  const suffix = `.${randomBytes(6).toString('hex')}.tmp`
  const temporary = { key: temporaryName(files.key, suffix), certificate: temporaryName(files.certificate, suffix) }
  let keyWritten = false
  try {
    await writeNew(temporary.key, pair.key, 0o600)
    await writeNew(temporary.certificate, pair.certificate, 0o644)
    const moveFile = isNew ? linkExclusively : rename
    await moveFile(temporary.key, files.key)
    keyWritten = true
    await moveFile(temporary.certificate, files.certificate)
  } catch (error) {
    await removeQuietly([temporary.key, temporary.certificate, ...(keyWritten ? [files.key] : [])])
    throw error
  }
}

/**
 * Error codes of file systems without hard links (some network and container volumes), where an existing name cannot be
 * detected this way.
 */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'ENOSYS', 'EOPNOTSUPP', 'EMLINK'])

/** Like `rename`, but rejects with `EEXIST` if the file exists. A rename would replace it silently. */
async function linkExclusively(temporary: string, file: string): Promise<void> {
  try {
    await link(temporary, file)
  } catch (error) {
    if (!NO_LINKS.has(errorCode(error))) throw error
    return rename(temporary, file)
  }
  await rm(temporary, { force: true })
}

/** The system error code (`EACCES`), else the message. */
export function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}

function temporaryName(file: string, suffix: string): string {
  return join(dirname(file), `.${basename(file)}${suffix}`)
}

async function writeNew(file: string, text: string, mode: number): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const handle = await open(file, 'wx', mode)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function removeQuietly(files: string[]): Promise<void> {
  await Promise.allSettled(files.map(file => rm(file, { force: true })))
}
