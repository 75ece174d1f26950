/** Implements the extension point `identity.tokens`. */
import type { Svc } from 'svc/plugin'
import { decodeCompactJwt } from './compact-jwt.ts'
import type { Revocations } from './revocations.ts'
import { RSA_KEY_ID } from './signing-keys.ts'
import type { SigningKeys } from './signing-keys.ts'
import type { TokenClaims, TokenSigning, Tokens } from '../types.ts'
import { verifyToken } from './verification.ts'

/** Creates the token service with the keys of the process. */
export function createTokens(svc: Svc, keys: Promise<SigningKeys>, revocations: Revocations): Tokens {
  return {
    async verify(token, checks = {}) {
      const verification = await verifyToken(token, checks, await keys, Date.now() / 1000)
      if (!verification.valid || checks.refuseRevoked !== true) return verification
      return (await revocations.has(verification.claims)) ? { valid: false, reason: 'token revoked' } : verification
    },
    decode: decodeCompactJwt,
    sign: async (claims, signing) => signToken(claims, await keys, signing),
    issuer: request => svc.http.baseUrl(request),
  }
}

/** Does not use jose's SignJWT, which sets dates itself; the claims are signed unchanged. */
async function signToken(
  claims: TokenClaims,
  keys: SigningKeys,
  { algorithm = 'RS256', typ = 'JWT' }: TokenSigning = {},
): Promise<string> {
  // Imported with the first token, to keep the server start fast.
  const { CompactSign } = await import('jose')
  const header = algorithm === 'RS256' ? { alg: algorithm, typ, kid: RSA_KEY_ID } : { alg: algorithm, typ }
  return new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
    .setProtectedHeader(header)
    .sign(keys.signing[algorithm])
}
