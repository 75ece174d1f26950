/** The metadata documents and the JWK Sets. */
import { describe } from 'svc/plugin'
import type { FastifyInstance, RouteDescription } from 'svc/plugin'
import { publicJwk } from '../keys/imported-keys.ts'
import { publishedKeys } from '../keys/key-record.ts'
import { openidConfiguration, serverMetadata } from '../metadata.ts'
import type { Provider } from '../provider.ts'
import { registerEndpoint, requestedIssuer } from './issuer-routes.ts'
import { CATEGORY, sendJson } from './route-parts.ts'

/** Keys change, so caches must revalidate. */
const NO_CACHE = { 'Cache-Control': 'no-cache' }

const OPENID = '/.well-known/openid-configuration'
const SERVER = '/.well-known/oauth-authorization-server'

function describeDocument(path: string, summary: string, description: string): RouteDescription {
  return {
    category: CATEGORY,
    summary,
    description,
    responses: { 200: { description: 'The JSON document' } },
    examples: [{ name: summary, path, expectStatus: 200 }],
  }
}

/** Registers the metadata documents and the JWK Sets of all issuers. */
export function registerMetadataRoutes(app: FastifyInstance, provider: Provider): void {
  const { issuers } = provider
  app.get(
    OPENID,
    describe(
      describeDocument(
        OPENID,
        'OpenID Connect discovery',
        'The issuer is the base URL of the request, including a path prefix that a trusted gateway removed.',
      ),
    ),
    (request, reply) => sendJson(reply, openidConfiguration(issuers.default, issuers.default.url(request)), NO_CACHE),
  )
  app.get(
    SERVER,
    describe(
      describeDocument(SERVER, 'Authorization server metadata', 'RFC 8414. MCP clients start with this document.'),
    ),
    (request, reply) => sendJson(reply, serverMetadata(issuers.default, issuers.default.url(request)), NO_CACHE),
  )

  // Clients disagree about where the well-known part belongs, so the same document is at all four addresses.
  for (const place of [
    (issuer: string) => `${OPENID}/oauth/i/${issuer}`,
    (issuer: string) => `${SERVER}/oauth/i/${issuer}`,
    (issuer: string) => `/oauth/i/${issuer}${OPENID}`,
    (issuer: string) => `/oauth/i/${issuer}${SERVER}`,
  ]) {
    app.get(
      place(':issuer'),
      describe({
        ...describeDocument(
          place('full'),
          'Metadata of an issuer by path',
          'The same document at all four well-known addresses of the issuer (RFC 8414, 3.1; OpenID Connect Discovery, 4).',
        ),
        responses: {
          200: { description: 'The JSON document' },
          404: { description: '`unknown_issuer`, with the names of all issuers' },
        },
      }),
      async (request, reply) => {
        const issuer = await requestedIssuer(request, provider)
        return sendJson(reply, openidConfiguration(issuer, issuer.url(request)), NO_CACHE)
      },
    )
  }

  registerEndpoint(app, provider, {
    method: 'GET',
    endpoint: 'jwks',
    description: describeDocument(
      '/oauth/jwks',
      'JSON Web Key Set',
      'The public keys that verify the tokens of the issuer. Every restart generates new keys.',
    ),
    async handle({ issuer, reply }) {
      const keys = publishedKeys(await issuer.keys.record(), Date.now())
      return sendJson(reply, { keys: keys.map(publicJwk) }, NO_CACHE)
    },
  })
}
