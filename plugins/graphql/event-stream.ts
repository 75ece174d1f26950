/** Owns answers as an event stream: the distinct connections mode of GraphQL over server-sent events. */
import type { ExecutionResult } from 'graphql'
import type { FastifyReply, FastifyRequest, SseStream, Svc } from 'svc/plugin'
import type { Engine, PreparedOperation } from './engine.ts'

const HEARTBEAT_MS = 12_000

/** Sends each result as `next`, then `complete`; a refused document is one `next` with its errors. */
export async function streamEvents(svc: Svc, request: FastifyRequest, reply: FastifyReply, engine: Engine, { type, problems, args }: PreparedOperation): Promise<FastifyReply> {
  const stream = svc.streams.sse(request, reply, { heartbeatMs: HEARTBEAT_MS, heartbeatText: '' })
  if (stream === null || stream.closed) return reply
  const outcome = args === null ? { errors: problems } : type === 'subscription' ? await engine.subscribe(args) : await engine.execute(args)
  if (Symbol.asyncIterator in outcome) await pump(stream, outcome)
  else stream.send({ event: 'next', data: outcome })
  stream.send({ event: 'complete', data: '' })
  stream.end()
  return reply
}

async function pump(stream: SseStream, results: AsyncIterableIterator<ExecutionResult>): Promise<void> {
  const leave = (): void => void results.return?.()
  stream.signal.addEventListener('abort', leave, { once: true })
  if (stream.closed) leave()
  for await (const result of results) if (!stream.send({ event: 'next', data: result })) await stream.ready()
}
