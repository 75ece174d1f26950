/** Routes of the inspector: list, single entry, live feed and deletion. */
import type { FastifyInstance } from 'fastify'
import { describe, HttpError, nearest, readQuery } from '../contract/plugin.ts'
import type { FastifyRequest, RouteParameter } from '../contract/plugin.ts'
import type { CaptureFilter, Inspector } from '../inspector/inspector.ts'
import { isSessionName } from '../sessions.ts'
import type { ControlDeps } from './deps.ts'

const category = 'Control Plane'
const DEFAULT_LIMIT = 100
/** A comment is sent after this time without an event, in milliseconds. */
const KEEP_ALIVE_MS = 15_000

const SESSION: RouteParameter = {
  name: 'session',
  in: 'query',
  description: 'Only requests with this value of `X-Svc-Session`. Required in public mode.',
  schema: { type: 'string', pattern: '^[A-Za-z0-9._:-]{1,128}$' },
}
const PATH_PREFIX: RouteParameter = {
  name: 'path_prefix',
  in: 'query',
  description: 'Only requests whose path starts with this text.',
  schema: { type: 'string' },
}
const BAD_FILTER = { description: 'A parameter is invalid, or `session` is missing in public mode.' }

/** Registers `/_svc/requests` and the routes below it. */
export function registerRequests(app: FastifyInstance, deps: ControlDeps): void {
  registerList(app, deps)
  registerFeed(app, deps)
  registerEntry(app, deps)
  registerClear(app, deps)
}

function registerList(app: FastifyInstance, { config, inspector }: ControlDeps): void {
  app.get(
    '/_svc/requests',
    describe({
      summary: 'Captured requests, newest first',
      description:
        'Includes injected faults and rejected bodies. Control plane requests and requests rejected by a limit or key check are not captured.',
      category,
      parameters: [
        SESSION,
        PATH_PREFIX,
        {
          name: 'limit',
          in: 'query',
          description: 'Maximum number of entries. Values outside 1 to the capacity are clamped.',
          schema: { type: 'integer', default: DEFAULT_LIMIT },
        },
      ],
      responses: { 200: { description: 'The entries.' }, 400: BAD_FILTER },
      examples: [{ name: 'Captured requests', path: '/_svc/requests?limit=10&session=demo' }],
    }),
    async request => {
      rejectUnknownFilters(request, ['session', 'path_prefix', 'limit'])
      const filter = readFilter(request, config.publicMode)
      const requests = await inspector.list(filter, readLimit(request, inspector))
      return { count: requests.length, capacity: inspector.capacity, public_mode: config.publicMode, requests }
    },
  )
}

function registerFeed(app: FastifyInstance, { config, inspector, openEvents }: ControlDeps): void {
  app.get(
    '/_svc/requests/stream',
    describe({
      summary: 'Live feed of captured requests',
      description:
        'Sends one `request` event per captured request, with the id of the entry as event id. Resumes after `Last-Event-ID`.',
      category,
      protocol: 'sse',
      endless: true,
      parameters: [
        SESSION,
        PATH_PREFIX,
        {
          name: 'Last-Event-ID',
          in: 'header',
          description: 'Id of the last event received. Stored entries after it are sent first.',
          schema: { type: 'string' },
        },
        {
          name: 'last_event_id',
          in: 'query',
          description: 'Same as `Last-Event-ID`, for clients that cannot set headers.',
          schema: { type: 'string' },
        },
      ],
      responses: {
        200: { description: 'The feed.', content: { 'text/event-stream': {} } },
        400: BAD_FILTER,
        503: { description: 'Too many feeds are open.' },
      },
      examples: [{ name: 'Live feed', path: '/_svc/requests/stream?session=demo' }],
    }),
    (request, reply) => {
      rejectUnknownFilters(request, ['session', 'path_prefix', 'last_event_id'])
      const filter = readFilter(request, config.publicMode)
      if (inspector.isFeedFull) throw new HttpError(503, { error: 'too_many_feeds' })
      const stream = openEvents(request, reply, {
        endless: true,
        heartbeatMs: KEEP_ALIVE_MS,
        heartbeatText: 'keep-alive',
      })
      if (stream === null) return reply
      // Some clients and proxies wait for the first byte of the body.
      stream.comment('inspector feed')
      void inspector.openFeed(stream, filter, lastEventId(request))
      return reply
    },
  )
}

function registerEntry(app: FastifyInstance, { config, inspector }: ControlDeps): void {
  app.get(
    '/_svc/requests/:id',
    describe({
      summary: 'One captured request by its id or request id',
      category,
      parameters: [
        {
          name: 'id',
          in: 'path',
          required: true,
          description: 'Id of the entry, or the `X-Request-Id` of the response.',
          schema: { type: 'string' },
        },
        SESSION,
      ],
      responses: {
        200: { description: 'The entry.' },
        400: BAD_FILTER,
        404: { description: 'No entry with this id is stored.' },
      },
      examples: [{ name: 'An unknown request', path: '/_svc/requests/no-such-request', expectStatus: 404 }],
    }),
    async request => {
      rejectUnknownFilters(request, ['session'])
      const { id } = request.params as { id: string }
      const session = readSession(request)
      // In public mode, requests without a session find nothing.
      const entry =
        config.publicMode && session === undefined
          ? undefined
          : await inspector.find(id, config.publicMode ? { session } : {})
      if (entry === undefined) throw new HttpError(404, { error: 'unknown_request', id })
      return entry
    },
  )
}

function registerClear(app: FastifyInstance, { http, inspector }: ControlDeps): void {
  app.delete(
    '/_svc/requests',
    describe({
      summary: 'Delete captured requests',
      description: 'Deleting the requests of all sessions requires the admin token if one is configured.',
      category,
      parameters: [{ ...SESSION, description: 'Delete only the requests of this session.' }],
      responses: {
        200: { description: 'The number of deleted entries.' },
        400: BAD_FILTER,
        401: { description: 'The admin token is missing or wrong.' },
        403: { description: 'The instance runs in public mode and no admin token is configured.' },
      },
      examples: [
        { name: 'Delete one session', method: 'DELETE', path: '/_svc/requests?session=demo', expectStatus: 200 },
      ],
    }),
    async request => {
      rejectUnknownFilters(request, ['session'])
      const session = readSession(request)
      if (session !== undefined) return { cleared: await inspector.clear({ session }), session }
      http.guardAdmin(request)
      return { cleared: await inspector.clear({}) }
    },
  )
}

/** Rejects unknown filters, which would otherwise be ignored and select everything. */
function rejectUnknownFilters(request: FastifyRequest, known: readonly string[]): void {
  for (const name of readQuery(request).keys()) {
    if (known.includes(name)) continue
    const meant = nearest(name, known)
    throw new HttpError(400, {
      error: 'invalid_filter',
      parameter: name.slice(0, 200),
      ...(meant === undefined ? {} : { did_you_mean: meant }),
    })
  }
}

function readFilter(request: FastifyRequest, publicMode: boolean): CaptureFilter {
  const session = readSession(request)
  if (publicMode && session === undefined) {
    throw new HttpError(400, {
      error: 'session_required',
      details: 'in public mode you can only see one session: add ?session= with the value of your X-Svc-Session header',
    })
  }
  return { session, pathPrefix: readQuery(request).get('path_prefix') ?? undefined }
}

function readSession(request: FastifyRequest): string | undefined {
  const session = readQuery(request).get('session')
  if (session === null) return undefined
  if (!isSessionName(session)) throw new HttpError(400, { error: 'invalid_session' })
  return session
}

function readLimit(request: FastifyRequest, { capacity }: Inspector): number {
  const text = readQuery(request).get('limit')
  if (text === null) return Math.min(DEFAULT_LIMIT, capacity)
  if (!/^[+-]?\d+$/.test(text)) throw new HttpError(400, { error: 'invalid_limit' })
  return Math.min(Math.max(Number(text), 1), capacity)
}

function lastEventId(request: FastifyRequest): string | null {
  const header = request.headers['last-event-id']
  return (typeof header === 'string' && header !== '' ? header : null) ?? readQuery(request).get('last_event_id')
}
