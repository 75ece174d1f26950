/** What every grant gets of a token request, and the few rules that several of them share. */
import type { Client } from '../clients/clients.ts'
import { OAuthError } from '../errors.ts'
import type { Parameters } from '../requests/parameters.ts'
import { issueRefreshToken } from '../tokens/refresh-tokens.ts'
import { DEFAULT_USER_SCOPE, parseScope } from '../requests/scope.ts'
import type { Stores } from '../stores.ts'
import { issueTokens } from '../tokens/token-response.ts'
import type { Grant, TokenResponse } from '../tokens/token-response.ts'
import type { Tokens } from '../types.ts'

/** A token request whose client is authenticated, may use the grant, and names well-formed resources. */
export interface GrantRequest {
  parameters: Parameters
  client: Client
  /** Each once. */
  resources: readonly string[]
  issuer: string
  stores: Stores
  tokens: Tokens
}

/** One grant (RFC 6749, 1.3): answers tokens or throws an OAuth error. */
export type GrantHandler = (request: GrantRequest) => Promise<TokenResponse>

/** The scope that is asked for, empty when none is; throws `invalid_scope`. */
export function requestedScope(parameters: Parameters): readonly string[] {
  const scope = parseScope(parameters.get('scope') ?? '')
  if (scope === null)
    throw new OAuthError(
      'invalid_scope',
      'scope must be printable ASCII without quotes and backslashes, at most 1000 characters',
    )
  return scope
}

/** The scope of a user's grant: as asked for, else as registered, else the default. */
export function userScope(parameters: Parameters, client: Client): readonly string[] {
  return firstNonEmpty(requestedScope(parameters), client.scope, DEFAULT_USER_SCOPE)
}

/** The first list that has entries. */
export function firstNonEmpty(...lists: (readonly string[])[]): readonly string[] {
  return lists.find(list => list.length > 0) ?? []
}

/** Tokens for a user's grant, with a refresh token where the client may use it; that keeps `refreshable`, not `grant`. */
export async function issueUserTokens(
  grant: Grant,
  { issuer, stores, tokens }: GrantRequest,
  refreshable: Grant = grant,
): Promise<TokenResponse> {
  const response = await issueTokens(grant, issuer, tokens)
  return { ...response, refresh_token: await issueRefreshToken(refreshable, issuer, stores.refreshTokens) }
}
