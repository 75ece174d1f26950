/** The TLS handshakes of a listener that a plugin opened. */
import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { createSecureContext, createServer, type Server, type TLSSocket } from 'node:tls'
import type { ConnectionCertificate, ConnectionTls, ListenerTlsOptions } from '../../contract/listeners.ts'
import { BoundedMap } from '../../collections/bounded-map.ts'
import { isDnsName, type FindLeaf } from '../../pki/leaf-certificates.ts'
import { parseCertificate } from '../../pki/pem-files.ts'
import { reasonUnusable } from '../../pki/server-files.ts'
import { ObservedSocket } from './handshake-observer.ts'
import { readServerName } from './tls-names.ts'
import { setTransport } from './transport.ts'

const HANDSHAKE_MS = 20_000
/** Server names with servers, and servers of each that wait for a next handshake. */
const MAX_NAMES = 256
const MAX_IDLE = 4
const MAX_FILE_BYTES = 256 * 1024

/** The files of a listener, and where certificates come from without them. */
export interface TlsMaterials {
  cert: string | null
  key: string | null
  clientCa: string
  leafOf: FindLeaf
}

export interface HandshakeResult {
  onSecured(secured: TLSSocket, observed: ObservedSocket | null): void
  /** `error` is one line. */
  onFailed(error: string): void
}

/** Reads the files that `options` name. Rejects with a sentence if one can't be read or used. */
export async function readTlsMaterials(
  options: ListenerTlsOptions,
  { leafOf, caCertificate, resolve }: { leafOf: FindLeaf; caCertificate: string; resolve(path: string): string },
): Promise<TlsMaterials> {
  const read = async (path: string | undefined): Promise<string | null> => {
    if (path === undefined) return null
    try {
      const text = await readFile(resolve(path), 'latin1')
      if (text.length > MAX_FILE_BYTES) throw new Error(`the file has more than ${MAX_FILE_BYTES} bytes`)
      return text
    } catch (error) {
      throw new Error(`can't read ${path}: ${(error as Error).message}`, { cause: error })
    }
  }
  const [cert, key, clientCa] = await Promise.all([read(options.cert), read(options.key), read(options.client_ca)])
  const reason = cert === null || key === null ? null : reasonUnusable(cert, key)
  if (reason !== null) throw new Error(`can't use ${options.cert} with ${options.key}: ${reason}`)
  if (clientCa !== null && parseCertificate(clientCa) === null)
    throw new Error(`can't use ${options.client_ca}: the certificate cannot be parsed`)
  return { cert, key, clientCa: clientCa ?? caCertificate, leafOf }
}

export class ListenerTls {
  readonly #options: ListenerTlsOptions
  readonly #materials: TlsMaterials
  readonly #alpn: readonly string[]
  /** Sessions can be resumed on all servers. */
  readonly #ticketKeys: Buffer
  /**
   * Servers that wait for a next handshake, by server name. A server makes one handshake at a time, so that it is known whose
   * it is; and has one certificate, because Node does not answer ALPN once it has replaced the certificate for a server name.
   */
  readonly #idle = new BoundedMap<Server[]>(MAX_NAMES)

  private constructor(
    options: ListenerTlsOptions,
    materials: TlsMaterials,
    alpn: readonly string[],
    ticketKeys: Buffer,
  ) {
    this.#options = options
    this.#materials = materials
    this.#alpn = alpn
    this.#ticketKeys = ticketKeys
  }

  /** Rejects if a curve can't be used. `ticketKeys`: 48 random bytes. */
  static async open(
    options: ListenerTlsOptions,
    materials: TlsMaterials,
    { alpn, ticketKeys }: { alpn: readonly string[]; ticketKeys: Buffer },
  ): Promise<ListenerTls> {
    const unknown = options.curves?.find(curve => !isCurve(curve))
    if (unknown !== undefined)
      throw new Error(`unknown curve ${JSON.stringify(unknown)} (expected a name of OpenSSL, such as X25519)`)
    const tls = new ListenerTls(options, materials, alpn, ticketKeys)
    tls.#release('', await tls.#serverFor(''))
    return tls
  }

  /** Makes the handshake. The socket is closed if it fails. With `observes`, `onSecured` gets what was seen of it. */
  secure(socket: Socket, observes: boolean, { onSecured, onFailed }: HandshakeResult): void {
    let isOver = false
    const fail = (error: string): void => {
      if (isOver) return
      isOver = true
      onFailed(error)
      socket.destroy()
    }
    const onClose = (): void => fail('the connection was closed during the handshake')
    socket.on('close', onClose)
    const begin = async (serverName: string | null): Promise<void> => {
      const name = serverName !== null && isDnsName(serverName) ? serverName : ''
      const server = await this.#serverFor(name)
      const release = (): void => {
        server.removeAllListeners('secureConnection').removeAllListeners('tlsClientError')
        socket.off('close', onGone)
        this.#release(name, server)
      }
      // The server may still tell why.
      const onGone = (): void => void setImmediate(release)
      if (socket.destroyed) return this.#release(name, server)
      const observed = observes ? new ObservedSocket(socket) : null
      server.on('secureConnection', secured => {
        release()
        if (isOver) return secured.destroy()
        isOver = true
        socket.off('close', onClose)
        setTransport(secured, socket)
        onSecured(secured, observed)
      })
      server.on('tlsClientError', (error, secured) => {
        secured.on('error', () => {})
        fail(failureOf(error, secured))
        secured.destroy()
      })
      socket.off('close', onClose).on('close', onGone).on('close', onClose)
      server.emit('connection', observed ?? socket)
    }
    const start = (name: string | null): void =>
      void begin(name).catch((error: Error) => fail(error.message.split('\n', 1)[0]!))
    if (this.#materials.cert === null) readServerName(socket, start)
    else start(null)
  }

  #release(name: string, server: Server): void {
    const idle = this.#idle.get(name) ?? []
    if (idle.length < MAX_IDLE) this.#idle.set(name, [...idle, server])
  }

  /** The server with the certificate for a name; empty: for clients that send none. */
  async #serverFor(name: string): Promise<Server> {
    const idle = this.#idle.get(name)?.pop()
    if (idle !== undefined) return idle
    const { cert, key, leafOf } = this.#materials
    const { client = 'request' } = this.#options
    const leaf = cert === null ? await leafOf(name === '' ? null : name) : { certificate: cert, key: key! }
    return createServer({
      ...this.#contextOptions({ cert: leaf.certificate, key: leaf.key }),
      requestCert: client !== 'none',
      rejectUnauthorized: client === 'require',
      handshakeTimeout: HANDSHAKE_MS,
      ticketKeys: this.#ticketKeys,
      ...(this.#alpn.length > 0 && { ALPNProtocols: [...this.#alpn] }),
    })
  }

  #contextOptions(pair: { cert: string; key: string }): object {
    const { min_version: version = '1.2', curves = [] } = this.#options
    return {
      ...pair,
      ca: this.#materials.clientCa,
      minVersion: `TLSv${version}`,
      ...(curves.length > 0 && { ecdhCurve: curves.join(':') }),
    }
  }
}

function isCurve(name: string): boolean {
  try {
    createSecureContext({ ecdhCurve: name })
    return true
  } catch {
    return false
  }
}

/** One line for a failed handshake. OpenSSL itself accepts every client certificate. */
function failureOf(error: NodeJS.ErrnoException, { authorizationError }: TLSSocket): string {
  if (authorizationError != null) return `bad_certificate: ${String(authorizationError)}`
  if (/peer did not return a certificate/.test(error.message)) return 'certificate_required'
  const reason = (error as { reason?: string }).reason
  return (reason ?? error.message).split('\n', 1)[0]!.slice(0, 200)
}

/** What was negotiated on a connection. */
export function describeTls(secured: TLSSocket, observed: ObservedSocket): ConnectionTls {
  const { alpnProtocol } = secured
  const sni = (secured as { servername?: string | false }).servername
  return {
    version: secured.getProtocol() ?? '',
    sni: typeof sni === 'string' ? sni : null,
    alpn: typeof alpnProtocol === 'string' ? alpnProtocol : null,
    offered: observed.offered,
    cipher: secured.getCipher().standardName,
    curve: observed.group,
    certificate: certificateOf(secured),
    resumed: secured.isSessionReused(),
  }
}

function certificateOf(secured: TLSSocket): ConnectionCertificate | null {
  const raw = (secured.getPeerCertificate() as { raw?: Buffer } | null)?.raw
  if (raw === undefined) return null
  const { subject, issuer, serialNumber, validTo } = new X509Certificate(raw)
  return {
    subject: subject.split('\n').join(', '),
    issuer: issuer.split('\n').join(', '),
    serial: serialNumber,
    not_after: new Date(validTo).toISOString(),
    verified: secured.authorized,
    error: secured.authorized ? null : String(secured.authorizationError),
  }
}
