/** Owns the routes of the HTTP+SSE transport of 2024-11-05: a stream for all responses, and a path to post messages to. */
import { describe, type FastifyInstance } from 'svc/plugin'
import { readGrants } from '../access/grants.ts'
import { isJson } from '../http/media-types.ts'
import { RpcError, transportError } from '../errors.ts'
import type { HttpExchange } from '../http/exchange.ts'
import { errorText, parseBody, readId, readMessage, resultText, type RpcRequest } from '../protocol/json-rpc.ts'
import { injectFaults } from '../faults/inject.ts'
import { isStatusKind } from '../protocol/fault-kinds.ts'
import type { Mcp } from '../mcp.ts'
import type { Session } from '../sessions/session.ts'
import type { SessionParameters } from '../sessions/session-record.ts'
import { OLDEST } from '../protocol/versions.ts'
import { respondTo } from '../wire/legacy/respond.ts'
import { initializeResult, readSessionParameters } from '../wire/legacy/initialize.ts'
import { handleOneWayMessage } from '../wire/legacy/one-way-messages.ts'
import { httpSseChannel } from '../wire/legacy/response-channel.ts'
import { requireSession, sessionNotFound } from '../wire/legacy/serve.ts'
import { describeHttpSsePost, describeHttpSseStream } from './descriptions.ts'
import { guard } from './guard.ts'

const TRANSPORT = 'http+sse'
const MESSAGES_PATH = '/mcp/messages'

export function registerHttpSse(app: FastifyInstance, mcp: Mcp): void {
  app.get('/mcp/sse', describe(describeHttpSseStream(mcp)), guard(mcp, 'default', openStream))
  app.post(MESSAGES_PATH, describe(describeHttpSsePost(mcp)), guard(mcp, 'default', takeMessage))
}

/** The session begins and ends with the stream. */
async function openStream(exchange: HttpExchange): Promise<void> {
  const { mcp, request, server } = exchange
  if (request.method === 'HEAD') throw transportError(405, 'Method Not Allowed', { Allow: 'GET' })
  if (!exchange.accepts.sse) throw transportError(406, 'Not Acceptable: this stream requires Accept: text/event-stream')
  const { sessions } = mcp.hub
  const session = await sessions.create({
    server: server.name,
    transport: TRANSPORT,
    version: OLDEST.name,
    capabilities: [],
    principal: null,
    owner: mcp.svc.http.session(request).header,
  })
  exchange.facts.session = session.id
  exchange.facts.version = session.version.name
  const connection = exchange.openStream({ endless: true, lifetimeMs: mcp.bounds.longStreamMs })
  if (!connection) return sessions.end(session)
  connection.send({ event: 'endpoint', data: mcp.svc.http.path(request, `${MESSAGES_PATH}?sessionId=${session.id}`) })
  session.attachHttpSse(connection)
  session.trackConnection(connection)
  void connection.over.then(() => sessions.end(session))
}

/** Accepts the message at once; the response is sent on the stream. */
async function takeMessage(exchange: HttpExchange): Promise<void> {
  const { sessionId } = exchange.request.query as { sessionId?: string | string[] }
  if (typeof sessionId !== 'string' || sessionId === '')
    throw transportError(400, 'Bad Request: the query parameter sessionId is required')
  if (!isJson(exchange.request.headers['content-type']))
    throw transportError(415, 'Unsupported Media Type: Content-Type must be application/json')
  const body = parseBody(exchange.mcp.svc.http.body(exchange.request))
  exchange.facts.requestId = readId(body)
  // The response is not that of this request, so only refusals can be injected.
  await injectFaults(exchange, body, isStatusKind)
  const message = readMessage(body)
  if (message.kind !== 'response') exchange.facts.method = message.method
  const session = await requireSession(exchange, TRANSPORT, sessionId)
  if (!exchange.mcp.hub.hasHttpSse(session)) throw sessionNotFound()
  exchange.reply.type('text/plain; charset=utf-8')
  exchange.accept('Accepted')
  if (message.kind !== 'request') await handleOneWayMessage(message, session, exchange.mcp.hub)
  else if (message.method === 'initialize') await initialize(message, session, exchange)
  else void respond(message, session, exchange)
}

/** The session was created with the stream; `initialize` sets its revision and capabilities. */
async function initialize(request: RpcRequest, session: Session, exchange: HttpExchange): Promise<void> {
  let parameters: SessionParameters
  try {
    parameters = readSessionParameters(request, exchange.server, TRANSPORT, {
      claims: null,
      owner: session.record.owner,
    })
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    return session.writeHttpSse(errorText(request.id, error))
  }
  const { version, capabilities } = parameters
  await exchange.mcp.hub.sessions.change(session, () => ({ version, capabilities }))
  await readGrants(exchange.server, exchange.mcp)
  session.writeHttpSse(resultText(request.id, initializeResult(session, exchange.server)))
}

async function respond(request: RpcRequest, session: Session, exchange: HttpExchange): Promise<void> {
  const text = await respondTo(request, session, exchange, httpSseChannel(session))
  if (text !== null) session.writeHttpSse(text)
}
