/** The scope of rules and scenarios in a request of the control plane: a session, or the instance. */
import type { FastifyRequest } from 'fastify'
import { HttpError, readQuery, type RouteParameter } from '../contract/plugin.ts'
import { nearest } from '../toolkit/nearest.ts'
import type { ControlDeps } from './deps.ts'
import { scopeOf, sessionRequired } from './request-scope.ts'

export const SCOPE_PARAMETERS: RouteParameter[] = [
  {
    name: 'session',
    in: 'query',
    description: 'The session. Default: the session of the request; without one, the instance.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._:-]{1,128}$' },
  },
  {
    name: 'scope',
    in: 'query',
    description: '`instance`: those of the instance, whatever session the request has.',
    schema: { enum: ['session', 'instance'] },
  },
]
/** What the caller may see: in public mode, only what belongs to its session. */
export function readableScope(
  request: FastifyRequest,
  deps: ControlDeps,
): { session: string | null; showsInstance: boolean } {
  rejectUnknownParameters(request)
  const session = scopeOf(request, deps)
  const showsInstance = !deps.config.publicMode || deps.http.isAdmin(request)
  if (session === null && !showsInstance) throw sessionRequired()
  return { session, showsInstance }
}

/** What the caller changes; null: the instance, which concerns everybody and needs the admin token. */
export function writableScope(request: FastifyRequest, deps: ControlDeps): string | null {
  rejectUnknownParameters(request)
  const session = scopeOf(request, deps)
  if (session === null) deps.http.guardAdmin(request)
  return session
}

const KNOWN = ['session', 'scope']

function rejectUnknownParameters(request: FastifyRequest): void {
  for (const name of readQuery(request).keys()) {
    if (KNOWN.includes(name)) continue
    const meant = nearest(name, KNOWN)
    throw new HttpError(400, {
      error: 'unknown_parameter',
      parameter: name.slice(0, 200),
      ...(meant === undefined ? {} : { did_you_mean: meant }),
    })
  }
}
