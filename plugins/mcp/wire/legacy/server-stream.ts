/** Owns GET in a session, which opens the standalone stream or resumes an interrupted stream. */
import type { SseStream } from 'svc/plugin'
import { transportError } from '../../errors.ts'
import type { HttpExchange } from '../../http/exchange.ts'
import { isResumable, readEventId } from '../../sessions/kept-messages.ts'
import type { Session } from '../../sessions/session.ts'
import { checkVersionHeader, requireSession } from './serve.ts'

/** How often a resumed stream is checked for a replica that is gone, in milliseconds. */
const LOST_LOOK_MS = 1_000

/** Opens or resumes a stream. Throws 400, 404, 406 or 409. */
export async function serveStream(exchange: HttpExchange): Promise<void> {
  checkVersionHeader(exchange)
  const session = await requireSession(exchange, 'streamable-http')
  if (!exchange.accepts.sse) throw transportError(406, 'Not Acceptable: GET requires Accept: text/event-stream')
  const lastEventId = exchange.header('last-event-id')
  if (lastEventId === undefined) await openStandalone(session, exchange)
  else await resume(session, lastEventId, exchange)
}

async function openStandalone(session: Session, exchange: HttpExchange): Promise<void> {
  const isFree = await exchange.mcp.hub.releaseStandalone(session)
  // Another GET may have been faster.
  const stream = isFree ? session.newStandalone() : undefined
  if (!stream) throw transportError(409, 'Conflict: the session already has a GET stream')
  const connection = connect(session, exchange)
  if (!connection) return
  stream.begin(connection, session.version.priming)
  const { request, server, mcp } = exchange
  const push = (method: string): void => void session.push(method)
  server.definition.hooks?.stream?.({ request, signal: mcp.svc.http.signal(request), push })
}

/** Throws 400 if the id is unknown or later messages are no longer kept, 409 if the stream is connected. */
async function resume(session: Session, lastEventId: string, exchange: HttpExchange): Promise<void> {
  const { hub } = exchange.mcp
  const after = readEventId(lastEventId)
  const status = after && (await hub.statusOf(session, after.stream))
  const kept = after ? await hub.sessions.kept(session.id, after.stream) : []
  if (!after || !isResumable(kept, after.position, status?.position ?? null))
    throw transportError(400, 'Bad Request: unknown Last-Event-ID')
  // Another GET may have been faster.
  if (status?.isConnected || session.statusOf(after.stream).isConnected)
    throw transportError(409, 'Conflict: this stream is still connected')
  const connection = connect(session, exchange)
  if (!connection) return
  session.resume(connection, after.stream, after.position)
  if (kept.some(({ call }) => call !== undefined))
    void endWhenLost(session, after.stream, { hub, connection }).catch(() => {})
}

/** Ends the stream of a call when the replica that worked on it is gone. */
async function endWhenLost(
  session: Session,
  stream: number,
  { hub, connection }: { hub: HttpExchange['mcp']['hub']; connection: SseStream },
): Promise<void> {
  while (!connection.closed) {
    const isUnwritten = await hub.isUnwritten(session, stream)
    // Read afterwards: its end may have been kept before its replica said that it writes no more.
    const kept = isUnwritten ? await hub.sessions.kept(session.id, stream).catch(() => []) : []
    const last = kept.at(-1)
    if (last !== undefined) {
      if (!last.isLast) session.endLost(last)
      return
    }
    await new Promise(resolve => setTimeout(resolve, LOST_LOOK_MS).unref())
  }
}

function connect(session: Session, exchange: HttpExchange) {
  exchange.reply.header('Mcp-Session-Id', session.id)
  const connection = exchange.openStream({ endless: true, lifetimeMs: exchange.mcp.bounds.longStreamMs })
  if (connection) session.trackConnection(connection)
  return connection
}
