/** Checks the scopes that some tools require on servers with `auth: oauth`. */
import { shownText } from 'svc/plugin'
import { CODES, RpcError } from '../errors.ts'
import type { Exchange } from '../calls/exchange.ts'
import type { RpcRequest } from '../calls/json-rpc.ts'
import type { JsonObject } from '../types.ts'
import { challenge, metadataUrl } from './protected-resource.ts'

/** Throws a JSON-RPC error with status 403 and a challenge (RFC 6750, 3.1) if the scope is missing. */
export function checkScope(exchange: Exchange, { method, params }: RpcRequest): void {
  const { server, mcp, request, claims } = exchange
  if (server.auth !== 'oauth' || method !== 'tools/call') return
  const scope = server.tools.get(shownText(params.name))?.definition.scope
  if (scope === undefined || grantedScopes(claims).includes(scope)) return
  const description = `the token lacks the scope ${scope}`
  const headers = challenge({
    error: 'insufficient_scope',
    scope,
    resource_metadata: metadataUrl(mcp, server, request),
    error_description: description,
  })
  throw new RpcError(CODES.scopeMissing, `Forbidden: ${description}`, {
    status: 403,
    data: { requiredScope: scope },
    headers,
  })
}

/** The claim `scope` is a string of scopes that are separated by spaces (RFC 9068, 2.2.3). */
function grantedScopes(claims: JsonObject | null): string[] {
  return typeof claims?.scope === 'string' ? claims.scope.split(' ') : []
}
