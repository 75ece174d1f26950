/** `/mock/{name}/…`: finds the mock and the operation, lets the engine answer, sends, and captures. */
import { randomUUID } from 'node:crypto'
import { stringify } from 'yaml'
import {
  copyData,
  copyText,
  describe,
  HttpError,
  sandboxPolicy,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteDescription,
} from 'svc/plugin'
import type { Answer } from '../exchange/answer.ts'
import { answerOperation, type Live, type Surroundings } from '../exchange/engine.ts'
import { PROBLEMS, problemBody, type ProblemCode } from '../errors.ts'
import { effectiveDocument } from '../management/export.ts'
import type { Mock } from '../management/mock.ts'
import { Incoming } from '../request/incoming.ts'
import type { Service } from '../management/service.ts'
import { urlOf } from '../management/service.ts'
import { headerToken, headerText } from '../response/response-headers.ts'
import { keyOfSession } from '../exchange/session-memory.ts'
import { captureBody } from '../exchange/traffic.ts'

const serve: RouteDescription = {
  path: '/mock/{name}/{*path}',
  summary: 'Answer as an OpenAPI document says',
  description:
    'Examples or deterministic data, path parameters echoed. `Prefer: code=404`, `example=cat`, `dynamic=true`, `seed=a` choose; rules, overrides, validation and security are set at `/_svc/mocks`.',
  category: 'OpenAPI Mocks',
  parameters: [
    { name: 'name', in: 'path', description: 'Name of the mock', schema: { type: 'string' } },
    {
      name: 'path',
      in: 'path',
      description: 'Path of the mocked API, with or without the path of its servers',
      schema: { type: 'string' },
    },
    {
      name: 'Prefer',
      in: 'header',
      description: 'code, example, dynamic, seed (RFC 7240)',
      schema: { type: 'string' },
    },
  ],
  responses: { 200: { description: 'As the document says' }, 404: { description: 'No such mock, path or response' } },
  examples: [
    { name: 'A pet', path: '/mock/petstore/v1/pets/7', expectStatus: 200 },
    {
      name: 'The cat',
      path: '/mock/petstore/v1/pets/2',
      headers: [{ name: 'Prefer', value: 'example=cat' }],
      expectStatus: 200,
    },
    {
      name: 'Not found',
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
    { name: 'The document', path: '/mock/petstore/openapi.json', expectStatus: 200 },
  ],
}

const root: RouteDescription = {
  summary: 'The root of a mocked API',
  category: 'OpenAPI Mocks',
  parameters: [{ name: 'name', in: 'path', description: 'Name of the mock', schema: { type: 'string' } }],
  responses: { 200: { description: 'As the document says' }, 404: { description: 'The document has no path "/"' } },
  examples: [{ name: 'Petstore has none', path: '/mock/petstore', expectStatus: 404 }],
}

export function registerServe(app: FastifyInstance, service: Service): void {
  const handler = (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    handle(service, request, reply)
  app.all('/mock/:name', describe(root), handler)
  app.all('/mock/:name/*', describe(serve), handler)
}

async function handle(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const startedAt = performance.now()
  const { svc, registry } = service
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
  // What answers is taken once: a deploy meanwhile changes nothing for this request.
  const { live, version } = mock
  const incoming = new Incoming({
    method: request.method,
    path,
    query,
    headers: request.headers,
    body: svc.http.body(request),
  })
  const { answer, operation } = await respond(service, request, mock, live, incoming)
  if (answer.delayMs > 0 && !(await svc.http.delay(request, answer.delayMs))) return reply.hijack()
  mock.requests.set(operation ?? '', (mock.requests.get(operation ?? '') ?? 0) + 1)
  if (live.parts.settings.capture)
    capture({ svc, request, mock, version, incoming, answer, operation, latencyMs: performance.now() - startedAt })
  if (answer.abort) {
    svc.http.markFault(request, reply, 'abort', `mock ${mock.name}, rule ${answer.rule}`)
    reply.hijack()
    svc.http.abortResponse(request, reply)
    return reply
  }
  return send(reply, mock.name, version, answer, live, operation)
}

/** The path below the mock, as it was sent. */
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
  live: Live,
  incoming: Incoming,
): Promise<{ answer: Answer; operation: string | null }> {
  if (!mock.enabled)
    return {
      answer: problem('mock_disabled', `the mock "${mock.name}" is switched off`, mock.name, {}, [
        ['Retry-After', '1'],
      ]),
      operation: null,
    }
  const match = live.api.match(incoming.method, incoming.path, live.parts.settings.basePath)
  if (match.kind === 'operation')
    return {
      answer: await answerOperation(live, incoming, surroundings(service, request, mock), match.operation, match.path),
      operation: match.operation.key,
    }
  if (match.kind === 'method')
    return {
      answer: problem(
        'no_method_matched',
        `"${match.template}" has no ${incoming.method}, but ${match.allow.join(', ')}`,
        mock.name,
        { allow: match.allow },
        [['Allow', match.allow.join(', ')]],
      ),
      operation: null,
    }
  const document = /^\/openapi\.(json|yaml)$/.exec(incoming.path)?.[1]
  if (document && (incoming.method === 'GET' || incoming.method === 'HEAD'))
    return {
      answer: documentAnswer(effectiveDocument(mock, urlOf(service, request, mock.name)), document),
      operation: null,
    }
  const nearest = live.api.nearest(incoming.path)
  const detail = nearest ? `nearly matched "${nearest.template}", but ${nearest.reason}` : 'the document has no paths'
  return {
    answer: problem('no_path_matched', detail, mock.name, nearest ? { nearest: nearest.template } : {}, []),
    operation: null,
  }
}

function surroundings({ svc, memories }: Service, request: FastifyRequest, mock: Mock): Surroundings {
  const session = svc.http.session(request)
  const key = keyOfSession(session)
  return {
    mock: mock.name,
    session: session.label,
    count: operation => memories.count(mock.name, key, operation),
    setState: values => memories.set(mock.name, key, values),
    hasClientCertificate: () => svc.pki.clientCertificate(request).state === 'valid',
    verifyToken: tokenVerifier(svc),
    random: Math.random,
    now: () => new Date(),
  }
}

/** Access tokens of the built-in provider, issued under any address of this instance. */
function tokenVerifier(svc: Service['svc']): Surroundings['verifyToken'] {
  const tokens = svc.use('identity.tokens')
  if (!tokens) return undefined
  return async token => {
    const verification = await tokens.verify(token, { algorithms: ['RS256'], typ: 'at+jwt', refuseRevoked: true })
    if (!verification.valid) return null
    const { scope } = verification.claims
    return { scopes: typeof scope === 'string' ? scope.split(' ') : [] }
  }
}

function problem(
  code: ProblemCode,
  detail: string,
  mock: string,
  extra: Record<string, string | string[]>,
  headers: [string, string][],
): Answer {
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

function documentAnswer(document: object, format: string): Answer {
  const body = Buffer.from(
    format === 'json' ? JSON.stringify(document) : stringify(document, { aliasDuplicateObjects: false }),
  )
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
  answer: Answer,
  live: Live,
  operation: string | null,
): FastifyReply {
  reply.code(answer.status)
  for (const [name, value] of answer.headers)
    reply.header(name, name.toLowerCase() === 'www-authenticate' ? challenges(answer) : headerText(value))
  reply
    .header('X-Svc-Mock', mock)
    .header('X-Svc-Mock-Version', String(version))
    .header('X-Svc-Mock-Source', answer.source)
  if (operation !== null)
    reply.header(
      'X-Svc-Mock-Operation',
      live.api.operation(operation)?.operationId === operation && /^[\x21-\x7e]+$/.test(operation)
        ? operation
        : headerToken(operation),
    )
  if (answer.violations.length > 0) reply.header('X-Svc-Mock-Violations', String(answer.violations.length))
  if (answer.body === null) return reply.send()
  const policy = sandboxPolicy(headerOf(answer, 'content-type'), headerOf(answer, 'content-security-policy'))
  if (policy !== null) reply.header('Content-Security-Policy', policy)
  return reply.send(answer.body)
}

/** The last value of a field, `name` in lower case; undefined when absent. */
function headerOf(answer: Answer, name: string): string | undefined {
  return answer.headers.findLast(([other]) => other.toLowerCase() === name)?.[1]
}

/** One field for each challenge. */
function challenges(answer: Answer): string[] {
  return answer.headers.filter(([name]) => name.toLowerCase() === 'www-authenticate').map(([, value]) => value)
}

interface Capture {
  svc: Service['svc']
  request: FastifyRequest
  mock: Mock
  version: number
  incoming: Incoming
  answer: Answer
  operation: string | null
  latencyMs: number
}

/** In public mode only what carries a session is kept: others must not see it. */
function capture({ svc, request, mock, version, incoming, answer, operation, latencyMs }: Capture): void {
  const session = svc.http.session(request).header
  if (svc.config.publicMode && session === null) return
  const sent = captureBody(incoming.bytes)
  const received = captureBody(answer.body)
  mock.traffic.add({
    id: randomUUID(),
    request_id: svc.http.requestId(request),
    timestamp: new Date().toISOString(),
    session,
    client_ip: svc.http.clientIp(request),
    method: incoming.method,
    // Cut from the target, which may be longer by far than what is left of it when keys are redacted.
    path: copyText(incoming.path),
    query: incoming.rawQuery === '' ? null : copyText(svc.inspector.redactUrl(incoming.rawQuery)),
    headers: svc.inspector.redactHeaders(headerList(request.raw.rawHeaders)),
    body: sent.text,
    body_truncated: sent.truncated,
    operation,
    version,
    status: answer.status,
    source: answer.source,
    rule: answer.rule,
    violations: copyData(answer.violations).copy,
    credential: answer.credential,
    response: {
      headers: answer.headers.map(([name, value]) => ({ name: name.toLowerCase(), value: copyText(value) })),
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
