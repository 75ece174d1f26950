/**
 * The grant `jwt-bearer` (RFC 7523, 2.1): assertions of trusted issuers about users (identity assertion authorization
 * grant, ID-JAG) and about workloads.
 */
import type { Issuer } from '../issuers/issuer.ts'
import { JwtProblem } from '../jwt/foreign-jwt.ts'
import { OAuthError } from '../oauth/errors.ts'
import { type Parameters, required } from '../oauth/parameters.ts'
import { DEFAULT_CLIENT_SCOPE, firstNonEmpty, isPartOf, parseScope, requestedScope } from '../oauth/scope.ts'
import type { Client, Login } from '../stores/records.ts'
import { issueTokens } from '../tokens/token-response.ts'
import { findTrust, type TrustedJwt, verifyAssertedJwt } from '../trust/trusted-tokens.ts'
import type { TokenClaims } from '../types.ts'
import type { GrantHandler, GrantRequest } from './grant-request.ts'

/**
 * The client of a workload, which the settings name: a workload authenticates by its assertion alone. Null for an
 * assertion about a user, whose client must authenticate.
 */
export async function workloadClient(parameters: Parameters, issuer: Issuer, url: string): Promise<Client | null> {
  const assertion = required(parameters, 'assertion')
  const { entry, type } = asGrant(() => findTrust(assertion, issuer))
  if (type === 'id-jag') return null
  const client = await issuer.findClient(entry.client, url)
  if (client === undefined) throw invalidGrant('the client for workloads of this issuer is unknown')
  return client
}

/** Issues an access token without a refresh or ID token; throws `invalid_grant`, `invalid_scope` or `invalid_target`. */
export const jwtBearer: GrantHandler = async request => {
  const { parameters, client, issuer, url, issuers } = request
  const trusted = await verify(required(parameters, 'assertion'), request)
  const requested = requestedScope(parameters)
  if (trusted.type === 'workload') {
    const scope = firstNonEmpty(requested, client.scope, DEFAULT_CLIENT_SCOPE)
    return issueTokens({ client, login: null, subject: trusted.subject, scope, resources: request.resources }, request)
  }
  if (trusted.claims.client_id !== client.id) throw invalidGrant('the assertion is for another client')
  const granted = scopeOf(trusted.claims)
  if (granted.length > 0 && !isPartOf(requested, granted))
    throw new OAuthError('invalid_scope', 'scope exceeds the scope of the assertion')
  return issueTokens(
    {
      client,
      login: loginOf(trusted, issuer),
      scope: firstNonEmpty(requested, granted, client.scope, DEFAULT_CLIENT_SCOPE),
      resources: audienceOf(trusted.claims, request),
      isAccessOnly: true,
    },
    { issuer, url, binding: request.binding },
  )

  async function verify(assertion: string, { issuer: own }: GrantRequest): Promise<TrustedJwt> {
    try {
      return await verifyAssertedJwt(assertion, own, url, issuers)
    } catch (error) {
      throw error instanceof JwtProblem ? invalidGrant(`the assertion ${error.message}`) : error
    }
  }
}

/** The user with this name here, or one with the facts of the assertion. */
function loginOf({ subject, claims }: TrustedJwt, { users }: Issuer): Login {
  const { email, name, auth_time: authTime } = claims
  const asserted = {
    username: subject,
    name: typeof name === 'string' ? name.slice(0, 200) : subject,
    email: typeof email === 'string' ? email.slice(0, 200) : `${subject}@svc.local`,
    groups: [],
  }
  return {
    user: users.find(subject) ?? asserted,
    authTime: typeof authTime === 'number' ? authTime : Math.floor(Date.now() / 1000),
  }
}

/** The `resource` of the assertion is the audience. A request can only repeat it. */
function audienceOf({ resource }: TokenClaims, { resources }: GrantRequest): readonly string[] {
  const granted = [resource].flat().filter(one => typeof one === 'string')
  if (granted.length === 0) return resources
  if (!resources.every(one => granted.includes(one)))
    throw new OAuthError('invalid_target', 'resource is not that of the assertion')
  return firstNonEmpty(resources, granted)
}

function scopeOf({ scope }: TokenClaims): readonly string[] {
  return typeof scope === 'string' ? (parseScope(scope) ?? []) : []
}

function asGrant<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof JwtProblem ? invalidGrant(`the assertion ${error.message}`) : error
  }
}

function invalidGrant(description: string): OAuthError {
  return new OAuthError('invalid_grant', description)
}
