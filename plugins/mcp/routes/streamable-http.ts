/** Owns the Streamable HTTP endpoints: POST, GET and DELETE of each server. */
import { describe, type FastifyInstance, type RouteDescription } from 'svc/plugin'
import { isJson } from '../http/media-types.ts'
import { transportError } from '../errors.ts'
import type { HttpExchange } from '../http/exchange.ts'
import { parseBody, readId } from '../protocol/json-rpc.ts'
import { injectFaults } from '../faults/inject.ts'
import type { Mcp } from '../mcp.ts'
import { STATELESS } from '../protocol/versions.ts'
import { endSession, serveLegacy } from '../wire/legacy/serve.ts'
import { serveStream } from '../wire/legacy/server-stream.ts'
import { isStateless, serveStateless } from '../wire/stateless/serve.ts'
import { describeDelete, describeGet, describePost, type Endpoint } from './descriptions.ts'
import { guard } from './guard.ts'
import { runMessageHook } from './hooks.ts'

/** Registers the routes of an endpoint; returns its POST description, to which each server adds examples. */
export function registerEndpoint(app: FastifyInstance, mcp: Mcp, endpoint: Endpoint): RouteDescription {
  const post = describePost(endpoint, mcp)
  app.post(endpoint.route, describe(post), guard(mcp, endpoint.server, servePost))
  app.get(
    endpoint.route,
    describe(describeGet(endpoint, mcp)),
    guard(mcp, endpoint.server, serveStream, requireSessionMethod),
  )
  app.delete(
    endpoint.route,
    describe(describeDelete(endpoint, mcp)),
    guard(mcp, endpoint.server, endSession, requireSessionMethod),
  )
  return post
}

/** Checks of a POST before its body is read, in order. */
const POST_CHECKS: readonly ((exchange: HttpExchange) => void)[] = [checkAccept, checkContentType]

async function servePost(exchange: HttpExchange): Promise<void> {
  for (const check of POST_CHECKS) check(exchange)
  const body = parseBody(exchange.mcp.svc.http.body(exchange.request))
  exchange.facts.requestId = readId(body)
  if (!exchange.server.isControl) await injectFaults(exchange, body)
  await runMessageHook(exchange, body)
  if (isStateless(exchange.header('mcp-protocol-version'), body)) await serveStateless(exchange, body)
  else await serveLegacy(exchange, body)
}

function checkAccept({ accepts }: HttpExchange): void {
  if (!accepts.json && !accepts.sse)
    throw transportError(406, 'Not Acceptable: accept application/json, text/event-stream, or both')
}

function checkContentType({ request }: HttpExchange): void {
  if (!isJson(request.headers['content-type']))
    throw transportError(415, 'Unsupported Media Type: Content-Type must be application/json')
}

/** The stateless revision supports only POST; HEAD is not supported at all. */
function requireSessionMethod(exchange: HttpExchange): void {
  if (exchange.header('mcp-protocol-version') === STATELESS.name)
    throw transportError(405, `Method Not Allowed: ${STATELESS.name} supports only POST`, { Allow: 'POST' })
  if (exchange.request.method === 'HEAD')
    throw transportError(405, 'Method Not Allowed', { Allow: 'POST, GET, DELETE' })
}
