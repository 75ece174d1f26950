/** The stage at which a request becomes one for the inspector: what got this far is shown, whatever it ends as. */
import type { RequestContext } from '../context.ts'
import { originForm } from '../path.ts'
import type { PipelineServices } from '../pipeline.ts'
import { headlessStatus } from './observation.ts'

/** Stores the request when its head goes out, or when its client has left before. */
export function capture(context: RequestContext, { inspector }: PipelineServices): boolean {
  if (!inspector.captures(context.path, context.session.header)) return true
  const store = (status: number): void => {
    if (context.isRefused) return
    inspector.capture({
      requestId: context.requestId,
      arrivedAt: performance.timeOrigin + context.startedAt,
      method: context.method,
      uri: originForm(context.url) ?? context.url,
      httpVersion: context.request.httpVersion,
      rawHeaders: context.request.rawHeaders,
      headers: context.request.headers,
      clientIp: context.clientIp,
      session: context.session.header,
      body: context.body,
      status,
      latencyMs: context.latencyMs,
    })
  }
  context.onHead.push(store)
  context.onClose.push(() => {
    if (context.status === 0) store(headlessStatus(context))
  })
  return true
}
