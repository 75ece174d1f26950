/** Client authentication with a JWT (RFC 7523, 2.2 and 3; OpenID Connect Core, 9). */
import type { FastifyRequest } from 'svc/plugin'
import { endpointUrl, type Issuer } from '../issuers/issuer.ts'
import { isSecretAlgorithm } from '../jwt/algorithms.ts'
import {
  type ForeignJwt,
  jwtId,
  JwtProblem,
  readForeignJwt,
  type VerificationKey,
  verifyForeignJwt,
} from '../jwt/foreign-jwt.ts'
import type { AuthMethod } from '../oauth/auth-methods.ts'
import type { Parameters } from '../oauth/parameters.ts'
import type { Client } from '../stores/records.ts'
import { useOnce } from '../stores/used-ids.ts'

/** The value of `client_assertion_type`. */
export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const MAX_AHEAD_S = 600

/** A request with an assertion. */
interface AssertionRequest {
  request: FastifyRequest
  parameters: Parameters
  issuer: Issuer
  /** The identifier of the issuer. */
  url: string
}

/** Whether a request has a client assertion, complete or not. */
export function hasAssertion(parameters: Parameters): boolean {
  return parameters.has('client_assertion') || parameters.has('client_assertion_type')
}

/**
 * The client whose assertion the request has, and the method. Throws a `JwtProblem`. Each assertion is accepted once, by
 * its `jti`.
 */
export async function verifyAssertion({
  request,
  parameters,
  issuer,
  url,
}: AssertionRequest): Promise<{ client: Client; method: AuthMethod }> {
  if (parameters.get('client_assertion_type') !== ASSERTION_TYPE)
    throw new JwtProblem(`needs the client_assertion_type ${ASSERTION_TYPE}`)
  const jwt = readForeignJwt(parameters.get('client_assertion') ?? '')
  const { iss, sub } = jwt.claims
  if (typeof iss !== 'string' || iss !== sub) throw new JwtProblem('must have the client id as iss and sub')
  if (parameters.has('client_id') && parameters.get('client_id') !== iss)
    throw new JwtProblem('is of another client than client_id')
  const client = await issuer.findClient(iss, url)
  if (client === undefined) throw new JwtProblem('is of an unknown client')
  const { method, key } = keyOf(client, jwt)
  const audiences = addressesOf(issuer, [url, issuer.url(request)])
  const exp = await verifyForeignJwt(jwt, key, { audiences, maxAheadS: MAX_AHEAD_S })
  const id = jwtId(jwt.claims)
  if (id === undefined) throw new JwtProblem('has no jti')
  if (!(await useOnce(issuer.stores.assertionIds, iss, id, exp))) throw new JwtProblem('was used before')
  return { client, method }
}

/** The issuer and its token endpoint, also at the address that the client used. */
function addressesOf(issuer: Issuer, urls: string[]): string[] {
  return urls.flatMap(url => [url, endpointUrl(issuer, url, 'token')])
}

/** A client with keys signs with one of them, a client with a secret makes a message authentication code. */
function keyOf(client: Client, { header }: ForeignJwt): { method: AuthMethod; key: VerificationKey } {
  const isSecret = isSecretAlgorithm(header.alg)
  const method = isSecret ? 'client_secret_jwt' : 'private_key_jwt'
  if (client.auth !== undefined && client.auth !== method)
    throw new JwtProblem(`is not for this client, which registered ${client.auth}`)
  if (!isSecret) return { method, key: { keys: client.jwks ?? [] } }
  if (client.secret === null) throw new JwtProblem('is of a client without a secret')
  return { method, key: { secret: client.secret } }
}
