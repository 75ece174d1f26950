/** Verifies bearer tokens for servers with `auth: oauth` (RFC 6750): signature, type and audience. */
import { HttpError } from 'svc/plugin'
import type { HttpExchange } from '../http/exchange.ts'
import type { JsonObject } from '../types.ts'
import type { PresentedVerification } from '../../identity/types.ts'
import { baseScopes, challenge, metadataUrl, resourceUrl } from './protected-resource.ts'
import { scopesOf } from './scope.ts'

/** Returns the claims. Throws 401 with a challenge that names the metadata document, or 403 without a required scope. */
export async function checkBearer(exchange: HttpExchange): Promise<JsonObject> {
  const { issuer, scopes, dpop } = exchange.server.definition
  const isPlain = issuer === undefined && scopes === undefined && dpop === undefined
  return isPlain ? checkPlainToken(exchange) : checkToken(exchange)
}

/** A token of the default issuer, which a gateway could verify by itself too. */
async function checkPlainToken(exchange: HttpExchange): Promise<JsonObject> {
  const token = /^Bearer +(\S+)$/i.exec(exchange.request.headers.authorization?.trim() ?? '')?.[1]
  if (token === undefined) throw unauthorized(exchange, 'unauthorized', 'Bearer token required')
  const tokens = exchange.mcp.svc.use('identity.tokens')
  const verification = await tokens?.verify(token, {
    algorithms: ['RS256'],
    typ: 'at+jwt',
    audiences: audiences(exchange),
  })
  if (!verification?.valid) throw unauthorized(exchange, 'invalid_token', verification?.reason ?? NO_IDENTITY)
  return verification.claims
}

const NO_IDENTITY = 'tokens cannot be verified because the plugin identity is disabled'

/** A token of the issuer of the server, bound or not, with the scopes of the server. */
async function checkToken(exchange: HttpExchange): Promise<JsonObject> {
  const { request, server, mcp } = exchange
  const { issuer = 'default', scopes = [], dpop = 'off' } = server.definition
  const tokens = mcp.svc.use('identity.tokens')
  if (!tokens) throw unauthorized(exchange, 'invalid_token', NO_IDENTITY)
  const verification = await tokens.verifyRequest(request, {
    issuers: [issuer],
    typ: 'at+jwt',
    audiences: audiences(exchange),
    refuseRevoked: true,
    binding: dpop,
  })
  if (!verification.valid) throw refused(exchange, verification)
  const granted = scopesOf(verification.claims)
  const missing = scopes.find(scope => !granted.includes(scope))
  if (missing !== undefined) throw withoutScope(exchange, missing, verification.binding?.type === 'dpop')
  return verification.claims
}

type Refusal = Extract<PresentedVerification, { valid: false }>

/** The challenge of the verification, with the metadata document and the scopes. */
function refused({ mcp, server, request }: HttpExchange, { error, reason, challenge: own }: Refusal): HttpError {
  const resource_metadata = metadataUrl(mcp, server, request)
  const more = `resource_metadata="${resource_metadata}", scope="${baseScopes(server).join(' ')}"`
  const description = error === null ? `${own} token required` : reason
  return new HttpError(
    401,
    { error: error ?? 'unauthorized', error_description: description, resource_metadata },
    { 'WWW-Authenticate': `${own}${own.includes(' ') ? ',' : ''} ${more}` },
  )
}

function withoutScope({ mcp, server, request }: HttpExchange, scope: string, isDpop: boolean): HttpError {
  const resource_metadata = metadataUrl(mcp, server, request)
  const description = `the token lacks the scope ${scope}`
  const headers = challenge(
    {
      error: 'insufficient_scope',
      scope: baseScopes(server).join(' '),
      resource_metadata,
      error_description: description,
    },
    isDpop ? 'DPoP' : 'Bearer',
  )
  return new HttpError(
    403,
    { error: 'insufficient_scope', error_description: description, scope, resource_metadata },
    headers,
  )
}

/** The resource and the additionally accepted audiences, each with and without a trailing `/`. */
function audiences({ mcp, server, request }: HttpExchange): string[] {
  const accepted = [resourceUrl(mcp, server, request), ...mcp.svc.variables.acceptedAudiences]
  return accepted.flatMap(audience => [audience.replace(/\/$/, ''), `${audience.replace(/\/$/, '')}/`])
}

/** If the request has no token, the challenge contains no error code (RFC 6750, 3.1). */
export function unauthorized(
  { mcp, server, request }: Pick<HttpExchange, 'mcp' | 'server' | 'request'>,
  error: 'unauthorized' | 'invalid_token',
  description: string,
): HttpError {
  const isInvalidToken = error === 'invalid_token'
  const resource_metadata = metadataUrl(mcp, server, request)
  const parameters = {
    error: isInvalidToken ? error : undefined,
    resource_metadata,
    scope: baseScopes(server).join(' '),
    error_description: isInvalidToken ? description : undefined,
  }
  const headers = challenge(server.definition.hooks?.challenge?.(parameters, request) ?? parameters)
  return new HttpError(401, { error, error_description: description, resource_metadata }, headers)
}
