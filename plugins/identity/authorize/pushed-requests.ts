/** Pushed authorization requests (RFC 9126). */
import { randomBytes } from 'node:crypto'
import type { Store } from 'svc/plugin'
import { OAuthError } from '../oauth/errors.ts'
import type { Parameters } from '../oauth/parameters.ts'
import type { PushedRequest } from '../stores/records.ts'
import { REQUEST_PARAMETERS } from './authorization-request.ts'

/** Lifetime of a request URI in seconds, until the user sees the login form. */
export const PUSHED_LIFE_S = 60
/** A user who saw the form has this much time to log in. */
const LOGIN_LIFE_S = 600
const PREFIX = 'urn:ietf:params:oauth:request_uri:'
const MAX_CHARACTERS = 2048

/** Stores the parameters of a client's request and returns their URI. */
export async function pushRequest(
  parameters: Parameters,
  clientId: string,
  isSigned: boolean,
  store: Store<PushedRequest>,
): Promise<string> {
  const kept = REQUEST_PARAMETERS.flatMap(name =>
    parameters.getAll(name).map((value): [string, string] => [name, value]),
  )
  if (kept.some(([, value]) => value.length > MAX_CHARACTERS))
    throw new OAuthError('invalid_request', `a parameter has more than ${MAX_CHARACTERS} characters`)
  const uri = `${PREFIX}${randomBytes(32).toString('base64url')}`
  await store.set(
    uri,
    { clientId, parameters: kept, isSigned, expiresAt: Date.now() + PUSHED_LIFE_S * 1000 },
    { ttlMs: (PUSHED_LIFE_S + LOGIN_LIFE_S) * 1000 },
  )
  return uri
}

/** The request of a URI; throws `invalid_request_uri`. `isContinued`: the user has seen the login form. */
export async function findPushed(
  uri: string,
  clientId: string,
  isContinued: boolean,
  store: Store<PushedRequest>,
): Promise<PushedRequest> {
  const pushed = await store.peek(uri)
  const isLive = pushed !== undefined && (isContinued || Date.now() < pushed.expiresAt)
  if (!isLive || pushed.clientId !== clientId) throw invalidUri()
  return pushed
}

/** Uses a request up. Of several logins with the same request one succeeds. */
export async function usePushed(uri: string, store: Store<PushedRequest>): Promise<void> {
  if ((await store.take(uri)) === undefined) throw invalidUri()
}

function invalidUri(): OAuthError {
  return new OAuthError('invalid_request_uri', 'request_uri is unknown, used, expired or of another client')
}
