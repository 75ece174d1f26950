/** Sends a response of Yoga: text as a whole, event streams as they arrive. */
import type { FastifyReply, FastifyRequest, Svc } from 'svc/plugin'

export async function sendResponse(
  svc: Svc,
  request: FastifyRequest,
  reply: FastifyReply,
  response: Response,
): Promise<FastifyReply> {
  const contentType = response.headers.get('content-type') ?? ''
  if (contentType === 'text/event-stream') return streamEvents(svc, request, reply, response.body!)
  const allow = response.headers.get('allow')
  if (allow !== null) reply.header('Allow', allow)
  return reply
    .code(response.status)
    .type(contentType)
    .send(await response.text())
}

/**
 * Sends the events through the stream registry, which limits them and ends them on shutdown. When the stream ends, the
 * body is cancelled, which ends the subscription at once; a reader would first wait for the next event.
 */
async function streamEvents(
  svc: Svc,
  request: FastifyRequest,
  reply: FastifyReply,
  events: ReadableStream<Uint8Array>,
): Promise<FastifyReply> {
  const stream = svc.streams.sse(request, reply)
  if (stream === null || stream.closed) {
    await events.cancel()
    return reply
  }
  stream.signal.addEventListener('abort', () => void events.cancel(), { once: true })
  try {
    for await (const bytes of events)
      if (!stream.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))) await stream.ready()
  } catch (error) {
    if (!stream.closed) throw error
  }
  stream.end()
  return reply
}
