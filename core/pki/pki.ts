/**
 * Loads the demo PKI at startup: the CA, the pair of the demo client, the HTTPS pair, and the verification of client
 * certificates.
 */
import type { webcrypto } from 'node:crypto'
import { dirname } from 'node:path'
import type { CertificateProfile, Replicated, ReplicatedOptions } from '../contract/plugin.ts'
import { authorityOf, pairOf, signingKeyOf, type CertificateAuthority, type PemPair } from './authority.ts'
import { loadAuthority } from './ca-files.ts'
import { createClientCertificateCheck, type ClientCertificateCheck } from './client-certificate.ts'
import { withFolderLock } from './folder-lock.ts'
import { loadServerPair, type ServerPair } from './server-files.ts'

/** Where the files are, and how warnings are reported. */
export interface PkiOptions {
  /** Path of the HTTPS certificate (`SVC_TLS_CERT`); the CA files are in the same folder. */
  tlsCert: string
  /** Path of the HTTPS key (`SVC_TLS_KEY`). */
  tlsKey: string
  /** Where the CA and the pair of the demo client are kept, which all replicas share. */
  state: PkiState
  /** Called for each warning as it occurs. */
  warn?: (message: string) => void
  /** Milliseconds since 1970; default: the system clock. */
  now?: () => number
}

/** The part of a `StateHolder` that the demo PKI needs. */
export interface PkiState {
  replicated<T>(name: string, options: ReplicatedOptions<T>): Replicated<T>
  ready(): Promise<void>
}

/** The demo PKI of a process; it does not change during its lifetime. */
export interface Pki {
  /** PEM of the demo CA, which clients trust and the HTTPS listener uses as `ca`. */
  readonly caCertificate: string
  /** PEM certificate and key of the demo client, created on first use and kept until the last replica ends. */
  client(): Promise<PemPair>
  /** Issues a certificate with a new key, which is never written to disk. */
  issue(profile: CertificateProfile): Promise<PemPair>
  /** The key of the CA for WebCrypto, not extractable. */
  signingKey(): Promise<webcrypto.CryptoKey>
  /** The pair of the HTTPS listener, or why HTTPS cannot start: a sentence that names both files. */
  readonly server: ServerPair
  /** What could not be used or written, except `server.error`. */
  readonly warnings: readonly string[]
  /** Verifies the client certificate of a request against the demo CA. */
  readonly clientCertificate: ClientCertificateCheck
}

/**
 * Loads the demo PKI from its files and creates what is missing. It never fails because of files: it warns and keeps
 * the result in memory. All replicas use the CA of the first one; the others do not read its files.
 */
export async function loadPki({ tlsCert, tlsKey, state, warn, now = Date.now }: PkiOptions): Promise<Pki> {
  const warnings: string[] = []
  const report = (message: string) => {
    warnings.push(message)
    warn?.(message)
  }
  const folder = dirname(tlsCert)
  return withFolderLock(folder, async () => {
    const authorityPair = state.replicated('demo-ca', {
      initial: async () => pairOf(await loadAuthority(folder, now(), report)),
      secret: true,
    })
    const client = state.replicated<PemPair | null>('demo-client', { initial: () => null, secret: true })
    await state.ready()
    const authority = authorityOf(authorityPair.current)
    return {
      caCertificate: authority.certificate.toString(),
      client: once(() => sharedClient(client, authority, now())),
      issue: async profile => (await import('./issue.ts')).issueCertificate(profile, authority),
      signingKey: once(() => signingKeyOf(authority)),
      server: await loadServerPair({ certificate: tlsCert, key: tlsKey }, authority, now(), report),
      warnings,
      clientCertificate: createClientCertificateCheck(authority.certificate, now),
    }
  })
}

/** The pair that a replica has issued first. */
async function sharedClient(
  client: Replicated<PemPair | null>,
  authority: CertificateAuthority,
  now: number,
): Promise<PemPair> {
  if (client.current !== null) return client.current
  const { issueClientCertificate } = await import('./certificates.ts')
  const issued = await issueClientCertificate(authority, now)
  return (await client.update(current => current ?? issued)) ?? issued
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}
