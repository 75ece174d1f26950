/** Checks a logout request (OpenID Connect RP-Initiated Logout, 2). */
import type { Issuer } from '../issuers/issuer.ts'
import { decodeCompactJwt } from '../jwt/compact-jwt.ts'
import { OAuthError } from '../oauth/errors.ts'
import type { Parameters } from '../oauth/parameters.ts'
import { appendParameters, isWebRedirectUri } from '../oauth/redirect-uri.ts'
import type { Client } from '../stores/records.ts'
import { verifyToken } from '../tokens/verification.ts'
import type { TokenClaims } from '../types.ts'

const MAX_STATE_CHARACTERS = 2048

/** A valid request. */
export interface LogoutRequest {
  /** Whether an ID token of the session came along; otherwise the user has to confirm. */
  hasHint: boolean
  sid: string | null
  /** Where the browser goes, with `state`; null for a page. */
  redirectTo: string | null
}

/** Reads a request; throws errors for a page. `url` is the identifier of the issuer. */
export async function readLogout(parameters: Parameters, issuer: Issuer, url: string): Promise<LogoutRequest> {
  const hint = parameters.get('id_token_hint')
  const claims = hint === undefined ? null : await readHint(hint, issuer)
  const client = await findClient(parameters, claims, issuer, url)
  const sid = claims === null ? parameters.get('logout_hint') : claims.sid
  return {
    hasHint: claims !== null,
    sid: typeof sid === 'string' ? sid : null,
    redirectTo: redirectTarget(parameters, client),
  }
}

/** The claims of an ID token of the issuer, which may be expired: it says only which session is meant. */
async function readHint(token: string, issuer: Issuer): Promise<TokenClaims> {
  const decoded = decodeCompactJwt(token)
  const exp = 'malformed' in decoded ? undefined : decoded.claims.exp
  const now = Date.now() / 1000
  const { nameOf } = issuer
  const keys = { issuer: issuer.name, nameOf, keys: await issuer.keys.verifying(), secret: null, known: null }
  const verification = await verifyToken(
    token,
    { typ: 'jwt' },
    keys,
    typeof exp === 'number' ? Math.min(now, exp) : now,
  )
  if (!verification.valid) throw new OAuthError('invalid_request', 'id_token_hint is not an ID token of this issuer')
  return verification.claims
}

/** The client that the request or the hint names. Both must be the same. */
async function findClient(
  parameters: Parameters,
  claims: TokenClaims | null,
  { findClient: find }: Issuer,
  url: string,
): Promise<Client | undefined> {
  const given = parameters.get('client_id')
  const ofHint = claims?.azp ?? claims?.aud
  if (given !== undefined && ofHint !== undefined && given !== ofHint)
    throw new OAuthError('invalid_request', 'client_id is not the client of id_token_hint')
  const id = given ?? ofHint
  const client = typeof id === 'string' ? await find(id, url) : undefined
  if (client === undefined && given !== undefined) throw new OAuthError('invalid_request', 'client_id is unknown')
  return client
}

function redirectTarget(parameters: Parameters, client: Client | undefined): string | null {
  const uri = parameters.get('post_logout_redirect_uri')
  const state = parameters.get('state')
  if (state !== undefined && state.length > MAX_STATE_CHARACTERS)
    throw new OAuthError('invalid_request', `state must have at most ${MAX_STATE_CHARACTERS} characters`)
  if (uri === undefined) return null
  if (client === undefined)
    throw new OAuthError('invalid_request', 'post_logout_redirect_uri needs id_token_hint or client_id')
  const { postLogoutRedirectUris: registered = [] } = client
  const isAllowed = registered === null ? isWebRedirectUri(uri) : registered.includes(uri)
  if (!isAllowed) throw new OAuthError('invalid_request', 'post_logout_redirect_uri is not registered for this client')
  return state === undefined ? uri : appendParameters(uri, { state })
}
