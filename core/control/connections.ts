/** Routes of connections of TCP and UDP listeners: list, single entry, live feed and deletion. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ConnectionEntry } from '../contract/connections.ts'
import { describe, HttpError, readQuery, type RouteParameter } from '../contract/plugin.ts'
import type { SseStream } from '../contract/streams.ts'
import { CONNECTION_FILTERS, readConnectionFilter, selectConnections } from './connection-filters.ts'
import type { ControlDeps } from './deps.ts'
import { CONNECTION, CONNECTIONS, CONNECTIONS_DELETE } from './reply-schemas/inspection.ts'
import {
  invalidFilter,
  limitParameter,
  orderParameter,
  readLimit,
  readOrder,
  readSession,
  rejectUnknownFilters,
  SESSION,
} from './request-filters.ts'
import { maxWaitMs } from './request-waits.ts'

const category = 'Control Plane'
const PATH = '/_svc/connections'
const DEFAULT_LIMIT = 100
const DEFAULT_WAIT_MS = 5000
const MAX_WAIT_COUNT = 1000
const KEEP_ALIVE_MS = 15_000
const MAX_FEEDS = 100
const MAX_PUBLIC_FEEDS = 20
/** Events that wait for a slow reader; further ones are skipped. */
const MAX_WAITING = 256

const OF_SESSION: RouteParameter = {
  ...SESSION,
  description: 'Only connections of this session. Required in public mode.',
}
const BAD_FILTER = { description: 'A parameter is invalid, or `session` is missing in public mode.' }

const LIST_PARAMETERS: RouteParameter[] = [
  limitParameter(DEFAULT_LIMIT),
  orderParameter('newest'),
  {
    name: 'wait_for',
    in: 'query',
    description: 'Waits until this number of connections match.',
    schema: { type: 'integer', minimum: 1, maximum: MAX_WAIT_COUNT },
  },
  {
    name: 'timeout_ms',
    in: 'query',
    description: 'How long `wait_for` waits. At most 10000 in public mode.',
    schema: { type: 'integer', minimum: 0, maximum: 30_000, default: DEFAULT_WAIT_MS },
  },
]

export function registerConnections(app: FastifyInstance, deps: ControlDeps): void {
  registerList(app, deps)
  registerFeed(app, deps)
  registerEntry(app, deps)
  registerClear(app, deps)
}

function registerList(app: FastifyInstance, deps: ControlDeps): void {
  const { config, connections, connectionWaits, http } = deps
  app.get(
    PATH,
    describe({
      summary: 'Connections of TCP and UDP listeners, newest first',
      reply: CONNECTIONS,
      description: 'Also those that are open. The flows of UDP end after 30 s of silence.',
      category,
      parameters: [...CONNECTION_FILTERS, ...LIST_PARAMETERS],
      responses: {
        200: { description: 'The connections.' },
        400: BAD_FILTER,
        503: { description: 'Too many waits are open.' },
      },
      examples: [{ name: 'Connections', path: `${PATH}?limit=10&session=demo` }],
    }),
    async request => {
      const filter = readConnectionFilter(
        request,
        deps,
        LIST_PARAMETERS.map(({ name }) => name),
      )
      const limit = readLimit(request, { capacity: connections.capacity }, DEFAULT_LIMIT)
      const isOldestFirst = readOrder(request, 'newest') === 'oldest'
      const wanted = readWhole(request, 'wait_for', 1, MAX_WAIT_COUNT)
      const timeoutMs = readWhole(request, 'timeout_ms', 0, maxWaitMs(config.publicMode)) ?? DEFAULT_WAIT_MS
      const { selected, waitedMs } = await connectionWaits.until(
        () => selectConnections(connections, filter),
        found => wanted === null || found.length >= wanted,
        { timeoutMs: wanted === null ? 0 : timeoutMs, signal: http.signal(request) },
      )
      const shown = (isOldestFirst ? selected.toReversed() : selected).slice(0, limit)
      return {
        count: shown.length,
        capacity: connections.capacity,
        ...(wanted !== null && { satisfied: selected.length >= wanted, waited_ms: waitedMs }),
        connections: shown,
      }
    },
  )
}

function registerFeed(app: FastifyInstance, deps: ControlDeps): void {
  const { config, connections, openEvents } = deps
  let feeds = 0
  app.get(
    `${PATH}/stream`,
    describe({
      summary: 'Live feed of connections',
      description: 'Sends a `connection` event when a connection begins, and when it ends.',
      category,
      protocol: 'sse',
      endless: true,
      parameters: CONNECTION_FILTERS.filter(({ name }) => name !== 'since'),
      responses: {
        200: { description: 'The feed.', content: { 'text/event-stream': {} } },
        400: BAD_FILTER,
        503: { description: 'Too many feeds are open.' },
      },
      examples: [{ name: 'Live feed of connections', path: `${PATH}/stream?session=demo` }],
    }),
    (request, reply) => {
      const { matches } = readConnectionFilter(request, deps, [])
      if (feeds >= (config.publicMode ? MAX_PUBLIC_FEEDS : MAX_FEEDS))
        throw new HttpError(503, { error: 'too_many_feeds' })
      const stream = openEvents(request, reply, {
        endless: true,
        heartbeatMs: KEEP_ALIVE_MS,
        heartbeatText: 'keep-alive',
      })
      if (stream === null) return reply
      feeds++
      // Some clients and proxies wait for the first byte of the body.
      stream.comment('connections')
      const send = queueTo(stream)
      const stop = connections.onChange(entry => {
        if (matches(entry)) send(entry)
      })
      void stream.over.then(() => {
        feeds--
        stop()
      })
      return reply
    },
  )
}

/** Sends at the pace of the reader. */
function queueTo(stream: SseStream): (entry: ConnectionEntry) => void {
  const waiting: ConnectionEntry[] = []
  let isPumping = false
  const pump = async (): Promise<void> => {
    isPumping = true
    for (let entry = waiting.shift(); entry !== undefined && !stream.closed; entry = waiting.shift())
      if (!stream.send({ event: 'connection', id: entry.id, data: entry })) await stream.ready()
    isPumping = false
  }
  return entry => {
    if (waiting.length >= MAX_WAITING) return
    waiting.push(entry)
    if (!isPumping) void pump()
  }
}

function registerEntry(app: FastifyInstance, { config, connections, http }: ControlDeps): void {
  app.get(
    `${PATH}/:id`,
    describe({
      summary: 'One connection by its id',
      reply: CONNECTION,
      category,
      parameters: [
        { name: 'id', in: 'path', required: true, description: 'Id of the connection.', schema: { type: 'string' } },
        OF_SESSION,
      ],
      responses: {
        200: { description: 'The connection.' },
        400: { description: 'The session is invalid.' },
        404: { description: 'No such connection is stored.' },
      },
      examples: [{ name: 'An unknown connection', path: `${PATH}/no-such-connection`, expectStatus: 404 }],
    }),
    async request => {
      rejectUnknownFilters(request, ['session'])
      const { id } = request.params as { id: string }
      const session = readSession(request, http)
      const entry = (await connections.list()).find(connection => connection.id === id)
      const isVisible = !config.publicMode || (session !== undefined && entry?.session === session)
      if (entry === undefined || !isVisible)
        throw new HttpError(404, { error: 'unknown_connection', id: id.slice(0, 200) })
      return entry
    },
  )
}

function registerClear(app: FastifyInstance, { connections, http }: ControlDeps): void {
  app.delete(
    PATH,
    describe({
      summary: 'Delete connections',
      reply: CONNECTIONS_DELETE,
      description:
        'Open ones stay open. Deleting the connections of all sessions requires the admin token if one is configured.',
      category,
      parameters: [{ ...SESSION, description: 'Delete only the connections of this session.' }],
      responses: {
        200: { description: 'The number of deleted entries.' },
        400: BAD_FILTER,
        401: { description: 'The admin token is missing or wrong.' },
        403: { description: 'The instance runs in public mode and no admin token is configured.' },
      },
      examples: [
        {
          name: 'Delete the connections of a session',
          method: 'DELETE',
          path: `${PATH}?session=demo`,
          expectStatus: 200,
        },
      ],
    }),
    async request => {
      rejectUnknownFilters(request, ['session'])
      const session = readSession(request, http)
      if (session !== undefined) return { cleared: await connections.clear(session), session }
      http.guardAdmin(request)
      return { cleared: await connections.clear(null) }
    },
  )
}

function readWhole(request: FastifyRequest, name: string, min: number, max: number): number | null {
  const value = readQuery(request).get(name)
  if (value === null) return null
  if (!/^\d{1,9}$/.test(value) || Number(value) < min || Number(value) > max)
    throw invalidFilter(name, `expected a whole number from ${min} to ${max}`)
  return Number(value)
}
