/** The metadata documents and the JWK Sets. */
import {
  describe,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteDescription,
} from 'svc/plugin'
import { faultyMetadata } from '../faults/document-faults.ts'
import { asksOf, hostileMetadata } from '../faults/hostile.ts'
import { faultyKeys, sendTruncated } from '../faults/jwks-faults.ts'
import { sendPlainFault } from '../faults/plain-faults.ts'
import type { Issuer } from '../issuers/issuer.ts'
import { publicJwk } from '../keys/imported-keys.ts'
import { publishedKeys } from '../keys/key-record.ts'
import { sendJson } from '../oauth/json-response.ts'
import { openidConfiguration, serverMetadata } from '../provider/metadata.ts'
import type { Provider } from '../provider/provider.ts'
import { type IssuerRequest, registerEndpoint, requestedIssuer } from './issuer-routes.ts'
import { CATEGORY } from './route-parts.ts'
import { JWKS, METADATA } from '../replies.ts'

/** Keys change, so caches must revalidate. */
const NO_CACHE = { 'Cache-Control': 'no-cache' }

const OPENID = '/.well-known/openid-configuration'
const SERVER = '/.well-known/oauth-authorization-server'

function describeDocument(path: string, summary: string, description: string, reply = METADATA): RouteDescription {
  return {
    reply,
    category: CATEGORY,
    summary,
    description,
    takes: 'documents',
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
    (request, reply) => sendMetadata(issuers.default, openidConfiguration, request, reply, provider),
  )
  app.get(
    SERVER,
    describe(
      describeDocument(SERVER, 'Authorization server metadata', 'RFC 8414. MCP clients start with this document.'),
    ),
    (request, reply) => sendMetadata(issuers.default, serverMetadata, request, reply, provider),
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
        return sendMetadata(issuer, openidConfiguration, request, reply, provider)
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
      JWKS,
    ),
    handle: request => sendKeys(request, provider),
  })
}

/** The metadata of an issuer, with the fault that applies. */
async function sendMetadata(
  issuer: Issuer,
  document: typeof serverMetadata,
  request: FastifyRequest,
  reply: FastifyReply,
  { svc, faults }: Provider,
): Promise<FastifyReply> {
  const url = issuer.url(request)
  const asks = asksOf(issuer, request)
  const fault = await faults.find('discovery', issuer, request, reply)
  const replaced = fault === null ? null : await sendPlainFault(fault, svc, request, reply)
  if (replaced !== null) return replaced
  const right = document(issuer, {
    url,
    httpsUrl: svc.http.httpsUrl(request, issuer.path),
    algorithms: await issuer.keys.algorithms(),
  })
  const sent = asks.size === 0 ? right : hostileMetadata(right, asks)
  const hostileJwks = svc.http.url(request, '/oauth/i/hostile/jwks')
  return sendJson(reply, fault === null ? sent : faultyMetadata(fault.kind, sent, issuer, url, hostileJwks), NO_CACHE)
}

/** The JWK Set of an issuer, with the fault that applies. */
async function sendKeys({ issuer, request, reply }: IssuerRequest, provider: Provider): Promise<FastifyReply> {
  const { svc, faults, orderKeys } = provider
  const maxAge = (await faults.current(issuer))?.jwks_max_age
  const headers = maxAge === undefined ? NO_CACHE : { 'Cache-Control': `max-age=${maxAge}` }
  const fault = await faults.find('jwks', issuer, request, reply)
  const published = publishedKeys(await issuer.keys.record(), Date.now())
  if (fault === null) return sendJson(reply, { keys: published.map(publicJwk) }, headers)
  const replaced = await sendPlainFault(fault, svc, request, reply)
  if (replaced !== null) return replaced
  if (fault.kind === 'redirect')
    return reply
      .code(307)
      .headers({ Location: svc.http.path(request, pathOf(request)), ...headers })
      .send()
  const keys = await faultyKeys(fault.kind, published, issuer, orderKeys.throwAway, svc.config)
  if (fault.kind === 'truncate') return sendTruncated(svc, request, reply, JSON.stringify({ keys }))
  return sendJson(reply, { keys }, headers)
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0]!
}
