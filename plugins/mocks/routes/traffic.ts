/** Routes for session state, captured requests, and the stream of captured requests. */
import { describe, readQuery, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import { managementError } from '../errors.ts'
import { parseJson, type JsonObject } from '../document/json.ts'
import { factsOf } from '../management/live.ts'
import type { Mock } from '../management/mock.ts'
import { requireMock, type Service } from '../management/service.ts'
import { keyOfNamed, keyOfSession } from '../exchange/session-memory.ts'
import { passes, type CapturedRequest, type TrafficFilter } from '../exchange/traffic.ts'
import { MANAGEMENT, nameParameter, writes } from './descriptions.ts'
import {
  CAPTURED,
  SVC_MOCKS_REQUESTS,
  SVC_MOCKS_REQUESTS_DELETE,
  SVC_MOCKS_STATE,
  SVC_MOCKS_STATE_DELETE,
} from '../replies.ts'

interface Named {
  Params: { name: string }
}
interface OfRequest {
  Params: { name: string; id: string }
}

const sessionParameter = {
  name: 'session',
  in: 'query' as const,
  description: "A value of X-Svc-Session. Default: the caller's session",
  schema: { type: 'string' },
}
const filterParameters = [
  { name: 'limit', in: 'query' as const, description: '1 to 200', schema: { type: 'integer', default: 50 } },
  { name: 'operation', in: 'query' as const, schema: { type: 'string' } },
  { name: 'session', in: 'query' as const, schema: { type: 'string' } },
  { name: 'status', in: 'query' as const, schema: { type: 'integer' } },
]
const BASE = '/_svc/mocks/:name'
const PETSTORE = '/_svc/mocks/petstore'
/** Interval of heartbeats on an idle stream in milliseconds. */
const HEARTBEAT_MS = 15_000

export function registerTraffic(app: FastifyInstance, service: Service): void {
  app.get<Named>(
    `${BASE}/state`,
    describe({
      ...MANAGEMENT,
      summary: 'Get the state and request counts of a session',
      reply: SVC_MOCKS_STATE,
      parameters: [nameParameter, sessionParameter],
      examples: [{ name: 'Own session', path: `${PETSTORE}/state`, expectStatus: 200 }],
    }),
    request => showState(service, request),
  )
  app.put<Named>(
    `${BASE}/state`,
    writes({
      summary: 'Set state values',
      reply: SVC_MOCKS_STATE,
      parameters: [nameParameter, sessionParameter],
      examples: [
        {
          name: 'One value',
          method: 'PUT',
          path: `${PETSTORE}/state?session=demo`,
          body: '{"order":"accepted"}',
          bodyType: 'json',
          expectStatus: 200,
        },
      ],
    }),
    request => setState(service, request),
  )
  app.delete<Named>(
    `${BASE}/state`,
    writes({
      summary: 'Clear the state of a session, or of all sessions without `session`',
      reply: SVC_MOCKS_STATE_DELETE,
      parameters: [nameParameter, sessionParameter],
      examples: [{ name: 'One session', method: 'DELETE', path: `${PETSTORE}/state?session=demo`, expectStatus: 200 }],
    }),
    request => clearState(service, request),
  )
  app.get<Named>(
    `${BASE}/requests`,
    describe({
      ...MANAGEMENT,
      summary: 'List captured requests, newest first',
      reply: SVC_MOCKS_REQUESTS,
      parameters: [nameParameter, ...filterParameters],
      examples: [{ name: 'Requests of a session', path: `${PETSTORE}/requests?session=demo`, expectStatus: 200 }],
    }),
    request => list(service, request),
  )
  app.delete<Named>(
    `${BASE}/requests`,
    writes({
      summary: 'Delete captured requests',
      reply: SVC_MOCKS_REQUESTS_DELETE,
      parameters: [nameParameter, sessionParameter],
      examples: [
        {
          name: 'Requests of a session',
          method: 'DELETE',
          path: `${PETSTORE}/requests?session=demo`,
          expectStatus: 200,
        },
      ],
    }),
    async request => ({
      cleared: await service.traffic.clear(
        requireMock(service, request.params.name).name,
        readQuery(request).get('session'),
      ),
    }),
  )
  app.get<Named>(
    `${BASE}/requests/stream`,
    describe({
      ...MANAGEMENT,
      protocol: 'sse',
      endless: true,
      responses: {
        200: { description: 'The stream of captured requests', content: { 'text/event-stream': {} } },
        '4XX': MANAGEMENT.responses['4XX'],
      },
      summary: 'Stream captured requests',
      parameters: [nameParameter, ...filterParameters.slice(1)],
      examples: [
        { name: 'Requests of a session', path: `${PETSTORE}/requests/stream?session=demo`, expectStatus: 200 },
      ],
    }),
    (request, reply) => feed(service, request, reply),
  )
  app.get<OfRequest>(
    `${BASE}/requests/:id`,
    describe({
      ...MANAGEMENT,
      summary: 'Get a captured request by its id or request id',
      reply: CAPTURED,
      parameters: [nameParameter, { name: 'id', in: 'path', schema: { type: 'string' } }],
      examples: [{ name: 'Unknown', path: `${PETSTORE}/requests/nothing`, expectStatus: 404 }],
    }),
    request => show(service, request),
  )
}

// --------------------------------------------------------------------------------------------------------------- state

/** The key of the session in the query, or of the caller's session. */
function sessionKey({ svc }: Service, request: FastifyRequest): { key: string; label: string } {
  const named = readQuery(request).get('session')
  if (named === null) {
    const session = svc.http.session(request)
    return { key: keyOfSession(session), label: session.label }
  }
  if (!/^[\w.:-]{1,128}$/.test(named))
    throw managementError('invalid_parameter', 'session must have 1 to 128 characters of A-Z a-z 0-9 . _ : -')
  return { key: keyOfNamed(named), label: named }
}

async function showState(service: Service, request: FastifyRequest<Named>): Promise<JsonObject> {
  const mock = requireMock(service, request.params.name)
  const { key, label } = sessionKey(service, request)
  const { state, counts } = await service.memories.get(mock.name, key)
  return { session: label, state: { ...state }, counts: { ...counts } }
}

async function setState(service: Service, request: FastifyRequest<Named>): Promise<JsonObject> {
  const mock = requireMock(service, request.params.name)
  const { bounds } = service.registry.options
  const given = parseJson(service.svc.http.body(request).toString('utf8'))
  if (!isRecord(given) || Object.keys(given).length > bounds.stateKeys)
    throw managementError('invalid_state', `the body must be a JSON object with at most ${bounds.stateKeys} keys`)
  for (const [name, value] of Object.entries(given)) {
    if (value !== null && (typeof value !== 'string' || value.length > bounds.stateValueBytes))
      throw managementError(
        'invalid_state',
        `expected a string of at most ${bounds.stateValueBytes} characters, or null`,
        {
          at: name.slice(0, 80),
        },
      )
  }
  const { key, label } = sessionKey(service, request)
  const { state, counts } = await service.memories.set(mock.name, key, given as Record<string, string | null>)
  if (!mock.record.modified) await service.mocks.edit(mock.name, record => ({ ...record, modified: true }))
  return { session: label, state: { ...state }, counts: { ...counts } }
}

async function clearState(service: Service, request: FastifyRequest<Named>): Promise<JsonObject> {
  const mock = requireMock(service, request.params.name)
  const isNamed = readQuery(request).has('session')
  const { key, label } = sessionKey(service, request)
  await service.memories.clear(mock.name, isNamed ? key : null)
  return { cleared: isNamed ? label : 'all' }
}

// ------------------------------------------------------------------------------------------------------------- traffic

/** In public mode requests can be listed only by session. */
function filterOf({ svc }: Service, request: FastifyRequest): TrafficFilter {
  const query = readQuery(request)
  const status = query.get('status')
  if (status !== null && !/^\d{3}$/.test(status))
    throw managementError('invalid_parameter', 'status must be a three-digit number')
  const session = query.get('session')
  if (svc.config.publicMode && session === null)
    throw managementError('invalid_parameter', 'in public mode, the query parameter session is required')
  return { operation: query.get('operation'), session, status: status === null ? null : Number(status) }
}

function operationKey(mock: Mock, filter: TrafficFilter): TrafficFilter {
  return filter.operation === null
    ? filter
    : { ...filter, operation: factsOf(mock.live).keyOf(filter.operation) ?? filter.operation }
}

async function list(
  service: Service,
  request: FastifyRequest<Named>,
): Promise<{ count: number; capacity: number; requests: CapturedRequest[] }> {
  const mock = requireMock(service, request.params.name)
  const limit = readQuery(request).get('limit') ?? '50'
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > 200)
    throw managementError('invalid_parameter', 'limit must be an integer from 1 to 200')
  const filter = operationKey(mock, filterOf(service, request))
  const requests = await service.traffic.list(mock.name, filter, Number(limit))
  return { count: requests.length, capacity: service.traffic.capacity, requests }
}

async function show(service: Service, request: FastifyRequest<OfRequest>): Promise<CapturedRequest> {
  const found = await service.traffic.find(requireMock(service, request.params.name).name, request.params.id)
  const isOwn =
    !service.svc.config.publicMode ||
    (found !== undefined &&
      found.session === (readQuery(request).get('session') ?? service.svc.http.session(request).header))
  if (!found || !isOwn)
    throw managementError('unknown_request', `there is no captured request "${request.params.id.slice(0, 80)}"`)
  return found
}

function feed(service: Service, request: FastifyRequest<Named>, reply: FastifyReply): FastifyReply {
  const mock = requireMock(service, request.params.name)
  const filter = operationKey(mock, filterOf(service, request))
  const stream = service.svc.streams.sse(request, reply, { endless: true, heartbeatMs: HEARTBEAT_MS })
  if (!stream) return reply
  const stop = service.traffic.subscribe(mock.name, captured => {
    // Events for a slow client are dropped and not buffered.
    if (stream.pendingBytes < 1 << 20 && passes(captured, filter))
      stream.send({ id: captured.id, event: 'request', data: captured })
  })
  stream.signal.addEventListener('abort', stop, { once: true })
  if (stream.closed) stop()
  return reply
}
