/** Hands TLS connections with certain server names to plugins, before any handshake. */
import type { Server } from 'node:http'
import type { Http2SecureServer } from 'node:http2'
import type { Socket } from 'node:net'
import type { TlsAccept, TlsConnection } from '../../contract/tls.ts'
import { findServerName, MAX_HELLO_BYTES } from './server-name.ts'
import { setTransport } from './transport.ts'

/** How long a client has to send its ClientHello. */
const HELLO_MS = 20_000
/** Record headers of a ClientHello in many small records. */
const MAX_RECEIVED_BYTES = 8 * MAX_HELLO_BYTES

/** A plugin's interest in server names. */
export interface TlsNameHandler {
  match(serverName: string): boolean
  accept: TlsAccept
}

export interface TlsNames {
  /** The handlers of the current generation. */
  handlers(): readonly TlsNameHandler[]
  /** Whether the certificate of the listener is valid for a name: such a name stays with the listener. */
  isOwnName(serverName: string): boolean
}

/**
 * Inspects the first bytes before the server handles a connection. Other connections, and all while no plugin has
 * registered names, are served as if this did not exist.
 */
export function routeServerNames(
  server: Server | Http2SecureServer,
  { handlers, isOwnName }: TlsNames,
  alpnProtocols: readonly string[],
): void {
  const [serve] = server.listeners('connection') as ((socket: Socket) => void)[]
  server.removeListener('connection', serve!)
  // Listed first, as the server's own listener was.
  server.prependListener('connection', (socket: Socket) => {
    if (handlers().length === 0) return serve!.call(server, socket)
    readServerName(socket, name => {
      const handler = name === null || isOwnName(name) ? undefined : handlers().find(({ match }) => match(name))
      if (handler === undefined) serve!.call(server, socket)
      else handler.accept(connectionOf(socket, name!, server, alpnProtocols))
    })
  })
}

/** Hands a connection to a plugin, whatever its server name. What the plugin serves is served by the server. */
export function acceptAnyName(
  socket: Socket,
  accept: TlsAccept,
  server: Server | Http2SecureServer,
  alpnProtocols: readonly string[],
): void {
  readServerName(socket, name => accept(connectionOf(socket, name ?? '', server, alpnProtocols)))
}

function connectionOf(
  socket: Socket,
  serverName: string,
  server: Server | Http2SecureServer,
  alpnProtocols: readonly string[],
): TlsConnection {
  return {
    socket,
    serverName,
    alpnProtocols,
    serve(secured) {
      setTransport(secured, socket)
      // Node's HTTP/2 server takes its settings for HTTP/1.1 from here.
      Object.assign(secured, { server })
      server.emit('secureConnection', secured)
    },
  }
}

/** Calls `found` with the server name of the ClientHello, or null, and leaves all bytes in the socket. */
export function readServerName(socket: Socket, found: (name: string | null) => void): void {
  const timer = setTimeout(() => socket.destroy(), HELLO_MS)
  let seen: Buffer = Buffer.alloc(0)
  const onData = (chunk: Buffer): void => {
    seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk])
    const state = findServerName(seen)
    if (state.state === 'too-long' || seen.length > MAX_RECEIVED_BYTES) return void socket.destroy()
    if (state.state === 'more') return
    clearTimeout(timer)
    socket.off('data', onData).off('end', onEnd).off('close', onClose)
    socket.pause()
    socket.unshift(seen)
    found(state.state === 'name' ? state.name : null)
  }
  // Checks of a load balancer connect and close: their sockets need not wait for the timer.
  const onEnd = (): void => void socket.destroy()
  const onClose = (): void => clearTimeout(timer)
  socket.on('data', onData).on('end', onEnd).on('close', onClose)
}
