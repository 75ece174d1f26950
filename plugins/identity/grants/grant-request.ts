/** The input of every grant handler, and rules that several grants share. */
import type { Client } from '../clients/clients.ts'
import { OAuthError } from '../errors.ts'
import type { Issuers } from '../issuers/issuers.ts'
import type { Parameters } from '../requests/parameters.ts'
import { issueRefreshToken } from '../tokens/refresh-tokens.ts'
import { DEFAULT_USER_SCOPE, parseScope } from '../requests/scope.ts'
import { issueTokens } from '../tokens/token-response.ts'
import type { Grant, TokenIssuer, TokenResponse } from '../tokens/token-response.ts'
import type { TokenVerification } from '../types.ts'

/** A token request with well-formed resources, from an authenticated client that may use the grant. */
export interface GrantRequest extends TokenIssuer {
  parameters: Parameters
  client: Client
  /** Without duplicates. */
  resources: readonly string[]
  /** Verifies a token of the issuer that is not revoked. */
  verify(token: string): Promise<TokenVerification>
  /** The issuers of this instance, which can be trusted. */
  issuers: Pick<Issuers, 'find'>
}

/** Handles a grant type (RFC 6749, 1.3): returns tokens or throws an OAuth error. */
export type GrantHandler = (request: GrantRequest) => Promise<TokenResponse>

/** The requested scope, or an empty list; throws `invalid_scope`. */
export function requestedScope(parameters: Parameters): readonly string[] {
  const scope = parseScope(parameters.get('scope') ?? '')
  if (scope === null)
    throw new OAuthError(
      'invalid_scope',
      'scope must be printable ASCII without quotes and backslashes, at most 1000 characters',
    )
  return scope
}

/** The scope of a user's grant: the requested, else the registered, else the default one. */
export function userScope(parameters: Parameters, client: Client): readonly string[] {
  return firstNonEmpty(requestedScope(parameters), client.scope, DEFAULT_USER_SCOPE)
}

/** The first non-empty list, or an empty one. */
export function firstNonEmpty(...lists: (readonly string[])[]): readonly string[] {
  return lists.find(list => list.length > 0) ?? []
}

/** Issues tokens for a user's grant, with a refresh token if the client may use it. */
export async function issueUserTokens(grant: Grant, request: GrantRequest): Promise<TokenResponse> {
  const response = await issueTokens(grant, request)
  return { ...response, refresh_token: await issueRefreshToken(grant, request) }
}
