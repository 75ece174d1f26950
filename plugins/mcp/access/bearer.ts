/** Verifies bearer tokens for servers with `auth: oauth` (RFC 6750): signature, type and audience. */
import { HttpError } from 'svc/plugin'
import type { Exchange } from '../calls/exchange.ts'
import type { JsonObject } from '../types.ts'
import type {} from '../../identity/types.ts'
import { BASE_SCOPE, challenge, metadataUrl, resourceUrl } from './protected-resource.ts'

/** Returns the claims. Throws 401 with a challenge that names the metadata document. */
export async function checkBearer(exchange: Exchange): Promise<JsonObject> {
  const token = /^Bearer +(\S+)$/i.exec(exchange.request.headers.authorization?.trim() ?? '')?.[1]
  if (token === undefined) throw unauthorized(exchange, 'unauthorized', 'Bearer token required')
  const tokens = exchange.mcp.svc.use('identity.tokens')
  const verification = await tokens?.verify(token, {
    algorithms: ['RS256'],
    typ: 'at+jwt',
    audiences: audiences(exchange),
  })
  if (!verification?.valid)
    throw unauthorized(
      exchange,
      'invalid_token',
      verification?.reason ?? 'tokens cannot be verified because the plugin identity is disabled',
    )
  return verification.claims
}

/** The resource and the additionally accepted audiences, each with and without a trailing `/`. */
function audiences({ mcp, server, request }: Exchange): string[] {
  const accepted = [resourceUrl(mcp, server, request), ...mcp.svc.variables.acceptedAudiences]
  return accepted.flatMap(audience => [audience.replace(/\/$/, ''), `${audience.replace(/\/$/, '')}/`])
}

/** If the request has no token, the challenge contains no error code (RFC 6750, 3.1). */
export function unauthorized(
  { mcp, server, request }: Pick<Exchange, 'mcp' | 'server' | 'request'>,
  error: 'unauthorized' | 'invalid_token',
  description: string,
): HttpError {
  const isInvalidToken = error === 'invalid_token'
  const resource_metadata = metadataUrl(mcp, server, request)
  const headers = challenge({
    error: isInvalidToken ? error : undefined,
    resource_metadata,
    scope: BASE_SCOPE,
    error_description: isInvalidToken ? description : undefined,
  })
  return new HttpError(401, { error, error_description: description, resource_metadata }, headers)
}
