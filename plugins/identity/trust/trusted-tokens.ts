/** Tokens of issuers that an issuer trusts (RFC 7523, 3). */
import type { JWK } from 'jose'
import { endpointUrl, type Issuer } from '../issuers/issuer.ts'
import type { Issuers } from '../issuers/issuers.ts'
import { type ForeignJwt, jwtId, JwtProblem, readForeignJwt, verifyForeignJwt } from '../jwt/foreign-jwt.ts'
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
  { settings, nameOf }: Issuer,
): { jwt: ForeignJwt; entry: TrustEntry; type: TrustType } {
  const jwt = readForeignJwt(token)
  const type: TrustType = jwt.header.typ === ID_JAG_TYP ? 'id-jag' : 'workload'
  const { iss } = jwt.claims
  const entry = settings.trust.find(({ issuer, types }) => {
    const isIssuer = isOwnName(issuer) ? typeof iss === 'string' && nameOf(iss) === issuer : issuer === iss
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
  const keys = await keysOf(entry, issuer, url, issuers)
  const audiences = [url, endpointUrl(issuer, url, 'token')]
  const exp = await verifyForeignJwt(jwt, { keys }, { audiences, maxAheadS: MAX_ASSERTION_AHEAD_S })
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
  const keys = await keysOf(entry, issuer, url, issuers)
  await verifyForeignJwt(jwt, { keys }, { maxAheadS: MAX_TOKEN_AHEAD_S })
  subjectOf(jwt.claims, entry)
  return jwt.claims
}

/** The public keys of a trusted issuer: those of the settings, at an address, or of an issuer of this instance. */
async function keysOf(
  { issuer: name, jwks, jwks_uri: uri }: TrustEntry,
  issuer: Issuer,
  url: string,
  issuers: Pick<Issuers, 'find'>,
): Promise<readonly JWK[]> {
  if (jwks !== undefined) return jwks.keys
  if (uri !== undefined) return issuer.remoteKeys(uri, url)
  return (await issuers.find(name))?.keys.accepted() ?? []
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
