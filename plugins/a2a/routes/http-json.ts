/** Owns the HTTP+JSON routes: everything below `/a2a/{agent}/v1`. */
import { describe, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'svc/plugin'
import { isRecord, rawQuery } from 'svc/toolkit'
import type { A2a } from '../a2a.ts'
import { MAX_DEPTH } from '../bounds.ts'
import { makeCall } from '../calls/call.ts'
import { A2aError, httpError, toA2aError } from '../protocol/errors.ts'
import { findResource, type Resource } from '../bindings/http-json.ts'
import { parseJson } from '../protocol/json.ts'
import { perform } from '../operations/perform.ts'
import { sendJson, sendResult, sendStream } from './reply.ts'
import { knownTenant } from '../tasks/scope.ts'
import type { JsonObject } from '../types.ts'
import { readVersion, wrongVersion, type ProtocolVersion, type RequestedVersion } from '../protocol/version.ts'
import { httpJsonV03 } from '../wire/v0.3/http-json.ts'
import { v1 } from '../wire/v1.0/wire.ts'
import { agentOf } from './agent.ts'
import { descriptionOf, HTTP_JSON } from './http-json-descriptions.ts'

const MEDIA_TYPES: Readonly<Record<ProtocolVersion, string>> = {
  '1.0': 'application/a2a+json',
  '0.3': 'application/json',
}

export function registerHttpJson(app: FastifyInstance, a2a: A2a): void {
  // In Fastify routes a colon starts a parameter, so the rest of the path is parsed here.
  app.route({
    method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    url: '/a2a/:agent/v1/*',
    ...describe(...HTTP_JSON),
    handler: (request, reply) => serveHttp(a2a, request, reply),
  })
}

async function serveHttp(a2a: A2a, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const agent = agentOf(a2a, request)
  const version = readVersion(request)
  const protocolVersion = version.protocolVersion ?? '1.0'
  void reply.header('A2A-Version', protocolVersion)
  const { tail, tenant } = tailOf(a2a, request)
  try {
    const { resource, method } = route(a2a, request, { tail, version })
    const wire = protocolVersion === '1.0' ? v1 : httpJsonV03
    const params = { ...queryOf(request), ...readBody(a2a, request, resource), ...resource.params }
    const call = makeCall(a2a, agent, wire, request, { binding: 'HTTP+JSON', tenant })
    if (call.extensions.length > 0) void reply.header('A2A-Extensions', call.extensions.join(', '))
    const outcome = await perform(resource.operations[method]!, call, params)
    if (outcome.kind === 'redirect') return reply.redirect(outcome.location, 307)
    if (outcome.kind === 'stream') {
      sendStream(a2a, request, reply, { ...outcome, envelope: event => event })
      return reply
    }
    const { result, headers, wireFault } = outcome
    return sendResult(reply.headers(headers), result, { wireFault, mediaType: MEDIA_TYPES[protocolVersion] })
  } catch (caught) {
    const error = toA2aError(caught, tenant)
    const isWrongMethod = error.headers.Allow !== undefined
    const status = isWrongMethod ? 405 : error.kind.http
    return sendJson(
      reply.code(status).headers(error.headers),
      httpError(error, protocolVersion, status),
      MEDIA_TYPES[protocolVersion],
    )
  }
}

/** The resource and the method of a request. Throws if one of them or the version is unknown. */
function route(
  a2a: A2a,
  request: FastifyRequest,
  { tail, version }: { tail: string; version: RequestedVersion },
): { resource: Resource; method: string } {
  const resource = findResource(tail)
  if (!resource) throw new A2aError('METHOD_NOT_FOUND', 'no operation exists at this path')
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const allowed = Object.keys(resource.operations)
  if (!allowed.includes(method))
    throw new A2aError('METHOD_NOT_FOUND', `method ${method} is not allowed (expected ${allowed.join(' or ')})`, {
      headers: { Allow: allowed.join(', ') },
    })
  a2a.svc.http.selectDescription(request, descriptionOf(resource.template, method))
  if (version.protocolVersion === null) throw wrongVersion(version)
  return { resource, method }
}

/** The path below `v1` and the tenant, as received, without a slash at the end. */
function tailOf(a2a: A2a, request: FastifyRequest): { tail: string; tenant: string | null } {
  const path = (request.raw.url ?? '').split('?', 1)[0] ?? ''
  const segments = path.split('/').slice(4)
  if (segments.at(-1) === '') segments.pop()
  const tenant = segments.length > 1 ? knownTenant(a2a, segments[0]) : null
  return { tail: (tenant === null ? segments : segments.slice(1)).join('/'), tenant }
}

/** The first value of each parameter. */
function queryOf(request: FastifyRequest): JsonObject {
  const params: JsonObject = Object.create(null)
  for (const [name, value] of new URLSearchParams(rawQuery(request)))
    if (!Object.hasOwn(params, name)) params[name] = value
  return params
}

/** Reads the body of operations that have one, whatever its media type; an empty body is `{}`. */
function readBody(a2a: A2a, request: FastifyRequest, { template }: Resource): JsonObject {
  const isSend = template === 'message:send' || template === 'message:stream'
  const isCreation = template === 'tasks/{id}/pushNotificationConfigs' && request.method === 'POST'
  if (!isSend && !isCreation) return {}
  const bytes = a2a.svc.http.body(request)
  const parsed = bytes.length === 0 ? { value: {} } : parseJson(bytes)
  if ('problem' in parsed)
    throw parsed.problem === 'depth'
      ? new A2aError('INVALID_REQUEST', `the body is nested deeper than ${MAX_DEPTH} levels`)
      : new A2aError('JSON_PARSE', 'the body is not valid JSON')
  if (!isRecord(parsed.value)) throw new A2aError('INVALID_REQUEST', 'the body must be a JSON object')
  return isSend ? parsed.value : { body: parsed.value }
}
