/** Signs tokens of an issuer. */
import type { Issuer } from '../issuers/issuer.ts'
import { isKeyPairAlgorithm, macOf, signInput } from '../jwt/algorithms.ts'
import { DEFAULT_ISSUER } from '../settings/issuer-settings.ts'
import type { TokenClaims, TokenHeader, TokenSigning } from '../types.ts'

/** Signs HS256 tokens of the default issuer. Public on purpose, so that users can create tokens by hand. */
export const DEMO_SECRET = 'svc-demo-secret-do-not-use-in-production'

/** Signs the claims unchanged: libraries set dates themselves. */
export async function signToken(
  claims: TokenClaims,
  issuer: Issuer,
  { algorithm, typ = 'JWT' }: Omit<TokenSigning, 'issuer'> = {},
): Promise<string> {
  if (algorithm === 'HS256' && issuer.name === DEFAULT_ISSUER) {
    const input = signingInput({ alg: algorithm, typ }, claims)
    return `${input}.${macOf(algorithm, DEMO_SECRET, input).toString('base64url')}`
  }
  const key = await issuer.keys.signing(isKeyPairAlgorithm(algorithm) ? algorithm : undefined)
  if (key === undefined || algorithm === 'HS256')
    throw new Error(`the issuer ${issuer.name} has no key for ${algorithm}`)
  const input = signingInput({ alg: key.alg, typ, kid: key.kid }, claims)
  return `${input}.${signInput(key.alg, key.privateKey, input).toString('base64url')}`
}

/** RFC 7515, 5.1: header and payload, encoded and joined by a dot. */
export function signingInput(header: TokenHeader, claims: TokenClaims): string {
  return `${encode(header)}.${encode(claims)}`
}

export function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
