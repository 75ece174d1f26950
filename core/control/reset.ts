/** The route that removes what the service keeps of a session, or of all. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { describe, HttpError, type SessionKey, type RouteDescription } from '../contract/plugin.ts'
import { nearest } from '../toolkit/nearest.ts'
import type { ResetKind } from '../contract/testing.ts'
import { isRecord } from '../contract/record.ts'
import { sessionKey } from '../sessions.ts'
import type { ControlDeps } from './deps.ts'
import { scopeOf, sessionRequired } from './request-scope.ts'
import { RESET } from './reply-schemas/inspection.ts'

const MAX_BODY_BYTES = 16_384

const resetDescription: RouteDescription = {
  summary: 'Remove what the service keeps of a session',
  reply: RESET,
  description:
    'All kinds, or those in `kinds`. Once it responds, the next request finds nothing old. With `?scope=instance`, everything of everybody; that requires the admin token if one is configured.',
  category: 'Testing',
  parameters: [
    {
      name: 'session',
      in: 'query',
      description: 'The session. Default: the session of the request.',
      schema: { type: 'string', pattern: '^[A-Za-z0-9._:-]{1,128}$' },
    },
    {
      name: 'scope',
      in: 'query',
      description: '`instance`: all sessions, and what belongs to none.',
      schema: { enum: ['session', 'instance'] },
    },
  ],
  requestBody: {
    content: {
      'application/json': {
        title: 'Reset',
        type: 'object',
        properties: { kinds: { type: 'array', items: { type: 'string' } } },
      },
    },
  },
  responses: {
    200: { description: 'The number of removed items of each kind.' },
    400: { description: 'A kind is unknown, or the request names no session.' },
    401: { description: 'The admin token is missing or wrong.' },
    403: { description: 'The instance runs in public mode and no admin token is configured.' },
  },
  examples: [{ name: 'Reset a session', method: 'POST', path: '/_svc/reset?session=demo', expectStatus: 200 }],
}

/** Registers `/_svc/reset`. */
export function registerReset(app: FastifyInstance, deps: ControlDeps): void {
  app.post('/_svc/reset', describe(resetDescription), async request => {
    const session = scopeOf(request, deps)
    const isInstance = (request.query as { scope?: unknown }).scope === 'instance'
    if (session === null && !isInstance)
      throw sessionRequired('name a session, or add ?scope=instance to reset everything of everybody')
    if (session === null) deps.http.guardAdmin(request)
    const kinds = selectKinds(request, deps)
    const key = session === null ? null : sessionKey(session, '')
    const removed: Record<string, number> = {}
    for (const kind of kinds) removed[kind.name] = await reset(kind, key)
    return { scope: session === null ? 'instance' : 'session', session, removed }
  })
}

async function reset({ scope = 'session', reset: run }: ResetKind, session: SessionKey | null): Promise<number> {
  return session !== null && scope === 'instance' ? 0 : run(session)
}

/** The kinds of the core, then those of plugins. */
function allKinds(request: FastifyRequest, { connections, inspector, instance, rules }: ControlDeps): ResetKind[] {
  return [
    {
      name: 'requests',
      reset: async session => inspector.clear(session === null ? {} : { session: session.header! }),
    },
    { name: 'connections', reset: session => connections.clear(session === null ? null : session.header!) },
    { name: 'rules', reset: session => rules.book.reset(session === null ? 'all' : { session: session.header! }) },
    ...rules.resetsOf(request),
    {
      name: 'health',
      scope: 'instance',
      async reset() {
        if (instance.isHealthy()) return 0
        await instance.setHealthy(true)
        return 1
      },
    },
  ]
}

/** The kinds in the body; all without one. Throws 400 for an unknown kind. */
function selectKinds(request: FastifyRequest, deps: ControlDeps): ResetKind[] {
  const kinds = allKinds(request, deps)
  const body = deps.http.body(request)
  if (body.length === 0) return kinds
  const given = parse(body)
  if (!isRecord(given))
    throw new HttpError(400, { error: 'invalid_json', details: 'expected an object such as {"kinds":["requests"]}' })
  const names = kinds.map(({ name }) => name)
  const unknownMember = Object.keys(given).find(name => name !== 'kinds')
  if (unknownMember !== undefined)
    throw new HttpError(400, {
      error: 'unknown_member',
      member: unknownMember.slice(0, 200),
      details: 'the only member is kinds',
    })
  if (given.kinds === undefined) return kinds
  if (!Array.isArray(given.kinds) || given.kinds.length > 100)
    throw new HttpError(400, { error: 'unknown_kind', details: 'expected a list of kinds', kinds: names })
  for (const kind of given.kinds as unknown[]) {
    if (names.includes(String(kind))) continue
    const meant = nearest(String(kind).slice(0, 200), names)
    throw new HttpError(400, {
      error: 'unknown_kind',
      kind: String(kind).slice(0, 200),
      ...(meant === undefined ? {} : { did_you_mean: meant }),
      kinds: names,
    })
  }
  const wanted = given.kinds as unknown[]
  return kinds.filter(({ name }) => wanted.includes(name))
}

function parse(body: Buffer): unknown {
  if (body.length > MAX_BODY_BYTES) return undefined
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}
