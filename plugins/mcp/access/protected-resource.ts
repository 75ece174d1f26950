/** Owns the OAuth protected resources: their identifiers, metadata documents (RFC 9728) and challenges. */
import type { FastifyRequest } from 'svc/plugin'
import type { Mcp } from '../mcp.ts'
import type { Server } from '../servers/server.ts'
import type { JsonObject } from '../types.ts'

export const METADATA_PATH = '/.well-known/oauth-protected-resource'
export const BASE_SCOPE = 'mcp:tools'
export const WRITE_SCOPE = 'mcp:tools:write'
/** Algorithms of proofs that the identity provider accepts. */
const DPOP_ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

/** Path of a server's Streamable HTTP endpoint. */
export function endpointPath(server: Server): string {
  if (server.definition.path !== undefined) return server.definition.path
  if (server.name === 'default') return '/mcp'
  return server.isNamed ? `/mcp/servers/${server.name}` : `/mcp/${server.name}`
}

/** The resource identifier of a server for this request, without a trailing `/`. */
export function resourceUrl(mcp: Mcp, server: Server, request: FastifyRequest): string {
  const configured = server.name === 'protected' ? mcp.svc.variables.resourceUrl : null
  if (configured !== null) return configured
  const { http } = mcp.svc
  return isAtRootOfHost(mcp, request) ? http.url(request, '/').slice(0, -1) : http.url(request, endpointPath(server))
}

/** Whether the endpoint is the root of a host that the server has for itself, or the document describes that. */
function isAtRootOfHost({ svc: { http } }: Mcp, request: FastifyRequest): boolean {
  const [path] = http.target(request).split('?', 1)
  return (path === '/' || path === METADATA_PATH) && request.url.split('?', 1)[0] !== path
}

/** The metadata document of a server (RFC 9728, 2). */
export function metadata(mcp: Mcp, server: Server, request: FastifyRequest): JsonObject {
  const document = {
    resource: resourceUrl(mcp, server, request),
    authorization_servers: [
      mcp.svc.use('identity.tokens')?.issuer(request, server.definition.issuer) ?? mcp.svc.http.baseUrl(request),
    ],
    scopes_supported: [...new Set([...baseScopes(server), ...toolScopes(server)])],
    bearer_methods_supported: ['header'],
    resource_name: `svc MCP (${server.name})`,
    resource_documentation: mcp.svc.http.url(request, '/'),
    ...keyBinding(server),
  }
  return server.definition.hooks?.metadata?.(document, request) ?? document
}

/** The scopes that every request needs, or that a client should ask for. */
export function baseScopes({ definition }: Server): readonly string[] {
  return definition.scopes ?? [BASE_SCOPE]
}

/** A server without scopes of its own may select any tool. */
function toolScopes({ definition, tools }: Server): string[] {
  if (definition.scopes === undefined) return [WRITE_SCOPE]
  return [...tools.values()].flatMap(({ definition: { scope } }) => scope ?? [])
}

/** Members of RFC 9449, 5.1, as resource metadata (RFC 9728, 2). */
function keyBinding({ definition: { dpop = 'off' } }: Server): JsonObject {
  if (dpop === 'off') return {}
  return {
    dpop_bound_access_tokens_required: dpop === 'required',
    dpop_signing_alg_values_supported: DPOP_ALGORITHMS,
  }
}

export function metadataUrl(mcp: Mcp, server: Server, request: FastifyRequest): string {
  if (isAtRootOfHost(mcp, request)) return mcp.svc.http.baseUrl(request) + METADATA_PATH
  return mcp.svc.http.url(request, METADATA_PATH + endpointPath(server))
}

/** `WWW-Authenticate` (RFC 6750, 3; RFC 9728, 5.1): parameters keep their order, undefined ones are omitted. */
export function challenge(
  parameters: Record<string, string | undefined>,
  scheme: 'Bearer' | 'DPoP' = 'Bearer',
): Record<string, string> {
  const text = Object.entries(parameters)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}="${value}"`]))
    .join(', ')
  return { 'WWW-Authenticate': `${scheme} ${text}` }
}
