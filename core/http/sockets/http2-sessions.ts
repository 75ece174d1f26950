/** Idle timeouts of HTTP/2 connections; Node has them only for HTTP/1.1. */
import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2'

/**
 * Closes the connection (RFC 9113, 9.1) after this many milliseconds without a frame. Without open requests it closes
 * at once; otherwise it sends a PING and closes if the same time passes without an answer. Streams and calls may be
 * silent as long as the peer responds. After a protocol error Node sends GOAWAY but keeps the connection with all its
 * streams, so it is closed here.
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
    // The timer runs once, and a PING does not restart it.
    session.setTimeout(ms)
  })
}
