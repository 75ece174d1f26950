/** DPoP proofs (RFC 9449, 4). */
import { createHash } from 'node:crypto'
import { calculateJwkThumbprint } from 'jose'
import { type FastifyRequest, type Svc } from 'svc/plugin'
import { isSameSecret } from 'svc/toolkit'
import type { Issuer } from '../issuers/issuer.ts'
import { isKeyPairAlgorithm } from '../jwt/algorithms.ts'
import { JwtProblem, readForeignJwt, verifyForeignJwt } from '../jwt/foreign-jwt.ts'
import { readPublicJwk } from '../jwt/public-keys.ts'
import { useOnce } from '../stores/used-ids.ts'

const MAX_ID_CHARACTERS = 256

/** The thumbprint of a key. */
export const JKT = /^[A-Za-z0-9_-]{43}$/

/** What a proof must be for. */
export interface ProofUse {
  request: FastifyRequest
  issuer: Issuer
  /** The access token that the proof belongs to; null at the endpoints of the issuer. */
  token: string | null
}

/** A proof that is valid, but for its nonce. */
export interface Proof {
  /** The thumbprint of its key. */
  jkt: string
  nonce: string | undefined
}

/** The proof of a request; null if it has none. Throws a `JwtProblem`. Each proof is accepted once. */
export async function readProof({ request, issuer, token }: ProofUse, svc: Pick<Svc, 'http'>): Promise<Proof | null> {
  const values = headerValues(request, svc)
  if (values.length === 0) return null
  if (values.length > 1) throw new JwtProblem('occurs more than once')
  const jwt = readForeignJwt(values[0]!, ['dpop+jwt'])
  if (!isKeyPairAlgorithm(jwt.header.alg)) throw new JwtProblem('has an alg that is not supported')
  const jwk = readPublicJwk(jwt.header.jwk)
  if (typeof jwk === 'string') throw new JwtProblem(jwk)
  const { alg: _alg, use: _use, kid: _kid, ...key } = jwk
  const { kid } = jwt.header
  // The proof brings its only key, whatever name it gives it.
  await verifyForeignJwt(jwt, { keys: [typeof kid === 'string' ? { ...key, kid } : key] }, {})

  const { htm, htu, ath, nonce, jti, iat } = jwt.claims
  if (htm !== request.method) throw new JwtProblem('has another htm')
  if (!isSameUrl(htu, urlOf(request, svc))) throw new JwtProblem('has another htu')
  const { ttl_s: ttl } = issuer.settings.dpop
  const now = Date.now() / 1000
  if (typeof iat !== 'number' || Math.abs(now - iat) > ttl)
    throw new JwtProblem(`has an iat that is not within ${ttl} seconds`)
  if (token === null ? ath !== undefined : !isHashOf(ath, token)) throw new JwtProblem('has another ath')
  if (typeof jti !== 'string' || jti === '' || jti.length > MAX_ID_CHARACTERS)
    throw new JwtProblem(`needs a jti of 1 to ${MAX_ID_CHARACTERS} characters`)
  const jkt = await calculateJwkThumbprint(key)
  if (!(await useOnce(issuer.stores.proofIds, jkt, jti, now + 2 * ttl))) throw new JwtProblem('was used before')
  return { jkt, nonce: typeof nonce === 'string' ? nonce : undefined }
}

function headerValues(request: FastifyRequest, { http }: Pick<Svc, 'http'>): string[] {
  const lines = http.receivedHeaders(request)
  return lines.filter((_, index) => index % 2 === 1 && lines[index - 1]!.toLowerCase() === 'dpop')
}

/** The URL as the client named it, without the query (RFC 9449, 4.2). */
function urlOf(request: FastifyRequest, { http }: Pick<Svc, 'http'>): string {
  return http.url(request, http.target(request).split('?', 1)[0]!)
}

/** RFC 9449, 4.3: query and fragment of `htu` do not count, and equivalent forms are the same. */
function isSameUrl(htu: unknown, expected: string): boolean {
  if (typeof htu !== 'string' || htu.length > 8192 || !URL.canParse(htu)) return false
  const [own, right] = [new URL(htu), new URL(expected)]
  return own.origin === right.origin && own.pathname === right.pathname
}

function isHashOf(ath: unknown, token: string): boolean {
  return typeof ath === 'string' && isSameSecret(ath, createHash('sha256').update(token).digest('base64url'))
}
