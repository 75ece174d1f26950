/** Routes of the inspector: list, single entry, live feed and deletion. */
import type { FastifyInstance } from 'fastify'
import { lastEventIdOf } from '../contract/input.ts'
import {
  describe,
  HttpError,
  readQuery,
  type FastifyRequest,
  type RouteParameter,
  type RouteDescription,
} from '../contract/plugin.ts'
import { pathOf } from '../inspector/captured-request.ts'
import type { CaptureFilter, CaptureQuery, Inspector } from '../inspector/inspector.ts'
import type { Watcher } from '../inspector/waits.ts'
import type { ControlDeps } from './deps.ts'
import { requireCaptures } from './load-mode.ts'
import { registerExport } from './requests-export.ts'
import { maxWaitMs, orRefuse } from './request-waits.ts'
import { registerVerify } from './verify.ts'
import {
  FILTERS,
  invalidFilter,
  limitParameter,
  orderParameter,
  PATH_PREFIX,
  publicSessionRequired,
  readLimit,
  readOrder,
  readQueryFilter,
  readSession,
  rejectUnknownFilters,
  SESSION,
} from './request-filters.ts'
import { CAPTURED_REQUEST, SVC_REQUESTS, SVC_REQUESTS_DELETE } from './reply-schemas/inspection.ts'

const category = 'Control Plane'
const DEFAULT_LIMIT = 100
/** A comment is sent after this time without an event, in milliseconds. */
const KEEP_ALIVE_MS = 15_000

const DEFAULT_WAIT_MS = 5000
const MAX_WAIT_COUNT = 1000

const BAD_FILTER = { description: 'A parameter is invalid, or `session` is missing in public mode.' }

/** Registers `/_svc/requests`, the routes below it, and `/_svc/verify`. */
export function registerRequests(app: FastifyInstance, deps: ControlDeps): void {
  registerList(app, deps)
  registerFeed(app, deps)
  registerEntry(app, deps)
  registerClear(app, deps)
  registerExport(app, deps)
  registerVerify(app, deps)
}

const LIST_PARAMETERS: RouteParameter[] = [
  limitParameter(DEFAULT_LIMIT),
  orderParameter('newest'),
  {
    name: 'wait_for',
    in: 'query',
    description:
      'Waits until this number of entries match; stored ones count, whatever the limit. `satisfied` of the response says whether they came.',
    schema: { type: 'integer', minimum: 1, maximum: MAX_WAIT_COUNT },
  },
  {
    name: 'timeout_ms',
    in: 'query',
    description: 'How long `wait_for` waits. At most 10000 in public mode.',
    schema: { type: 'integer', minimum: 0, maximum: 30_000, default: DEFAULT_WAIT_MS },
  },
]

const listRequestsDescription: RouteDescription = {
  summary: 'Captured requests, newest first',
  reply: SVC_REQUESTS,
  description:
    'Includes injected faults and rejected bodies. Control plane requests and requests rejected by a limit or key check are not captured.',
  category,
  parameters: [...FILTERS, ...LIST_PARAMETERS],
  responses: {
    200: { description: 'The entries.' },
    400: { description: `${BAD_FILTER.description} Or the conditions take too many steps (\`too_expensive\`).` },
    409: { description: '`wait_for` in load mode, which captures nothing (`nothing_captured`).' },
    503: { description: 'Too many waits are open.' },
  },
  examples: [
    { name: 'Captured requests', path: '/_svc/requests?limit=10&session=demo' },
    { name: 'Failed requests', path: '/_svc/requests?status=5xx&method=POST&session=demo' },
    { name: 'Wait for a request', path: '/_svc/requests?path=/orders&wait_for=1&timeout_ms=50&session=demo' },
  ],
}

function registerList(app: FastifyInstance, deps: ControlDeps): void {
  const { config, http, inspector } = deps
  app.get('/_svc/requests', describe(listRequestsDescription), async request => {
    const filter = readQueryFilter(
      request,
      deps,
      LIST_PARAMETERS.map(({ name }) => name),
    )
    const limit = readLimit(request, inspector, DEFAULT_LIMIT)
    const isOldestFirst = readOrder(request, 'newest') === 'oldest'
    const wait = readWait(request, config.publicMode)
    if (wait !== null) requireCaptures(config)
    const waited = wait === null ? {} : await waitFor(inspector, filter, wait, http.signal(request))
    const requests = await inspector.list(filter, limit, isOldestFirst)
    return {
      count: requests.length,
      capacity: inspector.capacity,
      public_mode: config.publicMode,
      ...(config.loadMode && { load_mode: true }),
      ...waited,
      ...(inspector.isPartial && { partial: true }),
      requests,
    }
  })
}

interface Wait {
  count: number
  timeoutMs: number
}

async function waitFor(
  inspector: Inspector,
  { session, pathPrefix, conditions }: CaptureQuery,
  { count, timeoutMs }: Wait,
  signal: AbortSignal,
): Promise<{ satisfied: boolean; waited_ms: number }> {
  let seen = 0
  const watcher: Watcher = {
    session,
    see(subject) {
      const isBelow = pathPrefix === undefined || pathOf(subject.captured).startsWith(pathPrefix)
      if (isBelow && conditions.every(holds => holds(subject))) seen++
    },
    remainingMs: () => (seen >= count ? 0 : Infinity),
  }
  const waited_ms = await orRefuse(() => inspector.wait(watcher, timeoutMs, signal))
  return { satisfied: seen >= count, waited_ms }
}

function readWait(request: FastifyRequest, isPublic: boolean): Wait | null {
  const query = readQuery(request)
  const count = readWhole(query, 'wait_for', 1, MAX_WAIT_COUNT)
  const timeoutMs = readWhole(query, 'timeout_ms', 0, maxWaitMs(isPublic))
  return count === null ? null : { count, timeoutMs: timeoutMs ?? DEFAULT_WAIT_MS }
}

function readWhole(query: URLSearchParams, name: string, min: number, max: number): number | null {
  const value = query.get(name)
  if (value === null) return null
  if (!/^\d{1,9}$/.test(value) || Number(value) < min || Number(value) > max)
    throw invalidFilter(name, `expected a whole number from ${min} to ${max}`)
  return Number(value)
}

const streamRequestsDescription: RouteDescription = {
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
}

function registerFeed(app: FastifyInstance, deps: ControlDeps): void {
  const { config, inspector, openEvents } = deps
  app.get('/_svc/requests/stream', describe(streamRequestsDescription), (request, reply) => {
    rejectUnknownFilters(request, ['session', 'path_prefix', 'last_event_id', 'lastEventId'])
    const filter = readFilter(request, deps)
    if (inspector.isFeedFull) throw new HttpError(503, { error: 'too_many_feeds' })
    const stream = openEvents(request, reply, {
      endless: true,
      heartbeatMs: KEEP_ALIVE_MS,
      heartbeatText: 'keep-alive',
    })
    if (stream === null) return reply
    // Some clients and proxies wait for the first byte of the body.
    stream.comment(config.loadMode ? 'inspector feed: load mode captures nothing' : 'inspector feed')
    void inspector.openFeed(stream, filter, lastEventIdOf(request) || null)
    return reply
  })
}

const showRequestDescription: RouteDescription = {
  summary: 'One captured request by its id or request id',
  reply: CAPTURED_REQUEST,
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
    409: { description: 'The same in load mode, which captures nothing (`nothing_captured`).' },
  },
  examples: [{ name: 'An unknown request', path: '/_svc/requests/no-such-request', expectStatus: 404 }],
}

function registerEntry(app: FastifyInstance, { config, http, inspector }: ControlDeps): void {
  app.get('/_svc/requests/:id', describe(showRequestDescription), async request => {
    rejectUnknownFilters(request, ['session'])
    const { id } = request.params as { id: string }
    const session = readSession(request, http)
    // In public mode, requests without a session find nothing.
    const entry =
      config.publicMode && session === undefined
        ? undefined
        : await inspector.find(id, config.publicMode ? { session } : {})
    if (entry === undefined) {
      requireCaptures(config)
      throw new HttpError(404, { error: 'unknown_request', id })
    }
    return entry
  })
}

const deleteRequestsDescription: RouteDescription = {
  summary: 'Delete captured requests',
  reply: SVC_REQUESTS_DELETE,
  description: 'Deleting the requests of all sessions requires the admin token if one is configured.',
  category,
  parameters: [{ ...SESSION, description: 'Delete only the requests of this session.' }],
  responses: {
    200: { description: 'The number of deleted entries.' },
    400: BAD_FILTER,
    401: { description: 'The admin token is missing or wrong.' },
    403: { description: 'The instance runs in public mode and no admin token is configured.' },
  },
  examples: [{ name: 'Delete one session', method: 'DELETE', path: '/_svc/requests?session=demo', expectStatus: 200 }],
}

function registerClear(app: FastifyInstance, { http, inspector }: ControlDeps): void {
  app.delete('/_svc/requests', describe(deleteRequestsDescription), async request => {
    rejectUnknownFilters(request, ['session'])
    const session = readSession(request, http)
    if (session !== undefined) return { cleared: await inspector.clear({ session }), session }
    http.guardAdmin(request)
    return { cleared: await inspector.clear({}) }
  })
}

function readFilter(request: FastifyRequest, { config, http }: ControlDeps): CaptureFilter {
  const session = readSession(request, http)
  if (config.publicMode && session === undefined) throw publicSessionRequired()
  return { session, pathPrefix: readQuery(request).get('path_prefix') ?? undefined }
}
