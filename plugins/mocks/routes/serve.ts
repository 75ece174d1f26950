/** `/mock/{name}/…`: finds the mock and the operation, sends the response of the engine, and captures the request. */
import { randomUUID } from 'node:crypto'
import {
  describe,
  HttpError,
  type FastifyInstance,
  type FastifyReply,
  isOutputError,
  isTooExpensive,
  type FastifyRequest,
  type RouteDescription,
} from 'svc/plugin'
import { copyData, copyText, sandboxPolicy } from 'svc/toolkit'
import type { MockResponse } from '../exchange/response-builder.ts'
import type { PlannedCallbacks } from '../exchange/callbacks.ts'
import { handleOperation } from '../exchange/engine.ts'
import type { CompiledLive } from '../management/live.ts'
import { PROBLEMS, problemBody, type ProblemCode } from '../errors.ts'
import type { TextFormat } from '../management/document-text.ts'
import type { JsonObject } from '../document/json.ts'
import { isApiMock, isGraphMock, type Mock } from '../management/mock.ts'
import { GraphRoutes } from './graph.ts'
import { Incoming } from '../request/incoming.ts'
import { type Service, urlOf } from '../management/service.ts'
import { headerToken, headerText } from '../response/response-headers.ts'
import { captureBody } from '../exchange/traffic.ts'
import { RequestContext } from './engine-context.ts'
import { MOCK } from '../replies.ts'

const serve: RouteDescription = {
  path: '/mock/{name}/{*path}',
  summary: 'Call a mocked API',
  reply: MOCK,
  description:
    'Responds with examples or deterministic data and echoes path parameters. The header `Prefer` selects a response: `code=404`, `example=cat`, `dynamic=true`, `seed=a`. Rules, overrides, validation and security are configured at `/_svc/mocks`.',
  category: 'API Mocks',
  steps: ['graphql'],
  parameters: [
    { name: 'name', in: 'path', description: 'Name of the mock', schema: { type: 'string' } },
    {
      name: 'path',
      in: 'path',
      description: 'Path in the mocked API, with or without the path of its server URL',
      schema: { type: 'string' },
    },
    {
      name: 'Prefer',
      in: 'header',
      description: 'Preferences `code`, `example`, `dynamic` and `seed` (RFC 7240)',
      schema: { type: 'string' },
    },
  ],
  responses: {
    200: { description: 'A response of the document' },
    404: { description: 'The mock, path or response does not exist' },
  },
  examples: [
    { name: 'Get a pet', path: '/mock/petstore/v1/pets/7', expectStatus: 200 },
    {
      name: 'Select an example',
      path: '/mock/petstore/v1/pets/2',
      headers: [{ name: 'Prefer', value: 'example=cat' }],
      expectStatus: 200,
    },
    {
      name: 'Select a status',
      path: '/mock/petstore/v1/pets/9',
      headers: [{ name: 'Prefer', value: 'code=404' }],
      expectStatus: 404,
    },
    {
      name: 'Create a pet',
      method: 'POST',
      path: '/mock/petstore/v1/pets',
      headers: [{ name: 'Content-Type', value: 'application/json' }],
      body: '{"name":"Rex"}',
      bodyType: 'json',
      expectStatus: 201,
    },
    { name: 'OpenAPI document', path: '/mock/petstore/openapi.json', expectStatus: 200 },
  ],
}

const root: RouteDescription = {
  summary: 'Call the root path of a mocked API, or run an operation of a mocked GraphQL schema',
  category: 'API Mocks',
  steps: ['graphql'],
  parameters: [{ name: 'name', in: 'path', description: 'Name of the mock', schema: { type: 'string' } }],
  responses: {
    200: { description: 'A response of the document' },
    404: { description: 'The document has no path "/"' },
  },
  examples: [{ name: 'Petstore has no root path', path: '/mock/petstore', expectStatus: 404 }],
}

/** The step of rules that the plugin `graphql` applies. */
const GRAPH_STEPS = ['graphql']

const socket: RouteDescription = {
  summary: 'Run operations of a mocked GraphQL schema over a WebSocket',
  description:
    'With the subprotocol graphql-transport-ws, or the older graphql-ws. An OpenAPI document may have a path `/ws`.',
  category: 'API Mocks',
  protocol: 'websocket',
  steps: GRAPH_STEPS,
  parameters: [{ name: 'name', in: 'path', description: 'Name of the mock', schema: { type: 'string' } }],
  responses: {
    101: { description: 'Connected with the first supported subprotocol that the client offers' },
    404: { description: 'The mock does not exist, or has no such path' },
    426: { description: 'Not a WebSocket handshake' },
  },
  examples: [{ name: 'No schema', path: '/mock/petstore/ws', expectStatus: 404 }],
  subprotocol: offered => offered.find(name => name === 'graphql-transport-ws' || name === 'graphql-ws') ?? false,
}

export function registerServe(app: FastifyInstance, service: Service): void {
  const graphs = new GraphRoutes(service)
  const handler = (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    handle(service, graphs, request, reply)
  app.all('/mock/:name', describe(root), handler)
  app.all('/mock/:name/*', describe(serve), handler)
  app.route({
    method: 'GET',
    url: '/mock/:name/ws',
    ...describe(socket),
    preValidation: async (request, reply) => {
      if (!request.ws) return
      const mock = service.registry.get((request.params as { name: string }).name)
      if (mock !== undefined && mock.enabled && isGraphMock(mock)) return graphs.accept(mock, request, reply)
      return handler(request, reply)
    },
    wsHandler: (webSocket, request) => graphs.open(webSocket, request),
    handler,
  })
}

async function handle(
  service: Service,
  graphs: GraphRoutes,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const startedAt = performance.now()
  const { svc, registry, counts } = service
  const { name } = request.params as { name: string }
  const mock = registry.get(name)
  const { path, query } = splitUrl(request.raw.url ?? '/')
  if (!mock)
    throw new HttpError(404, {
      error: 'unknown mock',
      name: name.slice(0, 80),
      path: request.raw.url?.split('?', 1)[0],
      hint: 'GET /_svc/mocks lists the mocks',
      mocks: registry.names(),
    })
  if (mock.enabled && isGraphMock(mock)) {
    const served = await graphs.handle(mock, path, request, reply)
    if (served !== null) return served
  }
  // Read once: a deploy during this request does not affect it.
  const { live, version } = mock
  const incoming = new Incoming({
    method: request.method,
    path,
    query,
    headers: request.headers,
    rawHeaders: request.raw.rawHeaders,
    body: svc.http.body(request),
  })
  const turn = svc.budgets.turn()
  if (turn !== null) await turn
  const { response, operation } = await respond(service, request, mock, incoming)
  if (response.delayMs > 0 && !(await svc.http.delay(request, response.delayMs))) return reply.hijack()
  counts.add(mock.name, operation ?? '')
  if (live.parts.settings.capture)
    capture({
      service,
      request,
      mock,
      version,
      incoming,
      response,
      operation,
      latencyMs: performance.now() - startedAt,
    })
  if (response.abort) {
    svc.http.markFault(request, reply, 'abort', `mock ${mock.name}, rule ${response.rule}`, 'rule')
    reply.hijack()
    svc.http.abortResponse(request, reply)
    return reply
  }
  if (response.callbacks) sendCallbacks(service, request, reply, mock, response.callbacks)
  return send(reply, mock.name, version, response, operation, live)
}

/** The response says what is sent, and why the rest is not. */
function sendCallbacks(
  { svc, callbacks }: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  mock: Mock,
  planned: PlannedCallbacks,
): void {
  const { requests, skipped } = callbacks.send(mock.name, planned, svc.http.baseUrl(request))
  const reason =
    skipped[0] && `; reason="${headerText(`${skipped[0].name}: ${skipped[0].reason}`.replaceAll(/["\\]/g, "'"))}"`
  if (requests.length + skipped.length > 0)
    reply.header('X-Svc-Mock-Callbacks', `sent=${requests.length}; skipped=${skipped.length}${reason ?? ''}`)
}

/** The path below the mock, as sent. */
function splitUrl(url: string): { path: string; query: string } {
  const mark = url.indexOf('?')
  const whole = mark < 0 ? url : url.slice(0, mark)
  const slash = whole.indexOf('/', '/mock/'.length)
  return { path: slash < 0 ? '/' : whole.slice(slash), query: mark < 0 ? '' : url.slice(mark + 1) }
}

async function respond(
  service: Service,
  request: FastifyRequest,
  mock: Mock,
  incoming: Incoming,
): Promise<{ response: MockResponse; operation: string | null }> {
  if (!mock.enabled)
    return {
      response: problem('mock_disabled', `the mock "${mock.name}" is disabled`, mock.name, {}, [['Retry-After', '1']]),
      operation: null,
    }
  if (!isApiMock(mock)) {
    const detail = 'a mock of a GraphQL schema has /, /graphql, /ws, /stream and /schema.graphql'
    return { response: problem('no_path_matched', detail, mock.name, {}, []), operation: null }
  }
  const { live } = mock
  const match = live.api.match(incoming.method, incoming.path, live.parts.settings.basePath)
  if (match.kind === 'operation') {
    const { operation, path } = match
    const context = new RequestContext(service, request, mock, incoming)
    const response = await handleOperation(live, incoming, context, operation, path).catch((error: unknown) =>
      tooCostly(error, mock.name, operation.key),
    )
    return { response, operation: operation.key }
  }
  if (match.kind === 'method')
    return {
      response: problem(
        'no_method_matched',
        `"${match.template}" does not allow ${incoming.method}; allowed: ${match.allow.join(', ')}`,
        mock.name,
        { allow: match.allow },
        [['Allow', match.allow.join(', ')]],
      ),
      operation: null,
    }
  const document = /^\/openapi\.(json|yaml)$/.exec(incoming.path)?.[1]
  if (document && (incoming.method === 'GET' || incoming.method === 'HEAD'))
    return {
      response: documentResponse(
        await service.texts.of(mock, urlOf(service, request, mock.name), document as TextFormat),
        document,
      ),
      operation: null,
    }
  const nearest = live.api.nearest(incoming.path)
  const detail = nearest ? `closest match is "${nearest.template}": ${nearest.reason}` : 'the document has no paths'
  return {
    response: problem('no_path_matched', detail, mock.name, nearest ? { nearest: nearest.template } : {}, []),
    operation: null,
  }
}

/** The problem of an answer that exceeds a budget. Throws other errors. */
function tooCostly(error: unknown, mock: string, operation: string): MockResponse {
  const extra = { operation }
  if (isTooExpensive(error)) return problem('too_expensive', error.message, mock, extra, [])
  if (!isOutputError(error)) throw error
  return error.code === 'SVC_OUTPUT_UNAVAILABLE'
    ? problem('output_unavailable', error.message, mock, extra, [['Retry-After', '1']])
    : problem('output_too_large', error.message, mock, { ...extra, limit: error.limit }, [])
}

function problem(
  code: ProblemCode,
  detail: string,
  mock: string,
  extra: JsonObject,
  headers: [string, string][],
): MockResponse {
  const { status } = PROBLEMS[code]
  const body = Buffer.from(JSON.stringify(problemBody(code, status, detail, { mock, operation: null, ...extra })))
  return {
    status,
    headers: [['Content-Type', 'application/problem+json'], ...headers, ['X-Svc-Mock-Error', code]],
    body,
    abort: false,
    delayMs: 0,
    source: 'error',
    rule: null,
    violations: [],
    credential: null,
  }
}

function documentResponse(body: Buffer, format: string): MockResponse {
  return {
    status: 200,
    headers: [['Content-Type', format === 'json' ? 'application/json' : 'application/yaml']],
    body,
    abort: false,
    delayMs: 0,
    source: 'document',
    rule: null,
    violations: [],
    credential: null,
  }
}

function send(
  reply: FastifyReply,
  mock: string,
  version: number,
  response: MockResponse,
  operation: string | null,
  live: CompiledLive,
): FastifyReply {
  reply.code(response.status)
  for (const [name, value] of response.headers)
    reply.header(name, name.toLowerCase() === 'www-authenticate' ? challenges(response) : headerText(value))
  reply
    .header('X-Svc-Mock', mock)
    .header('X-Svc-Mock-Version', String(version))
    .header('X-Svc-Mock-Source', response.source)
  if (operation !== null)
    reply.header(
      'X-Svc-Mock-Operation',
      live.kind === 'openapi' &&
        live.api.operation(operation)?.operationId === operation &&
        /^[\x21-\x7e]+$/.test(operation)
        ? operation
        : headerToken(operation),
    )
  if (response.violations.length > 0) reply.header('X-Svc-Mock-Violations', String(response.violations.length))
  if (response.body === null) return reply.send()
  const policy = sandboxPolicy(headerOf(response, 'content-type'), headerOf(response, 'content-security-policy'))
  if (policy !== null) reply.header('Content-Security-Policy', policy)
  return reply.send(response.body)
}

/** The last value of a header; undefined if absent. `name` is in lower case. */
function headerOf(response: MockResponse, name: string): string | undefined {
  return response.headers.findLast(([other]) => other.toLowerCase() === name)?.[1]
}

/** One header line per challenge. */
function challenges(response: MockResponse): string[] {
  return response.headers.filter(([name]) => name.toLowerCase() === 'www-authenticate').map(([, value]) => value)
}

interface Capture {
  service: Service
  request: FastifyRequest
  mock: Mock
  version: number
  incoming: Incoming
  response: MockResponse
  operation: string | null
  latencyMs: number
}

/** In public mode only requests with a session are kept, because other clients must not see them. */
function capture({ service, request, mock, version, incoming, response, operation, latencyMs }: Capture): void {
  const { svc, traffic } = service
  const session = svc.http.session(request).header
  if (svc.config.publicMode && session === null) return
  const sent = captureBody(incoming.bytes)
  const received = captureBody(response.body)
  traffic.add(mock.name, {
    id: randomUUID(),
    request_id: svc.http.requestId(request),
    timestamp: new Date(Date.now() - latencyMs).toISOString(),
    session,
    client_ip: svc.http.clientIp(request),
    method: incoming.method,
    // Copied, so that a long request target is not kept in memory.
    path: copyText(incoming.path),
    query: incoming.rawQuery === '' ? null : copyText(svc.inspector.redactUrl(incoming.rawQuery)),
    headers: svc.inspector.redactHeaders(headerList(request.raw.rawHeaders)),
    body: sent.text,
    body_truncated: sent.truncated,
    operation,
    version,
    status: response.status,
    source: response.source,
    rule: response.rule,
    violations: copyData(response.violations).copy,
    credential: response.credential,
    response: {
      headers: response.headers.map(([name, value]) => ({ name: name.toLowerCase(), value: copyText(value) })),
      body: received.text,
      truncated: received.truncated,
    },
    latency_ms: Math.round(latencyMs * 100) / 100,
  })
}

function headerList(raw: readonly string[]): { name: string; value: string }[] {
  const list: { name: string; value: string }[] = []
  for (let index = 0; index + 1 < raw.length; index += 2)
    list.push({ name: (raw[index] ?? '').toLowerCase(), value: raw[index + 1] ?? '' })
  return list
}
