/** Wraps the handlers of MCP routes: finds the server, checks access and sends errors. */
import type { FastifyReply, FastifyRequest } from 'svc/plugin'
import { checkApiKey } from '../access/api-key.ts'
import { checkBearer } from '../access/bearer.ts'
import { checkLoop } from '../bridge/forwarding.ts'
import { RpcError, transportError, withStateError } from '../errors.ts'
import { HttpExchange, factHeaders } from '../http/exchange.ts'
import type { Mcp } from '../mcp.ts'
import type { JsonObject } from '../types.ts'

export type Serve = (exchange: HttpExchange) => void | Promise<void>

/**
 * Creates a route handler for the server `unnamed`, or for the one that the path parameter names. `checkMethod` runs
 * before authentication.
 */
export function guard(mcp: Mcp, unnamed: string | undefined, serve: Serve, checkMethod: Serve = () => {}) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const name = unnamed ?? (request.params as { name: string }).name
    const server = mcp.servers.get(name)
    if (!server || server.isNamed === (unnamed !== undefined)) return sendUnknownServer(mcp, name, reply)
    const { hostile, hooks } = server.definition
    if (hostile !== undefined) reply.header('X-Svc-Mcp-Hostile', hostile)
    if (hooks?.arrive?.(request, reply) === true) return reply
    const exchange = new HttpExchange(mcp, server, request, reply)
    try {
      checkOrigin(exchange)
      checkMethod(exchange)
      if (server.auth !== 'open') exchange.claims = await authenticate(exchange)
      checkLoop(exchange.header('x-svc-mcp-via'), mcp.svc.instance.id)
      await server.bridge?.firstAttempt()
      await serve(exchange)
    } catch (caught) {
      const error = withStateError(caught)
      if (!(error instanceof RpcError)) {
        reply.headers(factHeaders(exchange.facts))
        throw error
      }
      exchange.sendError(error)
    }
    return reply
  }
}

/** Protects local servers from DNS rebinding. Accepts requests without `Origin`, because browsers send it. Throws 403. */
function checkOrigin({ request, mcp }: HttpExchange): void {
  const { origin } = request.headers
  const { allowedOrigins } = mcp.svc.variables
  if (origin === undefined || allowedOrigins.includes('*')) return
  if (!allowedOrigins.includes(origin.replace(/\/$/, '').toLowerCase()))
    throw transportError(403, 'Forbidden: this Origin is not allowed')
}

/** The caller's claims; null on open servers. Throws 401. */
async function authenticate(exchange: HttpExchange): Promise<JsonObject | null> {
  if (exchange.server.auth === 'oauth') return checkBearer(exchange)
  return exchange.server.auth === 'apikey' ? checkApiKey(exchange) : null
}

function sendUnknownServer(mcp: Mcp, name: string, reply: FastifyReply): FastifyReply {
  const available = [...mcp.servers.values()]
    .filter(server => server.isNamed && server.definition.hostile === undefined)
    .map(server => server.name)
  return reply.code(404).headers(factHeaders({})).send({ error: 'unknown MCP server', name, available })
}
