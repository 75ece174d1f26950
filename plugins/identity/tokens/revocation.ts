/** Token revocation (RFC 7009). */
import type { Client } from '../clients/clients.ts'
import type { Revocations } from './revocations.ts'
import type { Stores } from '../stores.ts'
import type { Tokens } from '../types.ts'

/**
 * Revokes a token of the client: a refresh token, or a JWT by its id. Related tokens stay valid. Tokens of other
 * clients, unknown and expired tokens are ignored without an error (RFC 7009, 2.2).
 */
export async function revoke(
  token: string,
  client: Client,
  { refreshTokens }: Stores,
  tokens: Tokens,
  revocations: Revocations,
): Promise<void> {
  const refreshToken = await refreshTokens.peek(token)
  if (refreshToken !== undefined) {
    if (refreshToken.clientId === client.id) await refreshTokens.delete(token)
    return
  }
  const verification = await tokens.verify(token)
  if (verification.valid && (verification.claims.client_id ?? verification.claims.azp) === client.id)
    await revocations.add(verification.claims)
}
