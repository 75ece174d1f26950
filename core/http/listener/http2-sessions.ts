/** How long an HTTP/2 connection lives on which nothing happens: Node has a limit for HTTP/1.1 alone. */
import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2'

/**
 * Ends the connection (RFC 9113, 9.1) after so many milliseconds without a frame: at once while no request is open on
 * it, else when as much time again goes by without an answer to a PING. Streams and calls may be silent as long as
 * somebody is there; after an error of the protocol Node says GOAWAY, and keeps the connection with all its streams.
 */
export function closeWhenIdle(session: ServerHttp2Session, ms: number): void {
  let open = 0
  let isAsked = false
  const onStreamClose = (): void => {
    open--
  }
  session.on('stream', (stream: ServerHttp2Stream) => {
    open++
    stream.once('close', onStreamClose)
  })
  session.setTimeout(ms)
  session.on('timeout', () => {
    if (open === 0) return session.close()
    if (isAsked) return session.destroy()
    isAsked = true
    session.ping(error => {
      if (error === null) isAsked = false
    })
    // The timer runs once, and a PING does not start it anew.
    session.setTimeout(ms)
  })
}
