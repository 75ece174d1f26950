/** The stage at which a request becomes one for the inspector: what got this far is shown, whatever it ends as. */
import type { Inspector } from '../../inspector/inspector.ts'
import type { RequestContext, RequestFollower } from '../context.ts'
import { originForm } from '../path.ts'
import type { PipelineServices } from '../stage.ts'
import { headlessStatus } from './observation.ts'

/** Stores the request when its head goes out, or when its client has left before. */
export function capture(context: RequestContext, { inspector, recorder }: PipelineServices): boolean {
  if (inspector.captures(context.path, context.session.header)) context.recorder = recorder
  return true
}

/** Hands requests to the inspector. */
export class Recorder implements RequestFollower {
  readonly #inspector: Inspector

  constructor(inspector: Inspector) {
    this.#inspector = inspector
  }

  onHead(context: RequestContext, status: number): void {
    if (!context.isRefused) this.#store(context, status)
  }

  onClose(context: RequestContext): void {
    if (context.status === 0 && !context.isRefused) this.#store(context, headlessStatus(context))
  }

  #store(context: RequestContext, status: number): void {
    const { request } = context
    this.#inspector.capture({
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
}
