/** Opens the connections of `ForwardEcho`: TCP, the header of the PROXY protocol, then TLS. */
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, rootCertificates, type ConnectionOptions } from 'node:tls'
import type { Destination } from './destination.ts'
import type { ForwardPlan, NamedTarget, TlsPlan } from './plan.ts'

/** The first bytes of version 2. */
const SIGNATURE = Buffer.from('0d0a0d0a000d0a515549540a', 'hex')
/** Version 2, command PROXY. */
const VERSION_AND_COMMAND = 0x21
/** TCP over IPv4, and over IPv6. */
const TCP4 = 0x11
const TCP6 = 0x21

export interface ConnectionRequest {
  target: NamedTarget
  destination: Destination
  plan: Pick<ForwardPlan, 'proxyVersion' | 'tls' | 'host'>
  isSecure: boolean
  /** Protocols in ALPN unless the caller lists them; empty: none. */
  alpn: readonly string[]
  /** Trusted besides the authorities of Node. */
  demoCa: string
  signal: AbortSignal
}

/** Resolves with a connection that is ready; `signal` closes it. */
export async function openConnection(request: ConnectionRequest): Promise<Socket> {
  const { destination, plan, signal } = request
  signal.throwIfAborted()
  const socket = connectTcp({ host: destination.address, port: destination.port })
  const end = (): void => void socket.destroy(signal.reason as Error)
  signal.addEventListener('abort', end, { once: true })
  socket.once('close', () => signal.removeEventListener('abort', end))
  await ready(socket, 'connect')
  if (plan.proxyVersion !== null) socket.write(proxyHeader(plan.proxyVersion, socket))
  if (!request.isSecure) return socket
  const secure = connectTls({ ...tlsOptions(request), socket })
  await ready(secure, 'secureConnect')
  return secure
}

function ready(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(event, () => {
      socket.off('error', reject)
      // From now on, whoever uses the connection sees its end.
      socket.on('error', () => {})
      resolve()
    })
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('the connection was closed')))
  })
}

function tlsOptions({ target, plan, alpn, demoCa }: ConnectionRequest): ConnectionOptions {
  const { tls, host } = plan
  const name = tls.serverName ?? hostName(host) ?? target.host
  const protocols = tls.alpn ?? alpn
  return {
    ...(isIP(name) === 0 ? { servername: name } : { host: name }),
    ...(protocols.length > 0 && { ALPNProtocols: [...protocols] }),
    ca: tls.ca === null ? [...rootCertificates, demoCa] : tls.ca,
    ...certificateOf(tls),
    rejectUnauthorized: !tls.isUnverified,
  }
}

function certificateOf({ cert, key }: TlsPlan): Pick<ConnectionOptions, 'cert' | 'key'> {
  return { ...(cert !== null && { cert }), ...(key !== null && { key }) }
}

/** The name in a value of `Host`. */
function hostName(host: string | null): string | null {
  return host === null || host === '' ? null : host.replace(/:\d{1,5}$/, '')
}

/** The header, with the addresses of the connection. */
function proxyHeader(
  version: 1 | 2,
  { localAddress = '', localPort = 0, remoteAddress = '', remotePort = 0 }: Socket,
): Buffer {
  const isIpv4 = isIP(localAddress) === 4
  if (version === 1)
    return Buffer.from(`PROXY TCP${isIpv4 ? 4 : 6} ${localAddress} ${remoteAddress} ${localPort} ${remotePort}\r\n`)
  const addresses = [localAddress, remoteAddress].map(address => (isIpv4 ? ipv4Bytes(address) : ipv6Bytes(address)))
  const ports = Buffer.alloc(4)
  ports.writeUInt16BE(localPort, 0)
  ports.writeUInt16BE(remotePort, 2)
  const content = Buffer.concat([...addresses, ports])
  const head = Buffer.from([VERSION_AND_COMMAND, isIpv4 ? TCP4 : TCP6, 0, content.length])
  return Buffer.concat([SIGNATURE, head, content])
}

function ipv4Bytes(address: string): Buffer {
  return Buffer.from(address.split('.').map(Number))
}

function ipv6Bytes(address: string): Buffer {
  const [left = '', right] = address.split('%', 1)[0]!.split('::')
  const words = (text: string): number[] => (text === '' ? [] : text.split(':').map(word => Number.parseInt(word, 16)))
  const [before, after] = [words(left), words(right ?? '')]
  const all =
    right === undefined ? before : [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after]
  const bytes = Buffer.alloc(16)
  for (const [index, word] of all.entries()) bytes.writeUInt16BE(word, index * 2)
  return bytes
}
