/** `/auth/basic-auth`: HTTP Basic authentication (RFC 7617). */
import { describe, type FastifyInstance, type FastifyRequest, type RouteDescription, type Svc } from 'svc/plugin'
import { isSameSecret, readAuthorization, readBasicCredentials } from 'svc/toolkit'
import { RESPONSES, unauthenticated, type Authenticated } from '../outcome.ts'
import { AUTH_BASIC_AUTH } from '../replies.ts'

interface Credentials {
  username: string
  password: string
}

const DEFAULT: Credentials = { username: 'basic', password: 'password' }
const CHALLENGE = 'Basic realm="svc", charset="UTF-8"'
const SHARED = {
  category: 'Auth: Basic & API Key',
  negotiated: true,
  responses: RESPONSES,
} satisfies Partial<RouteDescription>

function check(request: FastifyRequest, expected: Credentials): Authenticated {
  const authorization = readAuthorization(request.headers.authorization)
  const presented = authorization?.scheme === 'basic' ? readBasicCredentials(authorization.credentials) : null
  // Both are compared always, so that timing does not reveal which one is wrong.
  const isUser = isSameSecret(presented?.username ?? '', expected.username)
  const isPassword = isSameSecret(presented?.password ?? '', expected.password)
  if (presented === null || !isUser || !isPassword) throw unauthenticated('unauthorized', CHALLENGE)
  return { authenticated: true, auth_type: 'basic-auth', username: presented.username }
}

/** Registers the check for the default credentials, and the one for credentials given in the path. */
export function registerBasicRoutes(app: FastifyInstance, svc: Svc): void {
  app.all(
    '/auth/basic-auth',
    describe({
      ...SHARED,
      summary: 'Check Basic credentials',
      reply: AUTH_BASIC_AUTH,
      description: 'Expects user `basic` with password `password`.',
      examples: [
        { name: 'Valid credentials', path: '/auth/basic-auth', auth: { type: 'basic', ...DEFAULT }, expectStatus: 200 },
        { name: 'No credentials', path: '/auth/basic-auth', expectStatus: 401 },
      ],
    }),
    (request, reply) => svc.http.negotiate(request, reply, check(request, DEFAULT)),
  )

  app.all<{ Params: Credentials }>(
    '/auth/basic-auth/:username/:password',
    describe({
      ...SHARED,
      summary: 'Check Basic credentials given in the path',
      reply: AUTH_BASIC_AUTH,
      parameters: [
        { name: 'username', in: 'path', description: 'Expected user', schema: { type: 'string' } },
        { name: 'password', in: 'path', description: 'Expected password', schema: { type: 'string' } },
      ],
      examples: [
        {
          name: 'Custom credentials',
          path: '/auth/basic-auth/carol/k3y',
          auth: { type: 'basic', username: 'carol', password: 'k3y' },
          expectStatus: 200,
        },
      ],
    }),
    (request, reply) => svc.http.negotiate(request, reply, check(request, request.params)),
  )
}
