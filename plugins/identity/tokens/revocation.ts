/** Token revocation (RFC 7009). */
import type { Issuer } from '../issuers/issuer.ts'
import type { Client } from '../stores/records.ts'
import type { TokenVerification } from '../types.ts'
import { isOpaqueToken } from './access-tokens.ts'

/**
 * Revokes a token of the client: a refresh token, an opaque one, or a JWT by its id. Related tokens stay valid. Tokens of
 * other clients, unknown and expired tokens are ignored without an error (RFC 7009, 2.2).
 */
export async function revoke(
  token: string,
  client: Client,
  { stores: { refreshTokens, accessTokens }, revocations }: Issuer,
  verify: (token: string) => Promise<TokenVerification>,
): Promise<void> {
  const refreshToken = await refreshTokens.peek(token)
  if (refreshToken !== undefined) {
    if (refreshToken.clientId === client.id) await refreshTokens.delete(token)
    return
  }
  if (isOpaqueToken(token)) {
    if ((await accessTokens.peek(token))?.claims.client_id === client.id) await accessTokens.delete(token)
    return
  }
  const verification = await verify(token)
  if (verification.valid && (verification.claims.client_id ?? verification.claims.azp) === client.id)
    await revocations.add(verification.claims)
}
