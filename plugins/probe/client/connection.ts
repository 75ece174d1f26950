/** A client connection on a socket: nothing is between the probe and the bytes. */
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Address } from './address.ts'
import { Changes, clock } from './changes.ts'

/** No step is answered with more; a gateway that sends more is left. */
export const MAX_RECEIVED = 8 * 1024 * 1024
const CONNECT_MS = 5_000

export interface Piece {
  atMs: number
  bytes: Buffer
}

export interface TlsTrust {
  ca: string[] | null
  insecure: boolean
  /** Name for SNI; default: the host of the URL. */
  name: string | null
  /** A client certificate as PEM; default: none. */
  client?: { certificate: string; key: string }
}

export class Connection {
  readonly sent: Piece[] = []
  readonly received: Piece[] = []
  receivedBytes = 0
  ended: 'fin' | 'reset' | null = null
  endedMs: number | null = null
  /** Port of this side. */
  readonly port: number
  readonly #socket: Socket
  isTooLarge = false
  /** Called when bytes have come. */
  onReceived: (() => void) | null = null
  readonly #changes = new Changes()

  /** `admits`: false for bytes that are too many; the connection then ends as with too many. */
  constructor(socket: Socket, admits: (bytes: number) => boolean = () => true) {
    this.#socket = socket
    this.port = socket.localPort ?? 0
    socket.setNoDelay(true)
    socket.on('data', chunk => {
      this.receivedBytes += chunk.length
      if (this.isTooLarge) return
      this.received.push({ atMs: clock(), bytes: chunk })
      this.isTooLarge = this.receivedBytes > MAX_RECEIVED || !admits(chunk.length)
      if (this.isTooLarge) socket.destroy()
      this.onReceived?.()
      this.#changes.notify()
    })
    socket.on('end', () => this.#end('fin'))
    socket.on('error', () => this.#end('reset'))
    socket.on('close', () => this.#end('reset'))
  }

  get isOpen(): boolean {
    return this.ended === null
  }

  /** Resolves when the socket has taken the bytes. */
  send(bytes: Buffer): Promise<void> {
    this.sent.push({ atMs: clock(), bytes })
    return new Promise(resolve => {
      if (this.#socket.destroyed || !this.#socket.writable) return resolve()
      this.#socket.write(bytes, () => resolve())
    })
  }

  /** Resolves when the condition holds after something has happened, or the time is over. */
  waitUntil(condition: () => boolean, deadlineMs: () => number): Promise<boolean> {
    return this.#changes.waitUntil(condition, deadlineMs)
  }

  pause(): void {
    this.#socket.pause()
  }
  resume(): void {
    this.#socket.resume()
  }
  close(): void {
    this.#socket.destroy()
  }
  reset(): void {
    this.#socket.resetAndDestroy()
  }

  #end(how: 'fin' | 'reset'): void {
    if (this.ended !== null) return
    this.ended = how
    this.endedMs = clock()
    this.#changes.notify()
  }
}

/** Rejects with Node's error if there is no connection, or no valid certificate. */
export async function openConnection(
  address: Address,
  trust: TlsTrust,
  admits?: (bytes: number) => boolean,
): Promise<Connection> {
  return new Connection(await openSocket(address, trust, ['http/1.1']), admits)
}

/** A socket with nobody's listeners; `protocols` are offered by ALPN. */
export function openSocket(address: Address, trust: TlsTrust, protocols: string[]): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const target = { host: address.ip, port: address.port }
    const socket = address.isTls
      ? connectTls({
          ...target,
          servername: trust.name ?? address.host,
          ALPNProtocols: protocols,
          rejectUnauthorized: !trust.insecure,
          ...(trust.ca === null ? {} : { ca: trust.ca }),
          ...(trust.client === undefined ? {} : { cert: trust.client.certificate, key: trust.client.key }),
        })
      : connectTcp(target)
    const timer = setTimeout(() => socket.destroy(new Error('timed out')), CONNECT_MS)
    socket.once('error', error => {
      clearTimeout(timer)
      reject(error)
    })
    socket.once(address.isTls ? 'secureConnect' : 'connect', () => {
      clearTimeout(timer)
      socket.removeAllListeners('error')
      resolve(socket)
    })
  })
}
