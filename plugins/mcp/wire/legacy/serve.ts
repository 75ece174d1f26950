/** Owns POST and DELETE in the legacy revisions: the messages of a session. */
import { readGrants } from '../../access/grants.ts'
import { checkScope } from '../../access/scope.ts'
import { STREAM_AFTER_MS } from '../../bounds.ts'
import { CODES, transportError, RpcError } from '../../errors.ts'
import type { HttpExchange } from '../../http/exchange.ts'
import { errorText, readMessage, resultText, type RequestId, type RpcRequest } from '../../protocol/json-rpc.ts'
import type { Session } from '../../sessions/session.ts'
import type { Transport } from '../../sessions/session-record.ts'
import { legacyVersion } from '../../protocol/versions.ts'
import { unsupportedVersion } from '../stateless/envelope.ts'
import { respondTo } from './respond.ts'
import { serveBatch } from './batch.ts'
import { initializeResult, readSessionParameters } from './initialize.ts'
import { handleOneWayMessage } from './one-way-messages.ts'
import { NO_STREAM, PostChannel } from './response-channel.ts'

/** Responds to a POST. Throws errors of the transport. */
export async function serveLegacy(exchange: HttpExchange, body: unknown): Promise<void> {
  checkVersionHeader(exchange)
  if (Array.isArray(body)) {
    exchange.facts.method = 'batch'
    return serveBatch(body, await requireSession(exchange, 'streamable-http'), exchange)
  }
  const message = readMessage(body)
  if (message.kind !== 'response') exchange.facts.method = message.method
  if (message.kind === 'request' && message.method === 'initialize') return initialize(message, exchange)
  const session = await requireSession(exchange, 'streamable-http')
  if (message.kind === 'request') return serveRequest(message, session, exchange)
  await handleOneWayMessage(message, session, exchange.mcp.hub)
  exchange.accept()
}

/** Ends the session. */
export async function endSession(exchange: HttpExchange): Promise<void> {
  checkVersionHeader(exchange)
  const session = await requireSession(exchange, 'streamable-http')
  await exchange.mcp.hub.sessions.end(session)
  exchange.sendJson(200, JSON.stringify({ terminated: session.id }))
}

/** Accepts every legacy revision, even if it differs from that of the session. Throws -32022. */
export function checkVersionHeader(exchange: HttpExchange): void {
  const header = exchange.header('mcp-protocol-version')
  if (header !== undefined && !legacyVersion(header)) throw unsupportedVersion(header)
}

/** The session of the request. Throws 400 without an id, 404 if the session is unknown or not accessible. */
export async function requireSession(
  exchange: HttpExchange,
  transport: Transport,
  id = exchange.header('mcp-session-id'),
): Promise<Session> {
  if (!id) throw transportError(400, 'Bad Request: Mcp-Session-Id header is required')
  const session = await exchange.mcp.hub.sessions.use(id)
  const isOwn =
    session &&
    session.record.server === exchange.server.name &&
    session.record.transport === transport &&
    isSamePrincipal(session, exchange)
  if (!isOwn) throw sessionNotFound()
  exchange.facts.session = session.id
  exchange.facts.version = session.version.name
  return session
}

export function sessionNotFound(): RpcError {
  return new RpcError(CODES.sessionNotFound, 'Session not found', { status: 404 })
}

function isSamePrincipal({ record }: Session, { claims }: HttpExchange): boolean {
  return record.principal === (typeof claims?.sub === 'string' ? claims.sub : null)
}

/** Creates a session. A session id in the request is ignored. */
async function initialize(request: RpcRequest, exchange: HttpExchange): Promise<void> {
  const { mcp, server } = exchange
  const parameters = readSessionParameters(request, server, 'streamable-http', {
    claims: exchange.claims,
    owner: mcp.svc.http.session(exchange.request).header,
  })
  const session = await mcp.hub.sessions.create(parameters, server.definition.maxSessions)
  exchange.facts.session = session.id
  exchange.facts.version = session.version.name
  exchange.reply.header('Mcp-Session-Id', session.id)
  await readGrants(server, mcp)
  const text = resultText(request.id, initializeResult(session, server))
  if (exchange.accepts.json) exchange.sendJson(200, text)
  else new PostChannel(exchange, session).complete(text)
}

async function serveRequest(request: RpcRequest, session: Session, exchange: HttpExchange): Promise<void> {
  checkScope(exchange, request)
  if (!exchange.accepts.sse)
    return exchange.sendJson(200, (await respondTo(request, session, exchange, NO_STREAM)) ?? cancelledText(request.id))
  const channel = new PostChannel(exchange, session, request.id)
  const timer = setTimeout(() => channel.open(), STREAM_AFTER_MS)
  const response = await respondTo(request, session, exchange, channel)
  clearTimeout(timer)
  if (response === null || channel.hasBegun || !exchange.accepts.json) channel.complete(response ?? undefined)
  else exchange.sendJson(200, response)
}

/** The response to a canceled request, for clients that do not accept streams. */
function cancelledText(id: RequestId): string {
  return errorText(id, new RpcError(CODES.cancelled, 'Request cancelled'))
}
