/** HTTP/2 with prior knowledge and HTTP/1.1 on the same plain-text port (RFC 9113, 3.3). */
import type { Server } from 'node:http'
import type { Http2Server } from 'node:http2'
import type { Socket } from 'node:net'
import { markSocketInUse } from './socket-owner.ts'

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
const FIRST_BYTES_MS = 10_000

/**
 * Inspects the first bytes before the server handles a connection. The HTTP/1.1 server remains the listener, so that
 * closing, timeouts and connection counts keep working; the HTTP/2 server never listens.
 */
export function sniffHttp2(server: Server, http2: Http2Server): void {
  const [serveHttp1] = server.listeners('connection') as ((socket: Socket) => void)[]
  server.removeListener('connection', serveHttp1!)
  server.on('connection', (socket: Socket) => {
    const timer = setTimeout(() => socket.destroy(), FIRST_BYTES_MS)
    let seen: Buffer = Buffer.alloc(0)
    const decide = (isHttp2: boolean): void => {
      clearTimeout(timer)
      socket.off('data', onData).off('close', onClose)
      socket.pause()
      socket.unshift(seen)
      if (isHttp2) {
        markSocketInUse(socket)
        // Like an HTTP/2-only server: a client that ends its side will send no more requests, and its connection would
        // never become idle enough to be closed.
        socket.allowHalfOpen = false
        http2.emit('connection', socket)
      } else {
        serveHttp1!.call(server, socket)
        // An HTTP/2 session reads the unshifted bytes itself; resuming the socket would lose them.
        socket.resume()
      }
    }
    const onData = (chunk: Buffer): void => {
      seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk])
      const compared = Math.min(seen.length, PREFACE.length)
      if (!seen.subarray(0, compared).equals(PREFACE.subarray(0, compared))) decide(false)
      else if (seen.length >= PREFACE.length) decide(true)
    }
    const onClose = (): void => clearTimeout(timer)
    socket.on('data', onData).on('close', onClose)
  })
}
