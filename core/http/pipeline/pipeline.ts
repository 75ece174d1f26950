/**
 * The pipeline of a request, as one list of stages. Every request of every listener passes these stages in this order.
 * A stage returns true to continue, and false if it has sent a response or the client has disconnected. The order is
 * part of the public behavior: the control plane rejects requests before a fault header can delay them, a rejected
 * request is never captured, and so on.
 */
import { sendResponse, sendError, sendErrorInForm, replaceWithError } from '../response/send.ts'
import { announcedLength, bodyLimitOf } from '../request/body.ts'
import { readContent, rejectBody } from './read-body.ts'
import type { RequestContext } from '../request/context.ts'
import { dropUnread } from './streamed-body.ts'
import {
  badRequest,
  internalError,
  methodNotAllowed,
  notFound,
  notFoundOfPlugin,
  requestTimeout,
  stateHeaders,
  stateUnavailable,
} from '../response/error-bodies.ts'
import { rewriteTarget } from '../request/types.ts'
import { sentRequestId } from '../request/request-facts.ts'
import { identifyKey, limitByKey } from './stages/api-key.ts'
import { authenticateControl } from './stages/control-auth.ts'
import { capture } from './stages/capture.ts'
import { answerAsAsked } from './stages/answer.ts'
import { encodeAsAsked } from './stages/encoding.ts'
import { checkExpectation } from './stages/expectation.ts'
import { injectFaults } from './stages/faults.ts'
import { applyRules } from './stages/rules.ts'
import { limitByPlan } from './stages/plan-limits.ts'
import { limitTogether } from './stages/shared-limits.ts'
import { observe } from './stages/observation.ts'
import { enterTrace } from './stages/tracing.ts'
import { decodedPath, isBelow } from '../../fields/request-target.ts'
import type { PipelineServices, Stage } from './stage.ts'

const STAGES: readonly Stage[] = [
  observe,
  assignRequestId,
  enterTrace,
  applyCors,
  rejectForeignPages,
  rejectServiceWorkers,
  authenticateControl,
  identifyKey,
  limitTogether,
  limitByPlan,
  limitByKey,
  startTimer,
  capture,
  addToResponse,
  encodeAsAsked,
  rejectAnnouncedBody,
  checkExpectation,
  injectFaults,
  answerAsAsked,
  applyRules,
  receiveBody,
  callRoute,
]

/** Runs the pipeline for a request. Never throws; an unexpected failure becomes a 500. */
export function runPipeline(context: RequestContext, services: PipelineServices): void {
  runStages(STAGES, context, services)
}

/** Most requests never leave this loop; a promise is created only if a stage waits. */
export function runStages(
  stages: readonly Stage[],
  context: RequestContext,
  services: PipelineServices,
  first = 0,
): void {
  try {
    for (let index = first; index < stages.length; index++) {
      const outcome = stages[index]!(context, services)
      if (outcome === false) return
      if (outcome !== true) {
        outcome.then(
          continues => continues && runStages(stages, context, services, index + 1),
          error => fail(error, context, services),
        )
        return
      }
    }
  } catch (error) {
    fail(error, context, services)
  }
}

function fail(error: unknown, context: RequestContext, services: PipelineServices): void {
  services.log.error('request failed in the pipeline', { error, request_id: context.requestId, path: context.path })
  if (!context.response.headersSent)
    sendError(context, { status: 500, kind: 'internal', body: internalError(context.requestId) })
}

export function assignRequestId(context: RequestContext, { config }: PipelineServices): boolean {
  const { request } = context
  context.hasDefaultHeaders = true
  context.knownRequestId = sentRequestId(request)
  if (context.knownRequestId === null && config.loadMode) {
    // It is generated if something reads it, such as an error.
    context.isRequestIdGenerated = true
    return true
  }
  const given = request.headers['x-request-id']
  if (given !== context.requestId) {
    context.isRequestIdGenerated = given === undefined || String(given).trim() === ''
    // The route also sees the id as a header, even if svc generated it.
    request.headers['x-request-id'] = context.requestId
    request.rawHeaders.push('X-Request-Id', context.requestId)
  }
  return true
}

function applyCors(context: RequestContext, services: PipelineServices): boolean {
  const { request, response } = context
  const cors = services.browserAccess.guards(context.path) ? services.browserAccess.cors : services.cors
  if (!cors.isOn) return true
  if (context.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined) {
    for (const [name, value] of Object.entries(cors.preflight(request.headers))) response.setHeader(name, value)
    response.setHeader('Content-Length', '0')
    response.writeHead(200)
    response.end()
    return false
  }
  context.allowedOrigin = cors.allowedOrigin(request.headers.origin)
  context.vary = cors.vary
  return true
}

/** While the control plane requires no credential, it rejects web pages of other origins. */
function rejectForeignPages(context: RequestContext, { browserAccess }: PipelineServices): boolean {
  if (!browserAccess.guards(context.path)) return true
  const refusal = browserAccess.check(context)
  if (refusal === null) return true
  sendResponse(context, refusal)
  return false
}

/** A user-supplied script must not become the service worker of all pages of the instance (Service Workers, 4.1). */
function rejectServiceWorkers(context: RequestContext): boolean {
  if (context.request.headers['service-worker'] === undefined || context.description?.serviceWorker === true)
    return true
  sendResponse(context, {
    status: 403,
    body: { error: 'service worker scripts are not served here', path: context.path ?? context.url },
  })
  return false
}

/** Asks plugins what they add to the response, unless it is that of the control plane or of a handshake. */
function addToResponse(context: RequestContext): boolean {
  if (context.generation.responses.isEmpty || context.upgrade !== null) return true
  if (context.path !== null && isBelow(context.path, '/_svc')) return true
  const error = context.generation.responses.read(context)
  if (error === null) return true
  sendResponse(context, { status: error.status, headers: error.headers, body: error.body })
  return false
}

function startTimer(context: RequestContext, { deadlines }: PipelineServices): boolean {
  context.deadlines = deadlines
  deadlines?.add(context)
  return true
}

/** Sends the 503 for a request without response headers within the timeout, in seconds. */
export function timeOut(context: RequestContext, secs: number): void {
  if (context.response.headersSent) return
  replaceWithError(context, { status: 503, kind: 'timeout', body: requestTimeout(secs) }, { Connection: 'close' })
  context.abort('timeout')
}

function rejectAnnouncedBody(context: RequestContext, { config }: PipelineServices): boolean {
  const limit = bodyLimitOf(context, config.bodyLimit)
  const length = announcedLength(context)
  if (length === null || length <= limit || context.upgrade !== null) return true
  rejectBody(context, limit)
  return false
}

function receiveBody(context: RequestContext, { rules }: PipelineServices): true | Promise<boolean> {
  if (context.isBodyRead) return true
  if (context.description?.streamsBody === true && context.stepCall === null) return true
  return readContent(context, rules)
}

export function callRoute(context: RequestContext): boolean {
  const { generation, request, response, upgrade } = context
  if (response.headersSent) return false
  if (context.stepCall !== null) {
    generation.handle(request, response)
    return true
  }
  if (context.route !== null) {
    context.isRouted = true
    if (context.description?.streamsBody === true) context.whenClosed(() => dropUnread(context))
    // Fastify routes by it. The context keeps the target as received.
    if (context.routeTarget !== context.url) rewriteTarget(request, context.routeTarget)
    if (upgrade !== null) generation.upgrade(request, upgrade.socket, upgrade.handOver())
    else generation.handle(request, response)
  } else if (context.path === null) {
    sendResponse(context, { status: 400, body: badRequest('malformed percent-encoding in the request target') })
  } else {
    sendUnrouted(context, context.path)
  }
  return true
}

/**
 * Sends 405 if the path supports other methods, 503 if its plugin waits for the state store, else 404: in the format
 * that a plugin defines for its paths, else in the format of the core.
 */
export function sendUnrouted(context: RequestContext, path: string): void {
  const methods = context.generation.routes.methodsOf(context.routeTarget)
  const form = context.generation.unroutedForm(decodedPath(context.routeTarget) ?? path)
  const asSent = context.url.split('?', 1)[0]!
  if (methods.length > 0 && !methods.includes(context.method)) {
    const body = methodNotAllowed(context.method, asSent, methods)
    sendErrorInForm(context, { status: 405, kind: 'unrouted', body }, form, { Allow: methods.join(', ') })
    return
  }
  const owner = context.generation.absentOwner(context.routedPath ?? path)
  if (owner?.lacksState === true) {
    const code = 'STATE_UNAVAILABLE'
    const failure = { status: 503, kind: 'unavailable', body: stateUnavailable(code) } as const
    return sendErrorInForm(context, failure, form, stateHeaders(code))
  }
  const body =
    owner === null
      ? notFound(context.method, asSent, context.mount === null ? context.generation.familiarPath(path) : null)
      : notFoundOfPlugin(context.method, asSent, owner)
  sendErrorInForm(context, { status: 404, kind: 'unrouted', body }, form)
}
