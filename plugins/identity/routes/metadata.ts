/** The metadata documents and the JWK Set. */
import { describe } from 'svc/plugin'
import type { FastifyInstance, RouteDescription } from 'svc/plugin'
import { openidConfiguration, serverMetadata } from '../metadata.ts'
import type { Provider } from '../provider.ts'
import { CATEGORY, sendJson } from './route-parts.ts'

/** The key changes with every restart, so caches must revalidate. */
const NO_CACHE = { 'Cache-Control': 'no-cache' }

function describeDocument(path: string, summary: string, description: string): RouteDescription {
  return {
    category: CATEGORY,
    summary,
    description,
    responses: { 200: { description: 'The JSON document' } },
    examples: [{ name: summary, path, expectStatus: 200 }],
  }
}

/** Registers `/.well-known/openid-configuration`, `/.well-known/oauth-authorization-server` and `/oauth/jwks`. */
export function registerMetadataRoutes(app: FastifyInstance, { tokens, keys }: Provider): void {
  const discovery = '/.well-known/openid-configuration'
  app.get(
    discovery,
    describe(
      describeDocument(
        discovery,
        'OpenID Connect discovery',
        'The issuer is the base URL of the request, including a path prefix that a trusted gateway removed.',
      ),
    ),
    (request, reply) => sendJson(reply, openidConfiguration(tokens.issuer(request)), NO_CACHE),
  )

  const server = '/.well-known/oauth-authorization-server'
  app.get(
    server,
    describe(
      describeDocument(server, 'Authorization server metadata', 'RFC 8414. MCP clients start with this document.'),
    ),
    (request, reply) => sendJson(reply, serverMetadata(tokens.issuer(request)), NO_CACHE),
  )

  const jwks = '/oauth/jwks'
  app.get(
    jwks,
    describe(
      describeDocument(
        jwks,
        'JSON Web Key Set',
        'The public RSA key that verifies RS256 tokens. Every restart generates a new key.',
      ),
    ),
    async (_request, reply) => sendJson(reply, { keys: [(await keys).jwk] }, NO_CACHE),
  )
}
