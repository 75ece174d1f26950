/** The scope of a control-plane request: a session, or the whole instance. */
import type { FastifyRequest } from 'fastify'
import { HttpError, readQuery } from '../contract/plugin.ts'
import { isSessionName } from '../fields/session-prefix.ts'
import type { ControlDeps } from './deps.ts'

/**
 * The session that the request names: by `?session=`, or as any request does. Null means the instance: no session is
 * named, or `?scope=instance` is set. Throws 400 for wrong values.
 */
export function scopeOf(request: FastifyRequest, { http }: Pick<ControlDeps, 'http'>): string | null {
  const query = readQuery(request)
  const scope = query.get('scope')
  if (scope !== null && scope !== 'instance' && scope !== 'session')
    throw new HttpError(400, { error: 'invalid_scope', details: 'expected instance or session' })
  if (scope === 'instance') return null
  const named = query.get('session')
  if (named !== null && !isSessionName(named)) throw new HttpError(400, { error: 'invalid_session' })
  const session = named ?? http.session(request).header
  if (scope === 'session' && session === null) throw sessionRequired()
  return session
}

/** 400 for a request that needs a session and names none. */
export function sessionRequired(
  details = 'name a session: below /s/{session}/, with X-Svc-Session, or with ?session=',
): HttpError {
  return new HttpError(400, { error: 'session_required', details })
}
