/** Owns sending the result of an operation, as JSON or as an event stream. */
import type { FastifyReply, FastifyRequest } from 'svc/plugin'
import type { A2a } from '../a2a.ts'
import { KEEP_ALIVE_MS, MAX_UNSENT_BYTES, STREAM_MS } from '../bounds.ts'
import type { EventStream } from '../calls/call.ts'
import type { WireKind } from '../protocol/fault-kinds.ts'

const FLUSH_MS = 100

/** Sends JSON with exactly this media type, without a charset. */
export function sendJson(reply: FastifyReply, value: unknown, mediaType = 'application/json'): FastifyReply {
  return reply.header('Content-Type', mediaType).send(Buffer.from(JSON.stringify(value)))
}

/** Sends a result; with the fault `bad-json`, the first half of it. */
export function sendResult(
  reply: FastifyReply,
  result: unknown,
  { wireFault, mediaType = 'application/json' }: { wireFault: WireKind | null; mediaType?: string },
): FastifyReply {
  if (wireFault !== 'bad-json') return sendJson(reply, result, mediaType)
  return reply.header('Content-Type', mediaType).send(Buffer.from(firstHalf(JSON.stringify(result))))
}

export interface TaskStream {
  open: EventStream
  wireFault: WireKind | null
  /** Puts an event into the envelope of the binding. */
  envelope(event: unknown): unknown
}

/** Sends the events of a stream. A client that reads too slowly gets only the first ones. */
export function sendStream(
  a2a: Pick<A2a, 'svc' | 'bounds'>,
  request: FastifyRequest,
  reply: FastifyReply,
  { open, wireFault, envelope }: TaskStream,
): void {
  const { streams, http } = a2a.svc
  const stream = streams.sse(request, reply, {
    heartbeatMs: KEEP_ALIVE_MS,
    heartbeatText: 'keep-alive',
    lifetimeMs: STREAM_MS,
  })
  if (!stream) return
  let maxUnsent = MAX_UNSENT_BYTES
  const close = open({
    event({ body, isHuge = false }) {
      if (isHuge) maxUnsent += a2a.bounds.hugeArtifactBytes
      const text = JSON.stringify(envelope(body))
      if (wireFault === 'bad-sse') return stream.end(`data: ${firstHalf(text)}`)
      stream.send({ data: wireFault === 'bad-json' ? firstHalf(text) : text })
      if (stream.pendingBytes > maxUnsent) stream.end()
    },
    end: () => stream.end(),
    cut: () => {
      // The events have to be on their way before the connection breaks.
      void http.delay(request, FLUSH_MS).then(() => http.abortResponse(request, reply))
    },
  })
  void stream.over.then(close)
}

function firstHalf(text: string): string {
  return text.slice(0, Math.floor(text.length / 2))
}
