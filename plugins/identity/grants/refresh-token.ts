/** The grant `refresh_token` (RFC 6749, 6) with rotation (RFC 9700, 4.14.2). */
import { continueSession } from '../login/sessions.ts'
import { OAuthError } from '../oauth/errors.ts'
import { required } from '../oauth/parameters.ts'
import { firstNonEmpty, isPartOf, requestedScope } from '../oauth/scope.ts'
import { consumeRefreshToken, issueRefreshToken, revokeFamily } from '../tokens/refresh-tokens.ts'
import { issueTokens } from '../tokens/token-response.ts'
import type { GrantHandler } from './grant-request.ts'

/** Runs all checks before it consumes the token, so that a failed attempt leaves the token usable. */
export const refreshToken: GrantHandler = async request => {
  const { parameters, client, issuer } = request
  const token = required(parameters, 'refresh_token')
  const seen = await issuer.stores.refreshTokens.peek(token)
  if (seen?.clientId !== client.id) throw invalidGrant()
  if (seen.isUsed === true) {
    await revokeFamily(seen.family!, issuer)
    throw invalidGrant()
  }
  const { jkt, 'x5t#S256': x5t } = seen.binding ?? {}
  if ((jkt !== undefined && jkt !== request.binding.jkt) || (x5t !== undefined && x5t !== request.binding['x5t#S256']))
    throw new OAuthError('invalid_grant', 'the refresh token is bound to another key or certificate')
  const requested = requestedScope(parameters)
  if (!isPartOf(requested, seen.scope)) throw new OAuthError('invalid_scope', 'scope exceeds the granted scope')
  await continueSession(seen.login, issuer)
  const record = await consumeRefreshToken(token, issuer)
  if (record === undefined) throw invalidGrant()

  const granted = { client, login: record.login, scope: record.scope, resources: record.resources }
  const narrowed = {
    ...granted,
    scope: firstNonEmpty(requested, record.scope),
    resources: firstNonEmpty(request.resources, record.resources),
  }
  const response = await issueTokens(narrowed, request)
  const next = issuer.settings.refresh_token.rotate ? await issueRefreshToken(granted, request, record.family) : token
  return { ...response, refresh_token: next }
}

function invalidGrant(): OAuthError {
  return new OAuthError(
    'invalid_grant',
    'the refresh token is unknown, used, expired, revoked or was issued to another client',
  )
}
