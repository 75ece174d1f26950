/** Owns sending the result of an operation, as JSON or as an event stream. */
import type { FastifyReply, FastifyRequest } from 'svc/plugin'
import type { A2a } from './a2a.ts'
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

/** Streams the updates after the given state of a task, until it reaches a terminal or interrupted state. */
export function sendStream(
  { svc: { streams }, tasks }: Pick<A2a, 'svc' | 'tasks'>,
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
  const unfollow = tasks.follow(task, {
    update: update => {
      send(wire.update(task, update))
      const isLast = update.kind === 'status' && update.isFinal
      if (isLast || stream.pendingBytes > MAX_UNSENT_BYTES) stream.end()
    },
    closed: () => stream.end(),
  })
  void stream.over.then(unfollow)
}
