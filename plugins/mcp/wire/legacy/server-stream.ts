/** Owns GET in a session, which opens the standalone stream or resumes an interrupted stream. */
import { transportError } from '../../errors.ts'
import type { Exchange } from '../../calls/exchange.ts'
import type { Session } from '../../sessions/session.ts'
import { readEventId, type SessionStream } from '../../sessions/session-stream.ts'
import { checkVersionHeader, requireSession } from './serve.ts'

/** Opens or resumes a stream. Throws 400, 404, 406 or 409. */
export function serveStream(exchange: Exchange): void {
  checkVersionHeader(exchange)
  const session = requireSession(exchange, 'streamable-http')
  if (!exchange.accepts.sse) throw transportError(406, 'Not Acceptable: GET requires Accept: text/event-stream')
  const lastEventId = exchange.header('last-event-id')
  if (lastEventId === undefined) return openStandalone(session, exchange)
  const { stream, sequence } = findStream(session, lastEventId)
  if (stream.isConnected) throw transportError(409, 'Conflict: this stream is still connected')
  const connection = connect(session, exchange)
  if (connection) stream.resume(connection, sequence)
}

function openStandalone(session: Session, exchange: Exchange): void {
  const stream = session.newStandalone()
  if (!stream) throw transportError(409, 'Conflict: the session already has a GET stream')
  const connection = connect(session, exchange)
  if (connection) stream.begin(connection, session.version.priming)
}

function connect(session: Session, exchange: Exchange) {
  exchange.reply.header('Mcp-Session-Id', session.id)
  const connection = exchange.openStream({ endless: true, lifetimeMs: exchange.mcp.bounds.longStreamMs })
  if (connection) session.trackConnection(connection, exchange.mcp.hub.sessions.now)
  return connection
}

/** Throws 400 if the id is unknown or later messages are no longer kept. */
function findStream(session: Session, lastEventId: string): { stream: SessionStream; sequence: number } {
  const eventId = readEventId(lastEventId)
  const stream = eventId && session.stream(eventId.stream)
  if (!stream || !stream.canResume(eventId.sequence)) throw transportError(400, 'Bad Request: unknown Last-Event-ID')
  return { stream, sequence: eventId.sequence }
}
