/** Routes of the back channel, and the path that the gateway forwards. */
import {
  describe,
  integerParameter,
  invalidParameter,
  readJsonObject,
  readQuery,
  refusal,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type Svc,
  type RouteDescription,
} from 'svc/plugin'
import { CATALOGUE } from '../catalog/version.ts'
import { SharedSessions } from './shared-sessions.ts'
import { MAX_SESSION_S, ProbeSessions, type Handshake, type ProbeSession, type UpstreamOptions } from './sessions.ts'
import type {} from '../../graphql/types.ts'
import type {} from '../../llm/types.ts'
import type { ProbeSection } from '../options.ts'
import { MAX_STEPS, readScripts } from './script.ts'
import { ARRIVALS, SVC_PROBE_SESSIONS_POST } from '../replies.ts'

const CATEGORY = 'Testing'
const MAX_STEPS_BODY = 32 * 1024 * 1024
const MAX_WAIT_MS = 30_000
const DEFAULT_TTL_S = 300

interface SessionRequest {
  Params: { id: string }
}

const UNKNOWN_SESSION = { description: 'No such session; it may have expired' }

const startSessionDescription: RouteDescription = {
  summary: 'Start a probe session',
  reply: SVC_PROBE_SESSIONS_POST,
  category: CATEGORY,
  credentials: ['none', 'adminToken'],
  requestBody: {
    content: {
      'application/json': {
        type: 'object',
        properties: {
          ttl_s: { type: 'integer', minimum: 1, maximum: MAX_SESSION_S },
          nonce: { type: 'string', description: 'Of the session of another upstream, with `field`' },
          field: { type: 'string' },
        },
      },
    },
  },
  responses: {
    201: { description: 'The session' },
    400: { description: 'The body is not valid' },
    409: { description: '`state_store_required`: several workers without a store' },
    429: { description: 'Too many sessions' },
    503: { description: 'A replica does not reply' },
  },
  examples: [
    {
      name: 'For a second',
      method: 'POST',
      path: '/_svc/probe/sessions',
      headers: [{ name: 'Content-Type', value: 'application/json' }],
      body: '{"ttl_s":1}',
      bodyType: 'json',
      // Too many sessions: 429.
      expectStatus: null,
    },
  ],
}

const addStepsDescription: RouteDescription = {
  summary: 'Add the scripts of steps',
  category: CATEGORY,
  credentials: ['none', 'adminToken'],
  bodyLimit: MAX_STEPS_BODY,
  requestBody: {
    content: { 'application/json': { type: 'array', maxItems: MAX_STEPS, items: { type: 'object' } } },
  },
  responses: {
    204: { description: 'Added' },
    400: { description: 'The body is not valid' },
    404: UNKNOWN_SESSION,
    503: { description: 'A replica does not reply' },
  },
  examples: [
    {
      name: 'Unknown session',
      method: 'PUT',
      path: '/_svc/probe/sessions/none/steps',
      headers: [{ name: 'Content-Type', value: 'application/json' }],
      body: '[]',
      bodyType: 'json',
      expectStatus: 404,
    },
  ],
}

const listArrivalsDescription: RouteDescription = {
  summary: 'What arrived',
  reply: ARRIVALS,
  category: CATEGORY,
  credentials: ['none', 'adminToken'],
  parameters: [
    {
      name: 'after',
      in: 'query',
      schema: { type: 'integer', minimum: 0 },
      description: 'Number of the last known arrival',
    },
    {
      name: 'wait_ms',
      in: 'query',
      schema: { type: 'integer', minimum: 0, maximum: MAX_WAIT_MS },
      description: 'Waits for a first arrival',
    },
    {
      name: 'steps',
      in: 'query',
      schema: { type: 'string' },
      description: 'Only arrivals of these steps, comma-separated',
    },
  ],
  responses: {
    200: { description: 'The arrivals' },
    400: { description: 'A parameter is not valid' },
    404: UNKNOWN_SESSION,
    503: { description: 'A replica does not reply' },
  },
  examples: [{ name: 'Unknown session', path: '/_svc/probe/sessions/none/arrivals', expectStatus: 404 }],
}

export function registerUpstream(app: FastifyInstance, svc: Svc<ProbeSection>, options: UpstreamOptions): void {
  const own = svc.shared(
    'sessions',
    () => new ProbeSessions(),
    all => all.close(),
  )
  const sessions = new SharedSessions(svc, own, options)
  svc.use('llm.steps')?.add(async (text, request) => {
    for (const session of own.all) {
      const found = await session.takeMessage(text, handshakeOf(svc, request))
      if (found !== null) return found
    }
    return null
  })
  svc.use('graphql.steps')?.add((operation, request) => {
    for (const session of own.all) {
      const found = session.takeOperation(operation, handshakeOf(svc, request))
      if (found !== null) return found
    }
    return null
  })
  const find = (id: string): ProbeSession => {
    const session = sessions.get(id)
    if (session === undefined) throw refusal(404, 'unknown_probe_session', 'no such session; it may have expired')
    return session
  }

  app.post('/_svc/probe/sessions', describe(startSessionDescription), async (request, reply) => {
    svc.http.guardAdmin(request)
    const { ttlS, nonces } = readSession(svc.http.body(request))
    const { session, instances } = await sessions.open(ttlS, nonces)
    reply.code(201)
    return {
      id: session.id,
      nonce: session.nonce,
      field: session.field,
      instance: svc.instance.id,
      instances,
      version: svc.instance.version,
      catalogue: CATALOGUE,
      ports: svc.instance.ports(),
      clock_ms: svc.use('core.tap').now(),
      expires_at: session.expiresAt.toISOString(),
    }
  })

  app.put<SessionRequest>('/_svc/probe/sessions/:id/steps', describe(addStepsDescription), async (request, reply) => {
    svc.http.guardAdmin(request)
    const session = find(request.params.id)
    const tap = svc.use('core.tap')
    const scripts = readScripts(parseJson(svc.http.body(request)), step => tap.stepProblem(step))
    if (typeof scripts === 'string') throw refusal(400, 'invalid_steps', scripts)
    await sessions.addScripts(session, scripts)
    return reply.code(204).send()
  })

  app.get<SessionRequest>('/_svc/probe/sessions/:id/arrivals', describe(listArrivalsDescription), async request => {
    svc.http.guardAdmin(request)
    const session = find(request.params.id)
    const query = readQuery(request)
    const after = integerParameter(query, 'after', { fallback: 0 })
    const waitMs = integerParameter(query, 'wait_ms', { max: MAX_WAIT_MS, fallback: 0 })
    const steps = query.get('steps')
    if (steps !== null && !/^\d{1,6}(?:,\d{1,6}){0,7999}$/.test(steps))
      throw invalidParameter('steps', 'expected numbers separated by commas')
    await session.waitFor(after, waitMs)
    const arrivals = await sessions.arrivals(session, { after, steps: steps?.split(',') ?? null })
    return {
      arrivals,
      next: session.lastNumber,
      clock_ms: svc.use('core.tap').now(),
      instance: svc.instance.id,
      ...sessions.members(session),
    }
  })

  app.delete<SessionRequest>(
    '/_svc/probe/sessions/:id',
    describe({
      summary: 'End a probe session',
      category: CATEGORY,
      credentials: ['none', 'adminToken'],
      responses: { 204: { description: 'Ended' }, 404: UNKNOWN_SESSION },
      examples: [{ name: 'Unknown session', method: 'DELETE', path: '/_svc/probe/sessions/none', expectStatus: 404 }],
    }),
    async (request, reply) => {
      svc.http.guardAdmin(request)
      await sessions.close(find(request.params.id).id)
      return reply.code(204).send()
    },
  )

  const unknown = (_request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    reply.code(404).send({ error: 'unknown_probe', instance: svc.instance.id })
  const described = describe({
    summary: 'A step of a probe session',
    category: CATEGORY,
    path: '/probe/{nonce}/{*rest}',
    responses: { 404: { description: 'No session has this nonce' } },
    examples: [{ name: 'Unknown session', path: '/probe/none/echo', expectStatus: 404 }],
  })
  app.route({ method: app.supportedMethods, url: '/probe/:nonce/*', ...described, handler: unknown })
}

/** As it arrived, with the prefix of its session. */
function handshakeOf({ http }: Pick<Svc, 'http'>, request: FastifyRequest): Handshake {
  const { raw, socket } = request
  const lines = raw.rawHeaders.map((value, index) => (index % 2 === 0 ? `${value}: ` : `${value}\r\n`)).join('')
  return {
    head: `${raw.method} ${http.path(request, http.target(request))} HTTP/${raw.httpVersion}\r\n${lines}\r\n`,
    peer: `${socket.remoteAddress}:${socket.remotePort}`,
  }
}

const NONCE = /^[a-z2-7]{26}$/

interface RequestedSession {
  ttlS: number
  /** Of a session that another upstream has opened, for gateways with several. */
  nonces: { nonce: string; field: string } | null
}

function readSession(body: Buffer): RequestedSession {
  const value = readJsonObject(body)
  if (value === null) throw refusal(400, 'invalid_body', 'expected a JSON object')
  const { ttl_s: ttl = DEFAULT_TTL_S, nonce, field, ...others } = value
  const [unknownKey] = Object.keys(others)
  if (unknownKey !== undefined) throw refusal(400, 'invalid_body', `unknown key "${unknownKey.slice(0, 100)}"`)
  if (!Number.isInteger(ttl) || (ttl as number) < 1 || (ttl as number) > MAX_SESSION_S)
    throw refusal(400, 'invalid_body', `ttl_s must be an integer from 1 to ${MAX_SESSION_S}`)
  if (nonce === undefined && field === undefined) return { ttlS: ttl as number, nonces: null }
  if (typeof nonce !== 'string' || typeof field !== 'string' || !NONCE.test(nonce) || !NONCE.test(field))
    throw refusal(400, 'invalid_body', 'nonce and field must both be 26 characters of a-z and 2-7')
  return { ttlS: ttl as number, nonces: { nonce, field } }
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    throw refusal(400, 'invalid_body', 'expected JSON')
  }
}
