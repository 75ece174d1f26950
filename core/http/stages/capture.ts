/** The stage at which a request becomes one for the inspector: what got this far is shown, whatever it ends as. */
import type { Inspector } from '../../inspector/inspector.ts'
import type { RequestContext } from '../context.ts'
import { originForm } from '../path.ts'
import type { PipelineServices } from '../stage.ts'
import { headlessStatus } from './observation.ts'

/** Stores the request when its head goes out, or when its client has left before. */
export function capture(context: RequestContext, { inspector }: PipelineServices): boolean {
  if (!inspector.captures(context.path, context.session.header)) return true
  // Functions made per request stay nameless: the loader gives a name to each that has one, which is felt here.
  context.onHead.push(status => store(context, inspector, status))
  context.onClose.push(() => {
    if (context.status === 0) store(context, inspector, headlessStatus(context))
  })
  return true
}

function store(context: RequestContext, inspector: Inspector, status: number): void {
  if (context.isRefused) return
  const { request } = context
  inspector.capture({
    requestId: context.requestId,
    arrivedAt: performance.timeOrigin + context.startedAt,
    method: context.method,
    uri: originForm(context.url) ?? context.url,
    httpVersion: request.httpVersion,
    rawHeaders: request.rawHeaders,
    headers: request.headers,
    clientIp: context.clientIp,
    session: context.session.header,
    body: context.body,
    status,
    latencyMs: context.latencyMs,
    trace: context.trace,
  })
}
