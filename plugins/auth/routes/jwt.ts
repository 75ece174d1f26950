/** `/auth/jwt`: verifies, decodes and exchanges JWTs (RFC 7519) locally, as a gateway does. */
import { randomUUID } from 'node:crypto'
import {
  describe,
  HttpError,
  readQuery,
  type FastifyInstance,
  type FastifyRequest,
  type RouteDescription,
  type RouteParameter,
  type Svc,
} from 'svc/plugin'
import { readBearerToken } from 'svc/toolkit'
import type { ResourceChecks, TokenChecks, TokenClaims, Tokens } from '../../identity/types.ts'
import { RESPONSES, badRequest, unauthenticated, type Authenticated } from '../outcome.ts'
import { AUTH_JWT, AUTH_JWT_DECODE, AUTH_JWT_EXCHANGE } from '../replies.ts'

const CHALLENGE = 'Bearer realm="svc"'

/** Seconds for which an exchanged token is valid. */
const EXCHANGED_LIFE_S = 3600
const DECODE_NOTE = 'only the structure was checked, not the signature or the dates'

/** Signed with the public demo secret, valid until 2100. */
const DEMO_TOKEN =
  'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaXNzIjoic3ZjIiwiYXVkIjoic3ZjIiwic2NvcGUiOiJvcGVuaWQgcHJvZmlsZSIsImlhdCI6MTUxNjIzOTAyMiwiZXhwIjo0MTAyNDQ0ODAwfQ.tbbyFQxyPPedrX-OumeaAzDQEdXQZNUxAwR6Toqb3lc'
const DEMO_AUTH = { type: 'bearer', token: DEMO_TOKEN } as const

const SHARED = { category: 'Auth: JWT', negotiated: true, responses: RESPONSES } satisfies Partial<RouteDescription>
const CHECK_RESPONSES = { ...RESPONSES, 400: { description: '`unknown_issuer`, or an unknown `binding`' } }
const EXPECTED: RouteParameter[] = [
  { name: 'iss', in: 'query', description: 'Expected issuer', schema: { type: 'string' } },
  { name: 'aud', in: 'query', description: 'Expected audience', schema: { type: 'string' } },
  {
    name: 'issuer',
    in: 'query',
    description: 'Accept only tokens of this issuer by path, or of all issuers with `*`',
    schema: { type: 'string' },
  },
  { name: 'typ', in: 'query', description: 'Expected type of the token, such as `at+jwt`', schema: { type: 'string' } },
  {
    name: 'binding',
    in: 'query',
    description: '`required` refuses tokens that are not bound to a key (DPoP) or a certificate',
    schema: { enum: ['required', 'optional'] },
  },
]

function bearerToken(request: FastifyRequest): string {
  const token = readBearerToken(request.headers.authorization)
  if (token === null) throw missingToken()
  return token
}

/** Verifies the token of the request, and issuer and audience if `?iss=` and `?aud=` are given; throws a 401. */
async function verifiedToken(request: FastifyRequest, tokens: Tokens) {
  const query = readQuery(request)
  const issuer = query.get('iss') || undefined
  const audience = query.get('aud') || undefined
  const name = query.get('issuer') || undefined
  const verification = await tokens.verifyRequest(request, {
    binding: requestedBinding(query.get('binding')),
    issuer,
    issuers: await requestedIssuers(name, tokens),
    audiences: audience === undefined ? undefined : [audience],
    typ: query.get('typ')?.toLowerCase() || undefined,
  })
  if (!verification.valid) {
    const { error, reason, challenge } = verification
    throw error === null ? missingToken() : unauthenticated(`${error}: ${reason}`, challenge)
  }
  return { ...verification, issuer: name === undefined ? undefined : verification.issuer }
}

/** The value of `?binding=`; throws a 400 for an unknown one. */
function requestedBinding(value: string | null): ResourceChecks['binding'] {
  if (value === null || value === '' || value === 'optional') return 'optional'
  if (value === 'required') return 'required'
  throw badRequest('bad_request: binding must be required or optional')
}

/** The issuers of `?issuer=`; throws a 400 for an unknown name. */
async function requestedIssuers(name: string | undefined, tokens: Tokens): Promise<TokenChecks['issuers']> {
  if (name === undefined) return undefined
  if (name === '*') return '*'
  const known = ['default', ...(await tokens.names())]
  if (known.includes(name)) return [name]
  throw new HttpError(400, {
    authenticated: false,
    error: 'unknown_issuer',
    issuer: name.slice(0, 200),
    issuers: known,
  })
}

async function check(request: FastifyRequest, tokens: Tokens): Promise<Authenticated> {
  const { header, claims, issuer, binding } = await verifiedToken(request, tokens)
  const username = typeof claims.sub === 'string' ? claims.sub : undefined
  return {
    authenticated: true,
    auth_type: 'jwt',
    username,
    issuer,
    binding: binding ?? undefined,
    claims,
    jwt_header: header,
  }
}

function decode(request: FastifyRequest, tokens: Tokens): Record<string, unknown> {
  const decoded = tokens.decode(bearerToken(request))
  if ('malformed' in decoded) throw badRequest(`malformed_token: ${decoded.malformed}`)
  const { header, claims } = decoded
  const expired = typeof claims.exp === 'number' ? claims.exp <= Date.now() / 1000 : undefined
  return { verified: false, jwt_header: header, claims, expired, note: DECODE_NOTE }
}

/** Issues a token with the caller's claims, as a gateway does for its upstreams. */
async function exchange(request: FastifyRequest, tokens: Tokens): Promise<Authenticated> {
  const verification = await verifiedToken(request, tokens)
  const iat = Math.floor(Date.now() / 1000)
  // The new token is not bound: the upstream gets it from a gateway.
  const { nbf: _nbf, cnf: _cnf, ...kept }: TokenClaims = verification.claims
  const claims = { ...kept, iss: 'svc', iat, exp: iat + EXCHANGED_LIFE_S, jti: randomUUID() }
  return {
    authenticated: true,
    auth_type: 'jwt',
    issuer: verification.issuer,
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
      responses: CHECK_RESPONSES,
      summary: 'Verify a JWT',
      reply: AUTH_JWT,
      description:
        'Accepts RS256 tokens of the identity provider and HS256 tokens signed with the demo secret. Verifies signature and claims; does not detect revoked tokens.',
      parameters: EXPECTED,
      examples: [
        { name: 'Demo token', path: '/auth/jwt', auth: DEMO_AUTH, expectStatus: 200 },
        { name: 'Other audience', path: '/auth/jwt?aud=other', auth: DEMO_AUTH, expectStatus: 401 },
        { name: 'Other issuer', path: '/auth/jwt?issuer=full', auth: DEMO_AUTH, expectStatus: 401 },
      ],
    }),
    async (request, reply) => svc.http.negotiate(request, reply, await check(request, tokens)),
  )

  app.all(
    '/auth/jwt/decode',
    describe({
      ...SHARED,
      summary: 'Decode a JWT without verifying it',
      reply: AUTH_JWT_DECODE,
      responses: {
        200: { description: 'Header and claims' },
        400: { description: 'The token is not a JWT' },
        401: { description: 'The request has no bearer token' },
      },
      examples: [{ name: 'Demo token', path: '/auth/jwt/decode', auth: DEMO_AUTH, expectStatus: 200 }],
    }),
    (request, reply) => svc.http.negotiate(request, reply, decode(request, tokens)),
  )

  app.all(
    '/auth/jwt/exchange',
    describe({
      ...SHARED,
      responses: CHECK_RESPONSES,
      summary: 'Exchange a JWT for one issued by this server',
      reply: AUTH_JWT_EXCHANGE,
      description:
        'The new token has the same claims and the issuer `svc`. It is signed with HS256 and the demo secret.',
      parameters: EXPECTED,
      examples: [{ name: 'Demo token', path: '/auth/jwt/exchange', auth: DEMO_AUTH, expectStatus: 200 }],
    }),
    async (request, reply) => svc.http.negotiate(request, reply, await exchange(request, tokens)),
  )
}

/** The 401 for a request without a token. Its challenge has no `error` (RFC 6750, 3.1). */
function missingToken(): HttpError {
  return unauthenticated('unauthorized: no Bearer token', CHALLENGE)
}
