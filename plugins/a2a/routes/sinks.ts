/** Owns the routes of the webhook sinks: targets for push notifications that anyone can read. */
import { describe, HttpError, type FastifyInstance, type FastifyRequest, type RouteDescription } from 'svc/plugin'
import type { A2a } from '../a2a.ts'
import { isSinkId } from '../push/sink.ts'
import { SINK } from '../replies.ts'

export function registerSinks(app: FastifyInstance, { svc, sinks }: A2a): void {
  app.post(
    '/a2a/webhook-sink/:id',
    describe(describeSink('POST', 'Webhook sink: receive a notification')),
    async request => {
      const id = readSinkId(request)
      return {
        received: true,
        id,
        count: await sinks.receive(id, 'http', request.headers, svc.http.receivedBody(request)),
      }
    },
  )
  app.get(
    '/a2a/webhook-sink/:id',
    describe(describeSink('GET', 'Webhook sink: list received notifications')),
    async request => {
      const id = readSinkId(request)
      const notifications = await sinks.read(id)
      return { id, count: notifications.length, notifications }
    },
  )
  app.delete('/a2a/webhook-sink/:id', describe(describeSink('DELETE', 'Webhook sink: clear')), async request => {
    const id = readSinkId(request)
    return { id, deleted: await sinks.delete(id) }
  })
}

function readSinkId(request: FastifyRequest): string {
  const { id } = request.params as { id: string }
  if (!isSinkId(id))
    throw new HttpError(400, {
      error: 'invalid_sink_id',
      message: 'the sink id must have 1 to 64 characters from A-Z a-z 0-9 . _ -',
    })
  return id
}

function describeSink(method: string, summary: string): RouteDescription {
  const body =
    method === 'POST'
      ? {
          headers: [{ name: 'Content-Type', value: 'application/json' }],
          body: '{"hello":"sink"}',
          bodyType: 'json' as const,
        }
      : {}
  return {
    category: 'A2A Agents',
    summary,
    reply: SINK[method],
    ...(method === 'POST' ? { takes: 'deliveries' as const } : {}),
    parameters: [
      {
        name: 'id',
        in: 'path',
        required: true,
        description: 'Sink id: 1 to 64 characters from A-Za-z0-9._-',
        schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' },
      },
    ],
    responses: { 200: { description: 'The result' }, 400: { description: 'Invalid sink id' } },
    examples: [{ name: 'Demo sink', method, path: '/a2a/webhook-sink/demo', ...body, expectStatus: 200 }],
  }
}
