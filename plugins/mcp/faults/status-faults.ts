/** Faults that replace the response, as a server or a gateway in front of it would refuse the request. */
import { unauthorized } from '../access/bearer.ts'
import { challenge, metadataUrl } from '../access/protected-resource.ts'
import { CODES, RpcError } from '../errors.ts'
import type { HttpExchange } from '../http/exchange.ts'
import { sessionNotFound } from '../wire/legacy/serve.ts'
import type { StatusKind } from '../protocol/fault-kinds.ts'

/** Throws the error of the fault. A lost session really ends. */
export async function throwFault(kind: StatusKind, exchange: HttpExchange): Promise<never> {
  switch (kind) {
    case '401':
      throw unauthorized(asProtected(exchange), 'unauthorized', 'Bearer token required')
    case 'expired':
      throw unauthorized(asProtected(exchange), 'invalid_token', 'token expired')
    case '403':
      throw forbidden(asProtected(exchange))
    case '429':
    case '503':
      throw new RpcError(CODES.internal, 'injected', { status: Number(kind), headers: { 'Retry-After': '1' } })
    case 'session-lost': {
      const { sessions } = exchange.mcp.hub
      const session = await sessions.use(exchange.header('mcp-session-id') ?? '')
      if (session?.record.server === exchange.server.name) await sessions.end(session)
      throw sessionNotFound()
    }
    case 'rpc-error':
      throw new RpcError(CODES.internal, 'injected')
  }
}

/** The challenge names a server that has metadata. */
function asProtected({ mcp, server, request }: HttpExchange): Pick<HttpExchange, 'mcp' | 'server' | 'request'> {
  return { mcp, server: server.auth === 'oauth' ? server : (mcp.servers.get('protected') ?? server), request }
}

function forbidden({ mcp, server, request }: Pick<HttpExchange, 'mcp' | 'server' | 'request'>): RpcError {
  const scope = 'mcp:admin'
  const description = `the token lacks the scope ${scope}`
  const resource_metadata = metadataUrl(mcp, server, request)
  const headers = challenge({ error: 'insufficient_scope', scope, resource_metadata, error_description: description })
  return new RpcError(CODES.scopeMissing, `Forbidden: ${description}`, {
    status: 403,
    data: { requiredScope: scope },
    headers,
  })
}
