/** The grant `token-exchange` (RFC 8693): a token for another audience, by delegation or impersonation. */
import { isNestedWithin, shownText } from 'svc/toolkit'
import { MAX_NESTING } from '../jwt/compact-jwt.ts'
import { JwtProblem } from '../jwt/foreign-jwt.ts'
import { OAuthError } from '../oauth/errors.ts'
import { type Parameters, required } from '../oauth/parameters.ts'
import { audienceOf, MAX_RESOURCES } from '../oauth/resource.ts'
import { DEFAULT_CLIENT_SCOPE, firstNonEmpty, isPartOf, requestedScope } from '../oauth/scope.ts'
import { signToken } from '../tokens/sign.ts'
import { confirmation, issueAccessToken, registeredClaims, tokenType } from '../tokens/token-response.ts'
import { ID_JAG_ISSUER, ID_JAG_TYPE } from '../trust/id-jag.ts'
import { verifyTrustedToken } from '../trust/trusted-tokens.ts'
import type { TokenClaims } from '../types.ts'
import type { GrantHandler, GrantRequest } from './grant-request.ts'
import { issueIdJag } from './id-jag.ts'

/** RFC 8693, 3. */
const TYPE_PREFIX = 'urn:ietf:params:oauth:token-type:'
const TOKEN_TYPES: readonly string[] = ['access_token', 'id_token', 'jwt'].map(name => TYPE_PREFIX + name)
const ID_TOKEN = `${TYPE_PREFIX}id_token`
const MAX_AUDIENCE_CHARACTERS = 2048

/** Claims about the user that are copied to the new token. */
const USER_CLAIMS = ['name', 'email', 'preferred_username', 'groups']

/**
 * Issues a token without a refresh or ID token; throws `invalid_request`, `invalid_target` or `invalid_scope` (RFC
 * 8693, 2.2.2).
 */
export const tokenExchange: GrantHandler = async request => {
  const { parameters, client, issuer, url, binding } = request
  const subject = await readToken('subject', request)
  if (parameters.get('requested_token_type') === ID_JAG_TYPE && issuer.name === ID_JAG_ISSUER) {
    if (parameters.get('subject_token_type') !== ID_TOKEN)
      throw new OAuthError('invalid_request', `subject_token_type must be ${ID_TOKEN}`)
    return issueIdJag(subject, request)
  }
  const actor = await readActor(request)
  const type = readType('requested_token_type', parameters.get('requested_token_type') ?? `${TYPE_PREFIX}access_token`)
  const audience = readAudience(request)
  const scope = readScope(parameters, subject)

  const isIdToken = type === ID_TOKEN
  const { ttl } = isIdToken ? issuer.settings.id_token : issuer.settings.access_token
  const claims = {
    ...registeredClaims(url, shownText(subject.sub), isIdToken ? client.id : audience, ttl),
    client_id: client.id,
    ...(isIdToken ? { azp: client.id } : { scope: scope.join(' ') }),
    ...pick(subject, USER_CLAIMS),
    act: actorClaim(subject, actor),
    ...(isIdToken ? {} : confirmation(binding)),
  }
  if (!isNestedWithin(claims, MAX_NESTING))
    throw new OAuthError('invalid_request', 'the chain of act claims is nested too deeply')
  return {
    access_token: isIdToken
      ? await signToken(claims, issuer, { algorithm: await issuer.keys.idTokenAlgorithm(client.idTokenAlg) })
      : await issueAccessToken(claims, issuer),
    issued_token_type: type,
    token_type: isIdToken ? 'N_A' : tokenType(binding),
    expires_in: ttl,
    scope: scope.join(' '),
  }
}

/** The claims of `<role>_token`, which must be a valid token of this server with a subject (RFC 8693, 2.2.2). */
async function readToken(role: 'subject' | 'actor', request: GrantRequest): Promise<TokenClaims> {
  const { parameters, verify } = request
  const token = required(parameters, `${role}_token`)
  readType(`${role}_token_type`, required(parameters, `${role}_token_type`))
  const verification = await verify(token)
  const claims = verification.valid ? verification.claims : await readTrusted(token, request)
  if (claims === null) {
    const reason = verification.valid ? '' : verification.reason
    throw new OAuthError('invalid_request', `${role}_token: ${reason}`)
  }
  if (typeof claims.sub !== 'string') throw new OAuthError('invalid_request', `${role}_token: the claim sub is missing`)
  return claims
}

/** The claims of a token of a trusted issuer; null for any other token. */
async function readTrusted(token: string, { issuer, url, issuers }: GrantRequest): Promise<TokenClaims | null> {
  try {
    return await verifyTrustedToken(token, issuer, url, issuers)
  } catch (error) {
    if (error instanceof JwtProblem) return null
    throw error
  }
}

async function readActor(request: GrantRequest): Promise<TokenClaims | null> {
  const { parameters } = request
  if (!parameters.has('actor_token') && !parameters.has('actor_token_type')) return null
  return readToken('actor', request)
}

function readType(name: string, type: string): string {
  if (!TOKEN_TYPES.includes(type))
    throw new OAuthError('invalid_request', `${name} must be ${TYPE_PREFIX} followed by access_token, id_token or jwt`)
  return type
}

/** RFC 8693, 2.1: `audience` and `resource` together are the audience of the new token. */
function readAudience({ parameters, resources, issuer }: GrantRequest): string | string[] {
  const audiences = parameters.getAll('audience')
  if (audiences.length + parameters.getAll('resource').length > MAX_RESOURCES) {
    throw new OAuthError('invalid_target', `expected at most ${MAX_RESOURCES} audience and resource parameters`)
  }
  if (audiences.some(audience => audience.length > MAX_AUDIENCE_CHARACTERS)) {
    throw new OAuthError('invalid_target', `audience must have at most ${MAX_AUDIENCE_CHARACTERS} characters`)
  }
  return audienceOf([...new Set([...resources, ...audiences])], issuer.settings.access_token.audience)
}

/** The requested scope, limited to the subject's. A subject without a scope, such as an ID token, sets no limit. */
function readScope(parameters: Parameters, subject: TokenClaims): readonly string[] {
  const requested = requestedScope(parameters)
  const own = typeof subject.scope === 'string' ? subject.scope.split(' ').filter(name => name !== '') : []
  if (own.length === 0) return firstNonEmpty(requested, DEFAULT_CLIENT_SCOPE)
  if (!isPartOf(requested, own)) throw new OAuthError('invalid_scope', 'scope exceeds the scope of the subject token')
  return firstNonEmpty(requested, own)
}

/** The claim `act` (RFC 8693, 4.1): the current actor, with earlier actors nested inside. */
function actorClaim(subject: TokenClaims, actor: TokenClaims | null): unknown {
  return actor === null ? subject.act : { sub: actor.sub, act: subject.act }
}

function pick(claims: TokenClaims, names: readonly string[]): TokenClaims {
  return Object.fromEntries(names.filter(name => Object.hasOwn(claims, name)).map(name => [name, claims[name]]))
}
