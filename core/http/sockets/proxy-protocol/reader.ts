/** Reads the PROXY protocol header of a connection before anything else, and keeps it with the connection. */
import type { Server } from 'node:http'
import type { Http2SecureServer } from 'node:http2'
import type { Socket } from 'node:net'
import type { ProxyHeader } from '../../../contract/proxy-header.ts'
import { transportOf } from '../transport.ts'
import { findProxyHeader, type ProxyHeaderState } from './header.ts'
import type { ProxyPolicy } from './policy.ts'

/** How long a client has to send the whole header. */
const HEADER_MS = 5_000

const kHeader = Symbol('svc.socket.proxy-header')
const kContinued = Symbol('svc.socket.continued')
interface WithHeader {
  [kHeader]?: ProxyHeader
  [kContinued]?: true
}

/** The header of a connection, plain or TLS; null without one. */
export function proxyHeaderOf(socket: Socket): ProxyHeader | null {
  return (transportOf(socket) as WithHeader)[kHeader] ?? null
}

/** Marks a connection that goes on at another listener: a header came before, or none. */
export function markContinued(socket: Socket): void {
  ;(socket as WithHeader)[kContinued] = true
}

export interface ProxyReading {
  /** The connection goes on; everything but the header is still in the socket. */
  onServed(header: ProxyHeader | null): void
  /** The connection was closed. */
  onRefused(error: string): void
}

/** Reads the header, if the policy wants one. The connection is served or closed within 5 s. */
export function readProxyHeader(socket: Socket, policy: ProxyPolicy, { onServed, onRefused }: ProxyReading): void {
  const { mode } = policy
  if (mode === 'off') return onServed(null)
  const isTrusted = policy.isTrusted(socket.remoteAddress ?? '')
  const refuse = (result: 'invalid' | 'untrusted' | 'none', error: string): void => {
    policy.count(result)
    leave()
    onRefused(error)
    socket.destroy()
  }
  const serve = (header: ProxyHeader | null): void => {
    policy.count(header === null ? 'none' : !isTrusted ? 'untrusted' : header.version === 1 ? 'v1' : 'v2')
    leave()
    if (header !== null) (socket as WithHeader)[kHeader] = header
    // The listener for `readable` has been removed by the next turn, so the next reader chooses its own way to read.
    process.nextTick(() => {
      if (!socket.destroyed) onServed(header)
    })
  }
  const leave = (): void => {
    clearTimeout(timer)
    socket.off('readable', onReadable).off('end', onEnd).off('close', leave)
  }
  const onEnd = (): void => refuse('invalid', 'the connection ended before the header')
  let seen: Buffer = Buffer.alloc(0)
  const onReadable = (): void => {
    for (let chunk: Buffer | null; (chunk = socket.read() as Buffer | null) !== null; ) {
      seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk])
      const found: ProxyHeaderState = findProxyHeader(seen)
      if (found.state === 'more') continue
      if (found.state === 'broken') return refuse('invalid', found.error)
      if (found.state === 'none') {
        if (mode === 'strict') return refuse('none', 'there is no header')
        socket.unshift(seen)
        return serve(null)
      }
      const rest = seen.subarray(found.length)
      if (rest.length > 0) socket.unshift(rest)
      return serve({ ...found.header, trusted: isTrusted })
    }
  }
  // A client may wait for what the server says first.
  const onTimeout = (): void => {
    if (mode === 'optional' && seen.length === 0) serve(null)
    else refuse('invalid', 'the header did not come in time')
  }
  const timer = setTimeout(onTimeout, HEADER_MS)
  if (!isTrusted && mode === 'strict') return refuse('untrusted', 'the peer is not one of SVC_PROXY_PROTOCOL_FROM')
  socket.on('readable', onReadable).on('end', onEnd).on('close', leave)
}

/** Reads the header of each connection before a server handles it. */
export function readProxyHeaders(server: Server | Http2SecureServer, policy: ProxyPolicy): void {
  const [serve] = server.listeners('connection') as ((socket: Socket) => void)[]
  server.removeListener('connection', serve!)
  // Listed first, as the server's own listener was.
  server.prependListener('connection', (socket: Socket) => {
    if ((socket as WithHeader)[kContinued] === true) serve!.call(server, socket)
    else readProxyHeader(socket, policy, { onServed: () => serve!.call(server, socket), onRefused() {} })
  })
}
