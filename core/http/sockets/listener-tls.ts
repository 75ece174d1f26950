/** The TLS handshakes of a listener that a plugin opened. */
import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { createSecureContext, createServer, type SecureContext, type Server, type TLSSocket } from 'node:tls'
import type { ConnectionCertificate, ConnectionTls, ListenerTlsOptions } from '../../contract/listeners.ts'
import { BoundedMap } from '../../collections/bounded-map.ts'
import { isDnsName, type FindLeaf } from '../../pki/leaf-certificates.ts'
import type { ObservedSocket } from './handshake-observer.ts'
import { setTransport } from './transport.ts'

const HANDSHAKE_MS = 20_000
/** Servers that wait for a next handshake. */
const MAX_IDLE_SERVERS = 16
/** Certificates by server name. */
const MAX_CONTEXTS = 256
const MAX_FILE_BYTES = 256 * 1024

/** The files of a listener, and where certificates come from without them. */
export interface TlsMaterials {
  cert: string | null
  key: string | null
  clientCa: string
  leafOf: FindLeaf
}

export interface HandshakeResult {
  onSecured(secured: TLSSocket): void
  /** `error` is one line. */
  onFailed(error: string): void
}

/** Reads the files that `options` name. Rejects with a sentence if one can't be read. */
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
  return { cert, key, clientCa: clientCa ?? caCertificate, leafOf }
}

export class ListenerTls {
  readonly #options: ListenerTlsOptions
  readonly #materials: TlsMaterials
  readonly #alpn: readonly string[]
  readonly #base: { cert: string; key: string }
  readonly #contexts = new BoundedMap<Promise<SecureContext>>(MAX_CONTEXTS)
  /** Sessions can be resumed on all servers. */
  readonly #ticketKeys: Buffer
  /** A server makes one handshake at a time, so that it is known whose it is. */
  #idle: Server[] = []

  private constructor(
    options: ListenerTlsOptions,
    materials: TlsMaterials,
    alpn: readonly string[],
    base: { cert: string; key: string },
    ticketKeys: Buffer,
  ) {
    this.#options = options
    this.#materials = materials
    this.#alpn = alpn
    this.#base = base
    this.#ticketKeys = ticketKeys
    this.#idle.push(this.#createServer())
  }

  /** Rejects if the certificate, the key or a curve can't be used. `ticketKeys`: 48 random bytes. */
  static async open(
    options: ListenerTlsOptions,
    materials: TlsMaterials,
    { alpn, ticketKeys }: { alpn: readonly string[]; ticketKeys: Buffer },
  ): Promise<ListenerTls> {
    const { cert, key, leafOf, clientCa } = materials
    new X509Certificate(clientCa)
    if (cert !== null) return new ListenerTls(options, materials, alpn, { cert, key: key! }, ticketKeys)
    const pair = await leafOf(null)
    return new ListenerTls(options, materials, alpn, { cert: pair.certificate, key: pair.key }, ticketKeys)
  }

  /** Makes the handshake on `over`, by default the socket itself. The socket is closed if it fails. */
  secure(socket: Socket, over: ObservedSocket | null, { onSecured, onFailed }: HandshakeResult): void {
    const server = this.#idle.pop() ?? this.#createServer()
    let isOver = false
    const finish = (): void => {
      isOver = true
      server.removeAllListeners('secureConnection').removeAllListeners('tlsClientError')
      socket.off('close', onClose)
      if (this.#idle.length < MAX_IDLE_SERVERS) this.#idle.push(server)
    }
    const fail = (error: string): void => {
      if (isOver) return
      finish()
      onFailed(error)
      socket.destroy()
    }
    const onClose = (): void => fail('the connection was closed during the handshake')
    socket.on('close', onClose)
    server.on('secureConnection', secured => {
      if (isOver) return
      finish()
      setTransport(secured, socket)
      onSecured(secured)
    })
    server.on('tlsClientError', (error, secured) => {
      secured.on('error', () => {})
      fail(failureOf(error, secured))
      secured.destroy()
    })
    server.emit('connection', over ?? socket)
  }

  #createServer(): Server {
    const { client = 'request' } = this.#options
    return createServer({
      ...this.#contextOptions(this.#base),
      requestCert: client !== 'none',
      rejectUnauthorized: client === 'require',
      handshakeTimeout: HANDSHAKE_MS,
      ticketKeys: this.#ticketKeys,
      ...(this.#alpn.length > 0 && { ALPNProtocols: [...this.#alpn] }),
      ...(this.#materials.cert === null && {
        SNICallback: (name: string, done: (error: Error | null, context?: SecureContext) => void) => {
          this.#contextOf(name.toLowerCase()).then(
            context => done(null, context),
            (error: Error) => done(error),
          )
        },
      }),
    })
  }

  #contextOf(name: string): Promise<SecureContext> {
    const key = isDnsName(name) ? name : ''
    const known = this.#contexts.get(key)
    if (known !== undefined) return known
    const context = this.#materials
      .leafOf(key === '' ? null : key)
      .then(pair => createSecureContext(this.#contextOptions({ cert: pair.certificate, key: pair.key })))
    this.#contexts.set(key, context)
    context.catch(() => this.#contexts.delete(key))
    return context
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

/** One line for a failed handshake. A refused client certificate is no error of OpenSSL. */
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
