/** Puts the demo PKI together at start: the CA, the demo client's pair, the HTTPS pair, and the check of client certificates. */
import { dirname } from 'node:path'
import { loadAuthority } from './ca-files.ts'
import type { CertificateAuthority, PemPair } from './authority.ts'
import { createClientCertificateCheck } from './client-certificate.ts'
import type { ClientCertificateCheck } from './client-certificate.ts'
import { withFolderLock } from './folder-lock.ts'
import { loadServerPair } from './server-files.ts'
import type { ServerPair } from './server-files.ts'

/** Where the files are and who hears of trouble. */
export interface PkiOptions {
  /** Path of the HTTPS certificate (`SVC_TLS_CERT`); the CA files lie in the same folder. */
  tlsCert: string
  /** Path of the HTTPS key (`SVC_TLS_KEY`). */
  tlsKey: string
  /** Called with each warning as it arises. */
  warn?: (message: string) => void
  /** Milliseconds since 1970; default: the system's clock. */
  now?: () => number
}

/** The demo PKI of a process; stays the same for its whole life. */
export interface Pki {
  /** PEM of the demo CA: what clients trust, and the `ca` of the HTTPS listener. */
  readonly caCertificate: string
  /** PEM certificate and key of the demo client, made once for this process when they are first asked for. */
  client(): Promise<PemPair>
  /** The HTTPS listener's pair, or why HTTPS cannot start: a sentence that names both files. */
  readonly server: ServerPair
  /** What could not be used or written. `server.error` is not among them. */
  readonly warnings: readonly string[]
  /** The client certificate of a request, checked against the demo CA. */
  readonly clientCertificate: ClientCertificateCheck
}

/** Loads the demo PKI from its files and makes what is missing. Files never make it fail: it warns and uses memory. */
export async function loadPki({ tlsCert, tlsKey, warn, now = Date.now }: PkiOptions): Promise<Pki> {
  const warnings: string[] = []
  const report = (message: string) => {
    warnings.push(message)
    warn?.(message)
  }
  const folder = dirname(tlsCert)
  return withFolderLock(folder, async () => {
    const authority = await loadAuthority(folder, now(), report)
    return {
      caCertificate: authority.certificate.toString(),
      client: once(() => issueClient(authority, now())),
      server: await loadServerPair({ certificate: tlsCert, key: tlsKey }, authority, now(), report),
      warnings,
      clientCertificate: createClientCertificateCheck(authority.certificate, now),
    }
  })
}

async function issueClient(authority: CertificateAuthority, now: number): Promise<PemPair> {
  const { issueClientCertificate } = await import('./certificates.ts')
  return issueClientCertificate(authority, now)
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}
