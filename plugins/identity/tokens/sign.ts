/** Signs tokens of an issuer. */
import { SignJWT } from 'jose'
import type { Issuer } from '../issuers/issuer.ts'
import { isKeyPairAlgorithm } from '../jwt/algorithms.ts'
import { DEFAULT_ISSUER } from '../settings/issuer-settings.ts'
import type { TokenClaims, TokenSigning } from '../types.ts'

/** Signs HS256 tokens of the default issuer. Public on purpose, so that users can create tokens by hand. */
export const DEMO_SECRET = 'svc-demo-secret-do-not-use-in-production'

/** Signs the claims unchanged: libraries set dates themselves. Rejects if the issuer has no key for the algorithm. */
export async function signToken(
  claims: TokenClaims,
  issuer: Issuer,
  { algorithm, typ = 'JWT' }: Omit<TokenSigning, 'issuer'> = {},
): Promise<string> {
  const jwt = new SignJWT(claims)
  if (algorithm === 'HS256' && issuer.name === DEFAULT_ISSUER)
    return jwt.setProtectedHeader({ alg: algorithm, typ }).sign(Buffer.from(DEMO_SECRET))
  const key = await issuer.keys.signing(isKeyPairAlgorithm(algorithm) ? algorithm : undefined)
  if (key === undefined || algorithm === 'HS256')
    throw new Error(`the issuer ${issuer.name} has no key for ${algorithm}`)
  return jwt.setProtectedHeader({ alg: key.alg, typ, kid: key.kid }).sign(key.privateKey)
}
