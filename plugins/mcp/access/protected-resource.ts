/** Owns the OAuth protected resources: their identifiers, metadata documents (RFC 9728) and challenges. */
import type { FastifyRequest } from 'svc/plugin'
import type { Mcp } from '../mcp.ts'
import type { Server } from '../registry/server.ts'
import type { JsonObject } from '../types.ts'

export const METADATA_PATH = '/.well-known/oauth-protected-resource'
export const BASE_SCOPE = 'mcp:tools'
export const WRITE_SCOPE = 'mcp:tools:write'

/** Path of a server's Streamable HTTP endpoint. */
export function endpointPath(server: Server): string {
  if (server.name === 'default') return '/mcp'
  return server.isNamed ? `/mcp/servers/${server.name}` : `/mcp/${server.name}`
}

/** The resource identifier of a server for this request, without a trailing `/`. */
export function resourceUrl(mcp: Mcp, server: Server, request: FastifyRequest): string {
  const configured = server.name === 'protected' ? mcp.svc.variables.resourceUrl : null
  return configured ?? mcp.svc.http.url(request, endpointPath(server))
}

/** The metadata document of a server (RFC 9728, 2). */
export function metadata(mcp: Mcp, server: Server, request: FastifyRequest): JsonObject {
  return {
    resource: resourceUrl(mcp, server, request),
    authorization_servers: [mcp.svc.use('identity.tokens')?.issuer(request) ?? mcp.svc.http.baseUrl(request)],
    scopes_supported: [BASE_SCOPE, WRITE_SCOPE],
    bearer_methods_supported: ['header'],
    resource_name: server.isNamed ? `svc MCP (${server.name})` : 'svc MCP (protected)',
    resource_documentation: mcp.svc.http.url(request, '/'),
  }
}

export function metadataUrl(mcp: Mcp, server: Server, request: FastifyRequest): string {
  return mcp.svc.http.url(request, METADATA_PATH + endpointPath(server))
}

/** `WWW-Authenticate` (RFC 6750, 3; RFC 9728, 5.1): parameters keep their order, undefined ones are omitted. */
export function challenge(parameters: Record<string, string | undefined>): Record<string, string> {
  const text = Object.entries(parameters)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}="${value}"`]))
    .join(', ')
  return { 'WWW-Authenticate': `Bearer ${text}` }
}
