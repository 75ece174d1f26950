/** Tokens of issuers that an issuer trusts (RFC 7523, 3). */
import { endpointUrl, type Issuer, issuerNameOf } from '../issuers/issuer.ts'
import type { Issuers } from '../issuers/issuers.ts'
import { isSignatureOf } from '../jwt/algorithms.ts'
import {
  checkAudience,
  checkKeySignature,
  checkLifetime,
  type ForeignJwt,
  jwtId,
  JwtProblem,
  readForeignJwt,
} from '../jwt/foreign-jwt.ts'
import { isOwnName, type TrustEntry, type TrustType } from '../settings/trust-settings.ts'
import { useOnce } from '../stores/used-ids.ts'
import type { TokenClaims } from '../types.ts'
import { ID_JAG_TYP } from './id-jag.ts'
const MAX_ASSERTION_AHEAD_S = 3600
const MAX_TOKEN_AHEAD_S = 86_400

/** An assertion of a trusted issuer. */
export interface TrustedJwt {
  entry: TrustEntry
  type: TrustType
  claims: TokenClaims
  /** The subject. */
  subject: string
}

/** The entry for the issuer of a token that is not verified yet; throws a `JwtProblem`. */
export function findTrust(
  token: string,
  { settings }: Issuer,
): { jwt: ForeignJwt; entry: TrustEntry; type: TrustType } {
  const jwt = readForeignJwt(token)
  const type: TrustType = jwt.header.typ === ID_JAG_TYP ? 'id-jag' : 'workload'
  const { iss } = jwt.claims
  const entry = settings.trust.find(({ issuer, types }) => {
    const isIssuer = isOwnName(issuer) ? typeof iss === 'string' && issuerNameOf(iss) === issuer : issuer === iss
    return isIssuer && types.includes(type)
  })
  if (entry === undefined) throw new JwtProblem('is of an issuer that is not trusted for it')
  return { jwt, entry, type }
}

/** Verifies an assertion, which is accepted once if it has a `jti`; throws a `JwtProblem`. */
export async function verifyAssertedJwt(
  token: string,
  issuer: Issuer,
  url: string,
  issuers: Pick<Issuers, 'find'>,
): Promise<TrustedJwt> {
  const { jwt, entry, type } = findTrust(token, issuer)
  await checkSignature(jwt, entry, issuer, url, issuers)
  const exp = checkLifetime(jwt.claims, MAX_ASSERTION_AHEAD_S)
  checkAudience(jwt.claims, [url, endpointUrl(issuer, url, 'token')])
  const subject = subjectOf(jwt.claims, entry)
  const id = jwtId(jwt.claims)
  if (id !== undefined && !(await useOnce(issuer.stores.assertionIds, `iss ${String(jwt.claims.iss)}`, id, exp)))
    throw new JwtProblem('was used before')
  return { entry, type, claims: jwt.claims, subject }
}

/** The claims of a token of a trusted issuer for anybody, as in a token exchange; throws a `JwtProblem`. */
export async function verifyTrustedToken(
  token: string,
  issuer: Issuer,
  url: string,
  issuers: Pick<Issuers, 'find'>,
): Promise<TokenClaims> {
  const { jwt, entry } = findTrust(token, issuer)
  await checkSignature(jwt, entry, issuer, url, issuers)
  checkLifetime(jwt.claims, MAX_TOKEN_AHEAD_S)
  subjectOf(jwt.claims, entry)
  return jwt.claims
}

async function checkSignature(
  jwt: ForeignJwt,
  entry: TrustEntry,
  issuer: Issuer,
  url: string,
  issuers: Pick<Issuers, 'find'>,
): Promise<void> {
  if (entry.jwks !== undefined) return checkKeySignature(jwt, entry.jwks.keys)
  if (entry.jwks_uri !== undefined) return checkKeySignature(jwt, await issuer.remoteKeys(entry.jwks_uri, url))
  const trusted = await issuers.find(entry.issuer)
  const keys = trusted === undefined ? [] : await trusted.keys.verifying()
  const isSigned = keys.some(
    ({ alg, key }) => alg === jwt.header.alg && isSignatureOf(alg, key, jwt.signed, jwt.signature),
  )
  if (!isSigned) throw new JwtProblem('has an invalid signature')
}

function subjectOf({ sub }: TokenClaims, { subjects }: TrustEntry): string {
  if (typeof sub !== 'string' || sub === '' || sub.length > 500) throw new JwtProblem('has no usable sub')
  if (!subjects.some(pattern => fitsPattern(sub, pattern))) throw new JwtProblem('has a sub that is not trusted')
  return sub
}

/** Whether a text fits a pattern in which `*` is any text. */
export function fitsPattern(value: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  if (!value.startsWith(first)) return false
  const last = rest.pop()
  if (last === undefined) return value === first
  let position = first.length
  for (const part of rest) {
    const found = value.indexOf(part, position)
    if (found === -1) return false
    position = found + part.length
  }
  return value.length - last.length >= position && value.endsWith(last)
}
