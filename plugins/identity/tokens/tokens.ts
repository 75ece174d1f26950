/** Implements the extension point `identity.tokens`. */
import type { AnyRequest, Svc } from 'svc/plugin'
import type { BoundedMap } from 'svc/toolkit'
import { isKeyPairAlgorithm, macOf, signInput } from '../keys/algorithms.ts'
import { createRequestVerification } from '../binding/request-verification.ts'
import { issuerNameOf } from '../issuers/issuer.ts'
import type { Issuer } from '../issuers/issuer.ts'
import { DEFAULT_ISSUER } from '../issuers/issuer-settings.ts'
import type { Issuers } from '../issuers/issuers.ts'
import { takesIdentityAssertions } from '../metadata.ts'
import { decodeCompactJwt } from './compact-jwt.ts'
import type { TokenChecks, TokenClaims, TokenHeader, TokenSigning, TokenVerification, Tokens } from '../types.ts'
import { verifyToken } from './verification.ts'

/** Signs HS256 tokens of the default issuer. Public on purpose, so that users can create tokens by hand. */
export const DEMO_SECRET = 'svc-demo-secret-do-not-use-in-production'

/** Creates the token service for all issuers. */
export function createTokens(svc: Svc, issuers: Issuers, known: BoundedMap<string>): Omit<Tokens, 'order'> {
  const verify: Tokens['verify'] = async (token, checks = {}) => {
    const issuer = await issuerOf(token, checks, issuers)
    if (issuer === undefined) return { valid: false, reason: 'issuer mismatch' }
    return verifyOfIssuer(token, checks, issuer, known)
  }
  return {
    verify,
    verifyRequest: createRequestVerification(svc, issuers, verify),
    decode: decodeCompactJwt,
    async sign(claims, signing = {}) {
      const { issuer: name = DEFAULT_ISSUER } = signing
      const issuer = await issuers.find(name)
      if (issuer === undefined) throw new Error(`there is no issuer ${name}`)
      return signToken(claims, issuer, signing)
    },
    issuer: (request: AnyRequest, name = DEFAULT_ISSUER) =>
      name === DEFAULT_ISSUER ? issuers.default.url(request) : `${svc.http.baseUrl(request)}/oauth/i/${name}`,
    names: async () => (await issuers.list()).map(({ name }) => name),
    async grants(name) {
      const issuer = name === undefined || name === DEFAULT_ISSUER ? issuers.default : await issuers.find(name)
      return issuer && [...issuer.settings.grants, ...(takesIdentityAssertions(issuer) ? ['id-jag'] : [])]
    },
  }
}

/** Verifies a token of one issuer, including revocation if the checks ask for it. */
export async function verifyOfIssuer(
  token: string,
  checks: TokenChecks,
  issuer: Issuer,
  known: BoundedMap<string>,
): Promise<TokenVerification> {
  const keys = await issuer.keys.verifying()
  const secret = issuer.name === DEFAULT_ISSUER ? DEMO_SECRET : null
  const verification = verifyToken(token, checks, { issuer: issuer.name, keys, secret, known }, Date.now() / 1000)
  if (!verification.valid || checks.refuseRevoked !== true) return verification
  return (await issuer.revocations.has(verification.claims)) ? { valid: false, reason: 'token revoked' } : verification
}

/** The issuer whose keys verify the token: the only allowed one, else the one that `iss` names. */
async function issuerOf(
  token: string,
  { issuers: allowed = [DEFAULT_ISSUER] }: TokenChecks,
  issuers: Issuers,
): Promise<Issuer | undefined> {
  if (allowed !== '*' && allowed.length === 1) return issuers.find(allowed[0]!)
  const decoded = decodeCompactJwt(token)
  // The keys do not matter for a token that can't be decoded.
  if ('malformed' in decoded) return issuers.default
  const name = issuerNameOf(decoded.claims.iss)
  return allowed === '*' || allowed.includes(name) ? issuers.find(name) : undefined
}

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

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
