/** The stage that marks a request for the inspector: every request that gets this far is captured, however it ends. */
import type { Inspector } from '../../../inspector/inspector.ts'
import type { RequestContext } from '../../request/context.ts'
import { receivedBody } from '../streamed-body.ts'
import type { CompletionReader } from '../completion-batch.ts'
import { ResponseCopy } from '../../../inspector/response-copy.ts'
import { copyText } from '../../../collections/text-memory.ts'
import { originForm } from '../../../fields/request-target.ts'
import type { PipelineServices } from '../stage.ts'
import { statusOf } from './observation.ts'

/**
 * Marks the request for the inspector, which is notified when the response headers are sent or the client has
 * disconnected before.
 */
export function capture(context: RequestContext, { inspector }: PipelineServices): boolean {
  context.isCaptured =
    inspector.captures(context.path, context.session.header) &&
    !context.generation.exemptions.has('inspector', context.routedPath)
  if (context.isCaptured) context.copy = new ResponseCopy()
  return true
}

/** The target without scheme and authority, copied, because they may be most of an absolute target. */
function targetOf(url: string): string {
  const target = originForm(url) ?? url
  return target === url ? url : copyText(target)
}

/** Passes the requests of the batch to the inspector. */
export function recordRequests(inspector: Inspector): CompletionReader {
  return context => {
    if (!context.isCaptured || context.isRefused) return
    const { request } = context
    const captured = inspector.capture({
      requestId: context.requestId,
      isRequestIdGenerated: context.isRequestIdGenerated,
      arrivedAt: performance.timeOrigin + context.startedAt,
      method: context.method,
      uri: targetOf(context.url),
      ...(context.routeTarget === context.url ? {} : { served: context.routeTarget }),
      httpVersion: request.httpVersion,
      rawHeaders: request.rawHeaders,
      headers: request.headers,
      clientIp: context.clientIp,
      scheme: context.scheme,
      listener: context.listener.name,
      ...(context.proxyHeader !== null && { proxy: context.proxyHeader }),
      session: context.service?.checked.session ?? context.session.header,
      sessionFrom: context.service?.checked.sessionFrom ?? context.session.from,
      service: context.service,
      tags: context.tags,
      notified: context.notified?.list ?? [],
      body: receivedBody(context),
      decodedBody: context.decodedBody,
      status: statusOf(context),
      latencyMs: context.latencyMs,
      trace: context.trace,
      fault: context.fault,
      faultSource: context.faultSource,
      faultOrigin: context.faultOrigin,
      abort: context.abortKind,
      failure: context.failure,
      rule: context.rule,
      route: context.calledRoute,
      plugin: context.calledPlugin,
      response: context,
    })
    void context.notified?.done.then(() => inspector.noteNotified(captured))
    // Most responses have ended by now.
    if (captured.response.ended !== 'open') return
    context.showNotes = () => inspector.note(captured, context)
    context.whenClosed(() => {
      context.showNotes = null
      inspector.end(captured, context)
    })
  }
}
