/** The issuer `hostile`: its metadata and answers are wrong, one thing at a time if `?ask=` says which. */
import { createHash } from 'node:crypto'
import { UnsecuredJWT } from 'jose'
import { type FastifyRequest, HttpError, readQuery } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import { HOSTILE } from '../issuers/built-in.ts'
import type { Issuer } from '../issuers/issuer.ts'
import { decodeCompactJwt } from '../jwt/compact-jwt.ts'
import { suggestion } from '../settings/shape.ts'
import { signToken } from '../tokens/sign.ts'
import type { TokenResponse } from '../tokens/token-response.ts'
import type { TokenClaims } from '../types.ts'
const ATTACKER = 'https://attacker.example/'

/** What can be wrong. */
export const ASKS = ['issuer', 'iss', 'nonce', 'aud', 'alg', 'sub', 'at_hash', 'state', 'downgrade'] as const
/** What is wrong in an answer. */
export type Ask = (typeof ASKS)[number]

/** What is wrong in the answer to a request: what it asks for, else everything; nothing for other issuers. */
export function asksOf(issuer: Issuer, request: FastifyRequest): ReadonlySet<Ask> {
  if (issuer.name !== HOSTILE) return new Set()
  const asked = readQuery(request).get('ask')
  if (asked === null) return new Set(ASKS)
  const known = ASKS.find(ask => ask === asked)
  if (known !== undefined) return new Set([known])
  const { didYouMean } = suggestion(asked, ASKS)
  throw new HttpError(400, {
    error: 'unknown_ask',
    ask: asked.slice(0, 200),
    ...(didYouMean !== undefined && { did_you_mean: didYouMean }),
    asks: ASKS,
  })
}

/** The query that carries the request to the endpoints; empty without one. */
export function askQuery(asks: ReadonlySet<Ask>): string {
  const [only] = asks
  return asks.size === 1 ? `?ask=${only}` : ''
}

/** The metadata: its endpoints keep the query. */
export function hostileMetadata(document: Record<string, unknown>, asks: ReadonlySet<Ask>): Record<string, unknown> {
  const query = askQuery(asks)
  return {
    ...withQuery(document, query),
    ...(isRecord(document[ALIASES]) && { [ALIASES]: withQuery(document[ALIASES], query) }),
    ...(asks.has('issuer') && { issuer: ATTACKER }),
    ...(asks.has('downgrade') && { code_challenge_methods_supported: undefined }),
  }
}

const ALIASES = 'mtls_endpoint_aliases'

function withParameter(url: string, query: string): string {
  return url.includes('?') ? url + query.replace('?', '&') : url + query
}

function withQuery(endpoints: Record<string, unknown>, query: string): Record<string, unknown> {
  const entries = Object.entries(endpoints).map(([name, value]) => [
    name,
    name.endsWith('_endpoint') && typeof value === 'string' ? withParameter(value, query) : value,
  ])
  return Object.fromEntries(entries) as Record<string, unknown>
}

/** The parameters of an authorization response, with a wrong `iss` and `state`. */
export function hostileParameters(parameters: Record<string, string>, asks: ReadonlySet<Ask>): Record<string, string> {
  return {
    ...parameters,
    ...(asks.has('iss') && { iss: ATTACKER }),
    ...(asks.has('state') && { state: 'exchanged' }),
  }
}

/** The token response, with a wrong ID token. */
export async function hostileTokens(
  response: TokenResponse,
  asks: ReadonlySet<Ask>,
  issuer: Issuer,
): Promise<TokenResponse> {
  const decoded = response.id_token === undefined ? null : decodeCompactJwt(response.id_token)
  if (decoded === null || 'malformed' in decoded) return response
  const claims: TokenClaims = {
    ...decoded.claims,
    ...(asks.has('nonce') && { nonce: 'exchanged' }),
    ...(asks.has('aud') && { aud: 'another-client', azp: 'another-client' }),
    ...(asks.has('issuer') && { iss: ATTACKER }),
    ...(asks.has('at_hash') && { at_hash: createHash('sha256').update('other').digest('base64url').slice(0, 22) }),
  }
  const algorithm = await issuer.keys.idTokenAlgorithm()
  const id_token = asks.has('alg') ? new UnsecuredJWT(claims).encode() : await signToken(claims, issuer, { algorithm })
  return { ...response, id_token }
}

/** The claims of UserInfo, with another subject. */
export function hostileUserInfo(claims: TokenClaims, asks: ReadonlySet<Ask>): TokenClaims {
  return asks.has('sub') ? { ...claims, sub: 'mallory' } : claims
}
