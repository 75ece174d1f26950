/** Checks the scopes that some tools require. */
import { type FastifyRequest } from 'svc/plugin'
import { shownText } from 'svc/toolkit'
import { CODES, RpcError } from '../errors.ts'
import type { HttpExchange } from '../http/exchange.ts'
import type { RpcRequest } from '../protocol/json-rpc.ts'
import type { Server } from '../servers/server.ts'
import type { JsonObject } from '../types.ts'
import { challenge, metadataUrl } from './protected-resource.ts'

/** Throws a JSON-RPC error with status 403 and a challenge (RFC 6750, 3.1) if the scope is missing. */
export function checkScope(exchange: HttpExchange, { method, params }: RpcRequest): void {
  const { server, request, claims } = exchange
  if (method !== 'tools/call') return
  const scope = server.tools.get(shownText(params.name))?.definition.scope
  const granted = scope === undefined ? null : grantedScopes(server, claims, request)
  if (scope === undefined || granted === null || granted.includes(scope)) return
  throw insufficientScope(exchange, scope)
}

/** The scopes of a caller; null if the server requires none. */
export function grantedScopes(
  { auth, definition }: Pick<Server, 'auth' | 'definition'>,
  claims: JsonObject | null,
  request: FastifyRequest,
): readonly string[] | null {
  if (definition.callerScopes) return definition.callerScopes(request)
  return auth === 'oauth' ? scopesOf(claims) : null
}

/** The claim `scope` is a string of scopes that are separated by spaces (RFC 9068, 2.2.3). */
export function scopesOf(claims: JsonObject | null): string[] {
  return typeof claims?.scope === 'string' ? claims.scope.split(' ') : []
}

function insufficientScope({ server, mcp, request }: HttpExchange, scope: string): RpcError {
  const description = server.isControl ? `this tool requires the scope ${scope}` : `the token lacks the scope ${scope}`
  const headers = challenge({
    realm: server.isControl ? 'svc-control' : undefined,
    error: 'insufficient_scope',
    scope,
    resource_metadata: server.isControl ? undefined : metadataUrl(mcp, server, request),
    error_description: description,
  })
  return new RpcError(CODES.scopeMissing, `Forbidden: ${description}`, {
    status: 403,
    data: { requiredScope: scope },
    headers,
  })
}
