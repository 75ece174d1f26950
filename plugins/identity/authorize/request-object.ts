/** Request objects: the parameters of an authorization request as a JWT that the client signed (RFC 9101). */
import { JwtProblem, readForeignJwt, verifyForeignJwt } from '../jwt/foreign-jwt.ts'
import { OAuthError } from '../oauth/errors.ts'
import { type Parameters, parametersOf } from '../oauth/parameters.ts'
import type { Client } from '../stores/records.ts'
import type { TokenClaims } from '../types.ts'

const MAX_AHEAD_S = 3600
/** Claims of the JWT itself (RFC 7519, 4.1). */
const REGISTERED_CLAIMS = new Set(['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti'])

/** The parameters in the object, which alone count; throws `invalid_request_object`. */
export async function readRequestObject(object: string, client: Client, url: string): Promise<Parameters> {
  try {
    const jwt = readForeignJwt(object, ['oauth-authz-req+jwt', null])
    await verifyForeignJwt(jwt, { keys: client.jwks ?? [] }, { audiences: [url], maxAheadS: MAX_AHEAD_S })
    const { claims } = jwt
    if (claims.iss !== client.id) throw new JwtProblem('must have the client id as iss')
    if (claims.client_id !== undefined && claims.client_id !== client.id)
      throw new JwtProblem('has another client_id than the request')
    if (claims.request !== undefined || claims.request_uri !== undefined)
      throw new JwtProblem('must not have request or request_uri')
    return parametersOf([['client_id', client.id], ...entriesOf(claims)])
  } catch (error) {
    throw error instanceof JwtProblem
      ? new OAuthError('invalid_request_object', `the request object ${error.message}`)
      : error
  }
}

/** The claims that are parameters, as text. Lists are repeated parameters; objects are ignored. */
function entriesOf(claims: TokenClaims): [string, string][] {
  return Object.entries(claims)
    .filter(([name]) => !REGISTERED_CLAIMS.has(name) && name !== 'client_id')
    .flatMap(([name, value]) =>
      Array.isArray(value) ? value.map((one: unknown) => [name, one] as const) : [[name, value] as const],
    )
    .flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number' ? [[name, String(value)] as [string, string]] : [],
    )
}
