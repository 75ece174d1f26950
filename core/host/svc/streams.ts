/** Implements `svc.streams` for the plugins of one generation. */
import type { OutgoingHttpHeaders } from 'node:http'
import type { BodyStream, BodyStreamOptions, FastifyReply, FastifyRequest, SvcStreams } from '../../contract/plugin.ts'
import { openBodyStream, type StreamOpening } from '../../http/streams/body-stream.ts'
import { contextOf } from '../../http/request/context.ts'
import { openSse } from '../../http/streams/sse.ts'
import { holdUnsent } from '../../http/response/unsent-response.ts'
import type { StreamPlan } from '../../http/streams/stream-plan.ts'
import type { StreamRegistry } from '../../http/streams/stream-registry.ts'

export function createSvcStreams(registry: StreamRegistry, generation: number, plan: StreamPlan): SvcStreams {
  function opening<Options extends BodyStreamOptions>(
    request: FastifyRequest,
    reply: FastifyReply,
    options: Options | undefined,
    takesSlot: boolean,
  ): StreamOpening<Options> {
    const context = contextOf(request)
    context.isInRegistry = takesSlot
    context.isFeed = options?.isFeed === true
    context.streaming = options?.isPassedOn === true ? 'passed' : 'own'
    reply.hijack()
    return {
      response: context.response,
      registry,
      generation,
      options: { status: reply.statusCode, ...options } as Options,
      headers: reply.getHeaders() as OutgoingHttpHeaders,
      headOnly: context.method === 'HEAD',
      ...(takesSlot ? { admit: () => plan.admit(context), planLifetimeMs: plan.lifetimeMs } : {}),
    }
  }
  /** Returns null if a response has already been sent, for example because of a timeout. */
  function open<Stream extends BodyStream, Options extends BodyStreamOptions>(
    opener: (opening: StreamOpening<Options>) => Stream | null,
    start: StreamOpening<Options>,
  ): Stream | null {
    return start.response.headersSent ? null : opener(start)
  }
  return {
    sse: (request, reply, options) => open(openSse, opening(request, reply, options, true)),
    body: (request, reply, options) => open(openBodyStream, opening(request, reply, options, options?.isFeed === true)),
    websocket(request, _socket, options = {}) {
      contextOf(request).webSocket?.limit(options)
    },
    hold: (request, bytes) => holdUnsent(contextOf(request), bytes),
  }
}
