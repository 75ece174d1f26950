/** The input of every grant handler, and rules that several grants share. */
import type { Issuers } from '../issuers/issuers.ts'
import type { Parameters } from '../oauth/parameters.ts'
import type { Client } from '../stores/records.ts'
import { issueRefreshToken } from '../tokens/refresh-tokens.ts'
import { type Grant, issueTokens, type TokenIssuer, type TokenResponse } from '../tokens/token-response.ts'
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

/** Issues tokens for a user's grant, with a refresh token if the client may use it. */
export async function issueUserTokens(grant: Grant, request: GrantRequest): Promise<TokenResponse> {
  const response = await issueTokens(grant, request)
  return { ...response, refresh_token: await issueRefreshToken(grant, request) }
}
