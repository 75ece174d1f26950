/** Implements `svc.http` with the context of the request. */
import type { ServerResponse } from 'node:http'
import { constants, type Http2ServerResponse } from 'node:http2'
import { negotiateType } from '../../fields/accept.ts'
import { ALL_SCOPES } from '../../http/access/scopes.ts'
import type { AdminGuard } from '../../http/access/admin-guard.ts'
import type { BrowserAccess, BrowserRefusal } from '../../http/access/browser-access.ts'
import { type InProcessCall, type InProcessResponse, type SvcHttp, HttpError } from '../../contract/plugin.ts'
import type { Config } from '../../config/variables.ts'
import { bodyLimitOf } from '../../http/request/body.ts'
import { contextOf, type RequestContext } from '../../http/request/context.ts'
import { contentForRoute } from '../../http/request/decoded-body.ts'
import { receivedBody, streamBody } from '../../http/pipeline/streamed-body.ts'
import { breakConnection } from '../../http/response/connection-faults.ts'
import { negotiate } from '../../http/response/negotiation.ts'
import { sendUnrouted } from '../../http/pipeline/pipeline.ts'
import type { RuleServices } from '../../http/pipeline/stage.ts'
import { answerAs } from '../../http/pipeline/rules/answering.ts'
import { encodeInstead } from '../../http/pipeline/rules/encoding.ts'
import { expectationFailureOf } from '../../http/pipeline/stages/expectation.ts'
import { applyRulesInRoute, applyRulesToMessage, closestRule } from '../../http/pipeline/stages/rules.ts'
import { takeSessionPrefix } from '../../fields/session-prefix.ts'
import { hasPassed, viaName } from '../../fields/via.ts'
import { sessionInHeaders } from '../../sessions.ts'
import { printTraceParent } from '../../tracing/trace-context.ts'
import { sendInterim } from '../../http/node-internals/interim-response.ts'
import { listHosts, type HostListFacts } from '../../http/routes/host-list.ts'
import { waitFor } from '../../http/request/delay.ts'

export interface SvcHttpServices {
  config: Config
  browserAccess: BrowserAccess
  guard: AdminGuard
  rules: RuleServices
  /** Bound ports; null for a listener that did not start. */
  ports(): HostListFacts['ports']
  /** Runs a route without a connection. */
  call(caller: RequestContext | null, call: InProcessCall): Promise<InProcessResponse>
}

export function createSvcHttp({ browserAccess, call, config, guard, rules, ports }: SvcHttpServices): SvcHttp {
  const isAdmin = (context: RequestContext): boolean =>
    context.controlAdmin || guard.isAdminToken(context.request.headers)
  const ownName = viaName(config.instanceId)
  return {
    requestId: request => contextOf(request).requestId,
    isRequestIdGenerated: request => contextOf(request).isRequestIdGenerated,
    traceHeaders(request): Record<string, string> {
      const { trace } = contextOf(request)
      if (trace === null) return {}
      const traceparent = printTraceParent(trace)
      return trace.state === null ? { traceparent } : { traceparent, tracestate: trace.state }
    },
    span: request => contextOf(request).span,
    body: request => contentForRoute(contextOf(request)),
    receivedBody: request => receivedBody(contextOf(request)),
    bodyStream(request) {
      const context = contextOf(request)
      return streamBody(context, bodyLimitOf(context, config.bodyLimit))
    },
    receivedHeaders: request => {
      const { receivedHeaderCount, request: raw } = contextOf(request)
      return raw.rawHeaders.slice(0, receivedHeaderCount)
    },
    target: request => contextOf(request).url,
    session: request => contextOf(request).session,
    clientIp: request => contextOf(request).clientIp,
    origin: request => contextOf(request).origin,
    baseUrl: request => contextOf(request).baseUrl,
    url: (request, path) => contextOf(request).urlFor(path),
    path: (request, path) => contextOf(request).pathFor(path),
    httpsUrl(request, path) {
      const context = contextOf(request)
      const { host, scheme } = context.origin
      if (scheme === 'https') return context.urlFor(path)
      const port = ports().https ?? 443
      return `https://${host.includes(':') ? `[${host}]` : host}${port === 443 ? '' : `:${port}`}${context.pathFor(path)}`
    },
    hosts(request, mount, path = '/') {
      const { generation, request: raw } = contextOf(request)
      const entries = generation.hosts.entries.filter(entry => mount === null || entry.mount === mount)
      return listHosts(entries, path, { localAddress: raw.socket.localAddress ?? '', ports: ports() })
    },
    signal: request => contextOf(request).signal,
    isAdmin: request => isAdmin(contextOf(request)),
    guardAdmin(request) {
      const context = contextOf(request)
      refuseNobody(context)
      refuseOwn(context, ownName)
      refuseForeign(context, browserAccess.check(context))
      const refusal = guard.check(context.request.headers, context.controlAdmin)
      if (refusal !== null) throw new HttpError(refusal.status, refusal.body, refusal.headers)
    },
    guardBrowser(request) {
      const context = contextOf(request)
      refuseNobody(context)
      refuseOwn(context, ownName)
      refuseForeign(context, browserAccess.checkPage(context))
    },
    // What was sent may be sent back, and as much again as any answer may have: escapes multiply.
    negotiate: (request, reply, value) =>
      negotiate(request, reply, value, config.budgets.outputBytes + contextOf(request).body.length),
    negotiatedType: request => negotiateType(request.headers.accept),
    notFound(request, reply) {
      const context = contextOf(request)
      reply.hijack()
      sendUnrouted(context, context.path ?? context.url)
      return reply
    },
    selectDescription(request, description) {
      contextOf(request).description = description
    },
    markFault(request, _reply, kind, source = kind, origin) {
      contextOf(request).injects(kind, source, origin)
    },
    applyRules(request, reply, facts) {
      const applied = applyRulesInRoute(contextOf(request), rules, facts)
      return (
        applied &&
        applied.then(async outcome => {
          const context = contextOf(request)
          if (context.stepCall !== null) {
            await context.stepCall(request, reply)
            return { kind: 'answered' as const }
          }
          if (outcome.kind === 'answered') reply.hijack()
          return outcome
        })
      )
    },
    ruleSteps: request => contextOf(request).ruleSteps,
    applyRulesToMessage: (request, message, facts) => applyRulesToMessage(contextOf(request), rules, message, facts),
    closestRule: (request, facts, message = null) => closestRule(contextOf(request), rules, facts, message),
    encodeResponse: (request, coding, { flushes = true } = {}) => encodeInstead(contextOf(request), coding, flushes),
    checkExpectation: (request, conditions, message = null) =>
      expectationFailureOf(conditions, contextOf(request), rules, message),
    async answer(request, reply, value) {
      const failure = await answerAs(value, contextOf(request), rules)
      if (failure === null) reply.hijack()
      return failure
    },
    listener(request) {
      const { name, kind, port } = contextOf(request).listener
      return { name, kind, port }
    },
    proxyHeader: request => contextOf(request).proxyHeader,
    sendInterim(request, reply, status, headers = []) {
      const raw = reply.raw as ServerResponse | Http2ServerResponse
      if (request.raw.httpVersion !== '1.0' && !raw.headersSent) sendInterim(raw, status, headers)
    },
    sessionIn(request, { url, header }) {
      const { generation } = contextOf(request)
      const prefixed = takeSessionPrefix(url)
      if (prefixed !== null) return { name: prefixed.session, from: 'path', url: prefixed.target }
      const named = sessionInHeaders({
        header,
        extraHeaders: generation.sessionHeaders,
        hasApiKeys: config.shared.enabled,
      })
      return { name: named?.name ?? null, from: named?.from ?? null, url }
    },
    breakConnection: (request, kind) => breakConnection(contextOf(request), kind, 100),
    abortResponse(request, reply) {
      contextOf(request).breakOff()
      const raw = reply.raw as ServerResponse | Http2ServerResponse
      if ('stream' in raw) raw.stream.close(constants.NGHTTP2_INTERNAL_ERROR)
      else raw.destroy()
    },
    ignoreHeader(request, name, expected) {
      contextOf(request).ignore(name, expected)
    },
    controlScopes: request => (config.controlAuth === 'open' ? ALL_SCOPES : contextOf(request).controlScopes),
    call: (request, toRoute) => call(request === null ? null : contextOf(request), toRoute),
    delay: (request, ms) => waitFor(contextOf(request), Math.min(ms, config.maxDelayMs)),
  }
}

/** A page may have caused the call that it may not send. */
function refuseNobody({ isOfNobody }: RequestContext): void {
  if (isOfNobody) throw new HttpError(403, { error: "refused for a call in nobody's name" })
}

/** Whoever had this instance send the request may not be allowed to send it. */
function refuseOwn({ request }: RequestContext, ownName: string): void {
  if (request.headers.via !== undefined && hasPassed(request.headers.via, ownName))
    throw new HttpError(403, { error: 'refused for a request that this instance has sent' })
}

/** The page may not read the refusal either. */
function refuseForeign(context: RequestContext, refusal: BrowserRefusal | null): void {
  if (refusal === null) return
  context.allowedOrigin = null
  throw new HttpError(refusal.status, refusal.body)
}
