/** `/ext-authz/login` and `/ext-authz/logout`: the cookie of the policy `session`. */
import { describe, type FastifyInstance, invalidParameter, readQuery, type RouteParameter, type Svc } from 'svc/plugin'
import { isLocalPath } from '../decision.ts'
import { isUser, LOGIN_PATH, SESSION_COOKIE, type SessionCookies } from '../policies/session.ts'

const ATTRIBUTES = 'HttpOnly; SameSite=Lax; Path=/'
const MAX_AGE_SECS = 3600
const category = 'External authorization'
const RETURN: RouteParameter = {
  name: 'return',
  in: 'query',
  description: 'Path to go on to, as the client sees it; default: the root of the instance',
  schema: { type: 'string' },
}

export function registerLogin(app: FastifyInstance, svc: Pick<Svc, 'http'>, cookies: SessionCookies): void {
  app.get(
    LOGIN_PATH,
    describe({
      summary: 'Start a session of the policy `session`',
      category,
      parameters: [
        RETURN,
        { name: 'user', in: 'query', description: 'Default `demo`', schema: { type: 'string', default: 'demo' } },
      ],
      responses: {
        302: { description: 'Sets the cookie and goes on' },
        400: { description: 'A parameter is invalid' },
      },
      examples: [{ name: 'Log in', path: `${LOGIN_PATH}?user=ada`, expectStatus: 302 }],
    }),
    async (request, reply) => {
      const query = readQuery(request)
      const to = readReturn(query, svc.http.path(request, '/'))
      const user = query.get('user') ?? 'demo'
      if (!isUser(user)) throw invalidParameter('user', 'expected 1 to 64 characters of A-Z a-z 0-9 . _ @ -')
      const value = await cookies.valueFor(user)
      reply.header('Set-Cookie', `${SESSION_COOKIE}=${value}; ${ATTRIBUTES}; Max-Age=${MAX_AGE_SECS}`)
      return reply.header('Cache-Control', 'no-store').code(302).header('Location', to).send('')
    },
  )
  app.get(
    '/ext-authz/logout',
    describe({
      summary: 'End a session of the policy `session`',
      category,
      parameters: [RETURN],
      responses: {
        302: { description: 'Removes the cookie and goes on' },
        400: { description: '`return` is invalid' },
      },
      examples: [{ name: 'Log out', path: '/ext-authz/logout', expectStatus: 302 }],
    }),
    (request, reply) => {
      const to = readReturn(readQuery(request), svc.http.path(request, '/'))
      reply.header('Set-Cookie', `${SESSION_COOKIE}=; ${ATTRIBUTES}; Max-Age=0`)
      return reply.header('Cache-Control', 'no-store').code(302).header('Location', to).send('')
    },
  )
}

/** A given path is that of the client, with whatever prefix its gateway has. */
function readReturn(query: URLSearchParams, root: string): string {
  const to = query.get('return')
  if (to === null) return root
  if (isLocalPath(to)) return to
  throw invalidParameter(
    'return',
    'expected a path that begins with one "/", without backslashes and control characters',
  )
}
