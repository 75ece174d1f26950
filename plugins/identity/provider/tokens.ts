/** Implements the extension point `identity.tokens`. */
import type { AnyRequest, Svc } from 'svc/plugin'
import type { BoundedMap } from 'svc/toolkit'
import { type Issuer, takesIdentityAssertions } from '../issuers/issuer.ts'
import type { Issuers } from '../issuers/issuers.ts'
import { decodeCompactJwt } from '../jwt/compact-jwt.ts'
import { createRequestVerification } from '../resource/request-verification.ts'
import { DEFAULT_ISSUER } from '../settings/issuer-settings.ts'
import { signToken } from '../tokens/sign.ts'
import { type KnownToken, verifyOfIssuer } from '../tokens/verification.ts'
import type { TokenChecks, Tokens } from '../types.ts'

/** Creates the token service for all issuers. */
export function createTokens(svc: Svc, issuers: Issuers, known: BoundedMap<KnownToken>): Omit<Tokens, 'order'> {
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
      name === DEFAULT_ISSUER
        ? issuers.default.url(request)
        : svc.http.url(request, `/oauth/i/${name}`).replace(/\/$/, ''),
    names: async () => (await issuers.list()).map(({ name }) => name),
    async grants(name) {
      const issuer = name === undefined || name === DEFAULT_ISSUER ? issuers.default : await issuers.find(name)
      return issuer && [...issuer.settings.grants, ...(takesIdentityAssertions(issuer) ? ['id-jag'] : [])]
    },
  }
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
  const name = issuers.default.nameOf(decoded.claims.iss)
  return allowed === '*' || allowed.includes(name) ? issuers.find(name) : undefined
}
