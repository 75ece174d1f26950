/** Faults of the JWK Set. */
import type { JWK } from 'jose'
import type { FastifyReply, FastifyRequest, Svc } from 'svc/plugin'
import type { Issuer } from '../issuers/issuer.ts'
import type { KeyPairAlgorithm } from '../jwt/algorithms.ts'
import { publicJwk } from '../keys/imported-keys.ts'
import { staleKeys } from '../keys/key-record.ts'
import type { FaultKind } from '../settings/fault-settings.ts'
import type { StoredKey } from '../stores/records.ts'

/** A key that nobody has, by use and algorithm. */
type ThrowAway = (use: string, alg: KeyPairAlgorithm) => Promise<StoredKey>

const HUGE = 2000
const PUBLIC_HUGE = 500

/** The keys of the set with a fault; unchanged for a fault of the response. */
export async function faultyKeys(
  kind: FaultKind<'jwks'>,
  published: readonly StoredKey[],
  issuer: Issuer,
  throwAway: ThrowAway,
  { publicMode }: Pick<Svc['config'], 'publicMode'>,
): Promise<JWK[]> {
  const right = published.map(publicJwk)
  const first = published[0]!
  switch (kind) {
    case 'empty':
      return []
    case 'stale':
      return staleKeys(await issuer.keys.record(), Date.now()).map(publicJwk)
    case 'unknown':
      return (await Promise.all(published.map(({ alg }) => throwAway('jwks-unknown', alg)))).map(publicJwk)
    case 'duplicate-kid':
      return [{ ...publicJwk(await throwAway('jwks-foreign', first.alg)), kid: first.kid }, ...right]
    case 'no-kid':
      return right.map(jwk => without(jwk, 'kid'))
    case 'no-alg':
      return right.map(jwk => without(jwk, 'alg'))
    case 'huge': {
      const filler = publicJwk(await throwAway('jwks-foreign', first.alg))
      const count = publicMode ? PUBLIC_HUGE : HUGE
      return [
        ...Array.from({ length: count - right.length }, (_, index) => ({ ...filler, kid: `filler-${index}` })),
        ...right,
      ]
    }
    case 'private': {
      const leaked = await throwAway('jwks-private', first.alg)
      return [{ ...leaked.jwk, use: 'sig', alg: leaked.alg, kid: leaked.kid }, ...right]
    }
    case 'mixed': {
      const encryption = {
        ...publicJwk(await throwAway('jwks-foreign', 'RS256')),
        use: 'enc',
        alg: 'RSA-OAEP',
        kid: 'enc-1',
      }
      return [{ kty: 'XYZ', kid: 'unknown-type', x: 'AA' }, encryption, ...right]
    }
    default:
      return right
  }
}

function without(jwk: JWK, member: 'kid' | 'alg'): JWK {
  return Object.fromEntries(Object.entries(jwk).filter(([name]) => name !== member)) as JWK
}

/** Sends the first half of a response and breaks the connection. */
export function sendTruncated(
  { http }: Pick<Svc, 'http'>,
  request: FastifyRequest,
  reply: FastifyReply,
  text: string,
): FastifyReply {
  const body = Buffer.from(text)
  reply.hijack()
  reply.raw.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length })
  reply.raw.write(body.subarray(0, body.length / 2), () => http.abortResponse(request, reply))
  return reply
}
