/** The grant `refresh_token` (RFC 6749, 6) with rotation (RFC 9700, 4.14.2). */
import { OAuthError } from '../errors.ts'
import { required } from '../requests/parameters.ts'
import { isPartOf } from '../requests/scope.ts'
import { firstNonEmpty, issueUserTokens, requestedScope } from './grant-request.ts'
import type { GrantHandler } from './grant-request.ts'

/** Runs all checks before it consumes the token, so that a failed attempt leaves the token usable. */
export const refreshToken: GrantHandler = async request => {
  const { parameters, client, stores } = request
  const token = required(parameters, 'refresh_token')
  const seen = await stores.refreshTokens.peek(token)
  if (seen?.clientId !== client.id) throw invalidGrant()
  const requested = requestedScope(parameters)
  if (!isPartOf(requested, seen.scope)) throw new OAuthError('invalid_scope', 'scope exceeds the granted scope')
  const record = await stores.refreshTokens.take(token)
  if (record === undefined) throw invalidGrant()

  const granted = { client, login: record.login, scope: record.scope, resources: record.resources }
  const narrowed = {
    ...granted,
    scope: firstNonEmpty(requested, record.scope),
    resources: firstNonEmpty(request.resources, record.resources),
  }
  return issueUserTokens(narrowed, request, granted)
}

function invalidGrant(): OAuthError {
  return new OAuthError(
    'invalid_grant',
    'the refresh token is unknown, used, expired, revoked or was issued to another client',
  )
}
