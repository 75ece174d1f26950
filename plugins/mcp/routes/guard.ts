/** Wraps the handlers of MCP routes: finds the server, checks access and sends errors. */
import type { FastifyReply, FastifyRequest } from 'svc/plugin'
import { authenticate } from '../access/authenticate.ts'
import { checkOrigin } from '../access/origin.ts'
import { checkLoop } from '../bridge/forwarding.ts'
import { RpcError, withStateError } from '../errors.ts'
import { Exchange, factHeaders } from '../calls/exchange.ts'
import type { Mcp } from '../mcp.ts'

export type Serve = (exchange: Exchange) => void | Promise<void>

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
    const exchange = new Exchange(mcp, server, request, reply)
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

function sendUnknownServer(mcp: Mcp, name: string, reply: FastifyReply): FastifyReply {
  const available = [...mcp.servers.values()]
    .filter(server => server.isNamed && server.definition.hostile === undefined)
    .map(server => server.name)
  return reply.code(404).headers(factHeaders({})).send({ error: 'unknown MCP server', name, available })
}
