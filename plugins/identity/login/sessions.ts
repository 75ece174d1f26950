/** Sessions: each approval of a user begins one, and a logout ends it. */
import { randomBytes } from 'node:crypto'
import type { Issuer } from '../issuers/issuer.ts'
import { OAuthError } from '../oauth/errors.ts'
import { DEFAULT_ISSUER } from '../settings/issuer-settings.ts'
import type { Login, Session } from '../stores/records.ts'

/** Begins the session of a login. The default issuer has no sessions. */
export async function beginSession(
  login: Login,
  clientId: string,
  issuer: Pick<Issuer, 'name' | 'settings' | 'stores'>,
  url: string,
): Promise<Login> {
  if (issuer.name === DEFAULT_ISSUER) return login
  const sid = randomBytes(16).toString('base64url')
  const session = { username: login.user.username, clientId, issuer: url }
  await issuer.stores.sessions.set(sid, session, { ttlMs: lifeMs(issuer) })
  return { ...login, sid }
}

/** Keeps the session of a login for as long as a new refresh token; throws `invalid_grant` if it has ended. */
export async function continueSession({ sid }: Login, issuer: Issuer): Promise<void> {
  if (sid === undefined) return
  const session = await issuer.stores.sessions.update(sid, current => current, { ttlMs: lifeMs(issuer) })
  if (session === undefined) throw new OAuthError('invalid_grant', 'the session has ended')
}

/** Ends a session: its codes and refresh tokens are revoked. Of several callers one gets the session. */
export async function endSession(sid: string, { stores }: Pick<Issuer, 'stores'>): Promise<Session | undefined> {
  const session = await stores.sessions.take(sid)
  if (session === undefined) return undefined
  await stores.refreshTokens.clear(({ login }) => login.sid === sid)
  await stores.codes.clear(({ login }) => login.sid === sid)
  return session
}

/** A session lasts at least a day, and longer with longer refresh tokens. */
function lifeMs({ settings }: Pick<Issuer, 'settings'>): number {
  return Math.max(settings.refresh_token.ttl * 1000, 86_400_000)
}
