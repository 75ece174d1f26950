/** `/auth/jwt`: checks, reads and exchanges JWTs (RFC 7519) as a gateway would, without asking the provider. */
import { randomUUID } from 'node:crypto'
import { describe, readBearerToken, readQuery } from 'svc/plugin'
import type { FastifyInstance, FastifyRequest, RouteDescription, RouteParameter, Svc } from 'svc/plugin'
import type { TokenClaims, Tokens } from '../../identity/types.ts'
import { invalidToken, missingToken } from '../bearer.ts'
import { RESPONSES, badRequest } from '../outcome.ts'
import type { Authenticated } from '../outcome.ts'

/** Seconds for which an exchanged token is valid. */
const EXCHANGED_LIFE_S = 3600
const DECODE_NOTE = 'nothing but the structure was checked: not the signature, not the dates'

/** Signed with the public demo secret, valid until 2100. */
const DEMO_TOKEN =
  'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaXNzIjoic3ZjIiwiYXVkIjoic3ZjIiwic2NvcGUiOiJvcGVuaWQgcHJvZmlsZSIsImlhdCI6MTUxNjIzOTAyMiwiZXhwIjo0MTAyNDQ0ODAwfQ.tbbyFQxyPPedrX-OumeaAzDQEdXQZNUxAwR6Toqb3lc'
const DEMO_AUTH = { type: 'bearer', token: DEMO_TOKEN } as const

const SHARED = { category: 'Auth: JWT', negotiated: true, responses: RESPONSES } satisfies Partial<RouteDescription>
const ASKED: RouteParameter[] = [
  { name: 'iss', in: 'query', description: 'Issuer that the token must have', schema: { type: 'string' } },
  { name: 'aud', in: 'query', description: 'Audience that the token must be for', schema: { type: 'string' } },
]

function bearerToken(request: FastifyRequest): string {
  const token = readBearerToken(request.headers.authorization)
  if (token === null) throw missingToken()
  return token
}

/** Header and claims of the valid token of the request; `?iss=` and `?aud=` ask for more. */
async function verifiedToken(request: FastifyRequest, tokens: Tokens) {
  const query = readQuery(request)
  const issuer = query.get('iss') || undefined
  const audience = query.get('aud') || undefined
  const verification = await tokens.verify(bearerToken(request), {
    issuer,
    audiences: audience === undefined ? undefined : [audience],
  })
  if (!verification.valid) throw invalidToken(verification.reason)
  return verification
}

async function check(request: FastifyRequest, tokens: Tokens): Promise<Authenticated> {
  const { header, claims } = await verifiedToken(request, tokens)
  const username = typeof claims.sub === 'string' ? claims.sub : undefined
  return { authenticated: true, auth_type: 'jwt', username, claims, jwt_header: header }
}

function decode(request: FastifyRequest, tokens: Tokens): Record<string, unknown> {
  const decoded = tokens.decode(bearerToken(request))
  if ('malformed' in decoded) throw badRequest(`malformed_token: ${decoded.malformed}`)
  const { header, claims } = decoded
  const expired = typeof claims.exp === 'number' ? claims.exp <= Date.now() / 1000 : undefined
  return { verified: false, jwt_header: header, claims, expired, note: DECODE_NOTE }
}

/** A gateway that vouches for the caller with a token of its own. */
async function exchange(request: FastifyRequest, tokens: Tokens): Promise<Authenticated> {
  const verification = await verifiedToken(request, tokens)
  const iat = Math.floor(Date.now() / 1000)
  const { nbf: _, ...kept }: TokenClaims = verification.claims
  const claims = { ...kept, iss: 'svc', iat, exp: iat + EXCHANGED_LIFE_S, jti: randomUUID() }
  return {
    authenticated: true,
    auth_type: 'jwt',
    claims,
    exchanged_token: await tokens.sign(claims, { algorithm: 'HS256' }),
  }
}

/** Registers `/auth/jwt`, `/auth/jwt/decode` and `/auth/jwt/exchange`. */
export function registerJwtRoutes(app: FastifyInstance, svc: Svc): void {
  const tokens = svc.use('identity.tokens')!
  app.all(
    '/auth/jwt',
    describe({
      ...SHARED,
      summary: 'Check a JWT',
      description:
        'RS256 by the identity provider, or HS256 with the demo secret. Signature and claims only: revoked tokens pass.',
      parameters: ASKED,
      examples: [
        { name: 'Demo token', path: '/auth/jwt', auth: DEMO_AUTH, expectStatus: 200 },
        { name: 'Other audience', path: '/auth/jwt?aud=other', auth: DEMO_AUTH, expectStatus: 401 },
      ],
    }),
    async (request, reply) => svc.http.negotiate(request, reply, await check(request, tokens)),
  )

  app.all(
    '/auth/jwt/decode',
    describe({
      ...SHARED,
      summary: 'Read a JWT without checking it',
      responses: {
        200: { description: 'Header and claims' },
        400: { description: 'No JWT' },
        401: { description: 'No bearer token' },
      },
      examples: [{ name: 'Demo token', path: '/auth/jwt/decode', auth: DEMO_AUTH, expectStatus: 200 }],
    }),
    (request, reply) => svc.http.negotiate(request, reply, decode(request, tokens)),
  )

  app.all(
    '/auth/jwt/exchange',
    describe({
      ...SHARED,
      summary: 'Exchange a JWT for one of this server',
      description:
        'The new token has the claims of the old one, issuer `svc`, and is signed HS256 with the demo secret.',
      parameters: ASKED,
      examples: [{ name: 'Demo token', path: '/auth/jwt/exchange', auth: DEMO_AUTH, expectStatus: 200 }],
    }),
    async (request, reply) => svc.http.negotiate(request, reply, await exchange(request, tokens)),
  )
}
