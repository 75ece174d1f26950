/** Owns sending the result of an operation, as JSON or as an event stream. */
import type { FastifyReply, FastifyRequest, SvcStreams } from 'svc/plugin'
import { KEEP_ALIVE_MS, MAX_UNSENT_BYTES, STREAM_MS } from './bounds.ts'
import type { Task } from './task.ts'
import type { Wire } from './wire/wire.ts'

/** Sends JSON with exactly this media type, without a charset. */
export function sendJson(reply: FastifyReply, value: unknown, mediaType = 'application/json'): FastifyReply {
  return reply.header('Content-Type', mediaType).send(Buffer.from(JSON.stringify(value)))
}

export interface TaskStream {
  first: unknown
  /** Null: the stream has only the first event. */
  task: Task | null
  wire: Wire
  /** Puts an event into the envelope of the binding. */
  envelope(event: unknown): unknown
}

/**
 * Streams a task until it reaches a terminal or interrupted state. Must be called in the turn of the event loop in which
 * `first` was rendered, so that no update is lost.
 */
export function sendStream(
  streams: SvcStreams,
  request: FastifyRequest,
  reply: FastifyReply,
  { first, task, wire, envelope }: TaskStream,
): void {
  const stream = streams.sse(request, reply, {
    heartbeatMs: KEEP_ALIVE_MS,
    heartbeatText: 'keep-alive',
    lifetimeMs: STREAM_MS,
  })
  if (!stream) return
  const send = (event: unknown) => void stream.send({ data: JSON.stringify(envelope(event)) })
  send(first)
  if (!task) return stream.end()
  const unsubscribe = task.subscribe({
    update: update => {
      send(wire.update(task, update))
      const isLast = update.kind === 'status' && update.isFinal
      if (isLast || stream.pendingBytes > MAX_UNSENT_BYTES) stream.end()
    },
    closed: () => stream.end(),
  })
  void stream.over.then(unsubscribe)
}
