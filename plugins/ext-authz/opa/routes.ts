/** `/opa`: the policies in the REST API of the Open Policy Agent. */
import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import {
  describe,
  type ErrorForm,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  HttpError,
  type Json,
  readQuery,
  type RouteDescription,
  type Svc,
} from 'svc/plugin'
import { ANY, excessOfJsonText, isRecord, jsonReply, object, RECORD, readOrProblem, TEXT } from 'svc/toolkit'
import type { GatewayService } from '../../gateway-services/types.ts'
import type { Authorizer } from '../authorizer.ts'
import { breakAnswer } from '../http/answer.ts'
import type { PolicyCall } from '../policies/policy.ts'
import { documentAt, isDefined, leftOutOf } from './documents.ts'
import { readInput } from './input.ts'

const category = 'External authorization'
const DEFAULT_POLICY = 'header'
const INVALID = 'invalid_parameter'
const JSON_BOUNDS = { levels: 100, values: 100_000 }
const V1 = '/opa/v1/data'
const V0 = '/opa/v0/data'
const PATH = {
  name: 'path',
  in: 'path',
  description: '`svc/allow` is a boolean, `svc/authz` the object that OPA-Envoy takes',
  schema: { type: 'string' },
} as const
const INPUT = { method: 'GET', path: '/orders', headers: { 'x-ext-authz': 'allow' } }

export interface OpaParts {
  service: GatewayService
  authorizer: Authorizer
}

/** The errors of the API. */
const errorForm: ErrorForm = ({ status, body }) => {
  const { error, details, detail } = body as { error?: string; details?: string; detail?: string }
  const code = status >= 500 ? 'internal_error' : status === 404 ? 'resource_not_found' : INVALID
  return { body: { code, message: details ?? detail ?? error ?? 'invalid request' } }
}

const shared = {
  category,
  errorForm,
  responses: {
    200: { description: '`result`, which is absent for a document that does not exist, and `decision_id`' },
    400: { description: 'The body is not JSON, or the input is invalid: `code` and `message`' },
    503: { description: 'The service fails' },
  },
} satisfies Partial<RouteDescription>

export function registerOpa(app: FastifyInstance, svc: Svc<unknown>, parts: OpaParts): void {
  svc.unroutedForm('/opa', errorForm)
  app.get(
    '/opa/health',
    describe({
      category,
      errorForm,
      summary: 'The health of the policies',
      reply: jsonReply(RECORD),
      responses: { 200: { description: '`{}`' } },
      examples: [{ name: 'Health', path: '/opa/health', expectStatus: 200 }],
    }),
    () => ({}),
  )

  /** With the document as `result`. */
  const answerV1 = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const body = readBody(request, svc)
    if (body !== undefined && !isRecord(body)) throw invalid('expected an object with input')
    const input = body === undefined ? queryInput(request) : (body.input as Json | undefined)
    const found = await evaluate(request, reply, input ?? {}, svc, parts)
    if (found === 'answered') return reply
    return reply.send({
      ...(found.result === undefined ? {} : { result: found.result }),
      decision_id: randomUUID(),
    })
  }
  for (const path of [V1, `${V1}/*`])
    app.route({
      method: ['GET', 'POST'],
      url: path,
      ...describe(
        {
          ...shared,
          methods: ['POST'],
          summary: 'Get a document, with an input',
          parameters: path === V1 ? [] : [PATH],
          requestBody: { description: '`input`', content: { 'application/json': {} } },
          reply: jsonReply(object({ decision_id: TEXT }, { result: ANY }), 'OpaResult'),
          examples: [
            {
              name: 'Allowed by a header',
              method: 'POST',
              path: path === V1 ? path : `${V1}/svc/allow`,
              body: JSON.stringify({ input: INPUT }),
              bodyType: 'json',
              expectStatus: 200,
            },
          ],
        },
        {
          ...shared,
          methods: ['GET'],
          summary: 'Get a document',
          parameters: [
            ...(path === V1 ? [] : [PATH]),
            { name: 'input', in: 'query', description: 'The input as JSON; default: none', schema: { type: 'string' } },
          ],
          reply: jsonReply(object({ decision_id: TEXT }, { result: ANY }), 'OpaResult'),
          examples: [{ name: 'Denied', path: path === V1 ? path : `${V1}/svc/authz`, expectStatus: 200 }],
        },
      ),
      handler: answerV1,
    })

  for (const path of [V0, `${V0}/*`])
    app.post(
      path,
      describe({
        ...shared,
        summary: 'Get a document alone, with the body as the input',
        parameters: path === V0 ? [] : [PATH],
        requestBody: { description: 'The input', content: { 'application/json': {} } },
        reply: jsonReply({ type: ['boolean', 'object', 'string', 'number'] }),
        responses: {
          ...shared.responses,
          200: { description: 'The document' },
          404: { description: '`undefined_document`' },
        },
        examples: [
          {
            name: 'Allowed by a header',
            method: 'POST',
            path: path === V0 ? path : `${V0}/svc/allow`,
            body: JSON.stringify(INPUT),
            bodyType: 'json',
            expectStatus: 200,
          },
        ],
      }),
      async (request, reply) => {
        const found = await evaluate(request, reply, readBody(request, svc) ?? {}, svc, parts)
        if (found === 'answered') return reply
        if (found.result !== undefined) return reply.type('application/json').send(JSON.stringify(found.result))
        return reply.code(404).send({ code: 'undefined_document', message: 'the document is missing or undefined' })
      },
    )
}

/** Decides by the input, unless the path leads nowhere. */
async function evaluate(
  request: FastifyRequest,
  reply: FastifyReply,
  value: Json,
  svc: Svc<unknown>,
  { service, authorizer }: OpaParts,
): Promise<{ result?: Json | undefined } | 'answered'> {
  const path = ((request.params as { '*'?: string })['*'] ?? '').split('/').filter(segment => segment !== '')
  const read = readOrProblem(() => readInput(value, svc.http.clientIp(request)))
  if ('problem' in read) throw invalid(`${read.problem.at}: ${read.problem.details}`)
  if (!isDefined(path)) return {}
  const { policy: named, given, principal, parameter } = read.value
  const policy = authorizer.policy(named ?? DEFAULT_POLICY)
  if (policy === undefined) throw invalid(authorizer.unknown(named!))
  const call: PolicyCall = { checked: service.checked(request, given), parameter, protocol: 'http', principal }
  const result = await authorizer.decide(request, policy, call, leftOutOf(path)).catch(inOwnForm)
  switch (result.kind) {
    case 'decided':
      return { result: documentAt(path, policy.name, result.decision) }
    case 'error':
      if (result.retryAfterSecs !== null) reply.header('Retry-After', String(result.retryAfterSecs))
      reply.code(result.status).send({ code: 'internal_error', message: result.reason })
      return 'answered'
    case 'timeout':
      reply.code(503).send({ code: 'internal_error', message: 'no answer in time' })
      return 'answered'
    default:
      breakAnswer(request, reply, result, svc)
      return 'answered'
  }
}

function invalid(message: string): HttpError {
  return new HttpError(400, { code: INVALID, message })
}

/** Errors of the service have the form of the API here. */
function inOwnForm(error: unknown): never {
  const { code, body } = error as { code?: string; body?: { details?: string } }
  throw code === 'SVC_HTTP_ERROR' && body?.details !== undefined ? invalid(body.details) : error
}

/** Undefined without a body. */
function readBody(request: FastifyRequest, { http }: Pick<Svc, 'http'>): Json | undefined {
  const body = http.body(request)
  return body.length === 0 ? undefined : parse(isUtf8(body) ? body.toString() : '', 'the body')
}

function queryInput(request: FastifyRequest): Json | undefined {
  const text = readQuery(request).get('input')
  return text === null ? undefined : parse(text, 'input')
}

function parse(text: string, what: string): Json {
  const excess = excessOfJsonText(text, JSON_BOUNDS)
  if (excess !== null) throw invalid(`${what} has more than ${JSON_BOUNDS[excess]} ${excess}`)
  try {
    return JSON.parse(text) as Json
  } catch {
    throw invalid(`${what} is not JSON`)
  }
}
