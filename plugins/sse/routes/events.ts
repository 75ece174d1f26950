/** `GET /sse`: numbered events. */
import { describe, readQuery, type FastifyInstance, type RouteDescription, type Svc } from 'svc/plugin'
import { lastEventIdOf, parseInteger } from 'svc/toolkit'
import { lifetimeOf, numberedEvent, readNumberedEvents } from '../numbered-events.ts'
import { pace } from '../pace.ts'

const events: RouteDescription = {
  category: 'Streaming (SSE)',
  summary: 'Stream numbered events',
  description:
    'Resumes after `Last-Event-ID`. A client that has received all events gets 204, which stops an `EventSource` from reconnecting.',
  protocol: 'sse',
  parameters: [
    {
      name: 'count',
      in: 'query',
      description: 'Number of events; at most 1000 (100 on public instances)',
      schema: { type: 'integer', minimum: 0, maximum: 1000, default: 10 },
    },
    {
      name: 'interval_ms',
      in: 'query',
      description: 'Milliseconds between events; at most 60000 (10000 on public instances)',
      schema: { type: 'integer', minimum: 0, maximum: 60_000, default: 1000 },
    },
    {
      name: 'event',
      in: 'query',
      description: 'Name of the events',
      schema: { type: 'string', pattern: '^[A-Za-z0-9_.:-]{1,64}$' },
    },
    {
      name: 'retry',
      in: 'query',
      description: 'Reconnection time in milliseconds, sent with the first event',
      schema: { type: 'integer', minimum: 0 },
    },
    { name: 'mode', in: 'query', schema: { type: 'string', enum: ['json', 'text'], default: 'json' } },
    {
      name: 'heartbeat_ms',
      in: 'query',
      description: 'Milliseconds without an event before a comment is sent; 0 disables heartbeats',
      schema: { type: 'integer', minimum: 0, default: 15_000 },
    },
    {
      name: 'last_event_id',
      in: 'query',
      description: 'Same as the header `Last-Event-ID`; also `lastEventId`',
      schema: { type: 'integer', minimum: 0 },
    },
    {
      name: 'Last-Event-ID',
      in: 'header',
      description: 'ID of the last event that the client received',
      schema: { type: 'integer', minimum: 0 },
    },
  ],
  responses: {
    200: { description: 'The events', content: { 'text/event-stream': {} } },
    204: { description: 'There are no events after that ID' },
    400: { description: 'A parameter is out of range' },
  },
  examples: [
    { name: 'Five quick ones', path: '/sse?count=5&interval_ms=200', expectStatus: 200 },
    { name: 'Named, as text', path: '/sse?count=3&event=tick&mode=text&interval_ms=100', expectStatus: 200 },
    {
      name: 'Resumed',
      path: '/sse?count=5&interval_ms=0',
      headers: [{ name: 'Last-Event-ID', value: '3' }],
      expectStatus: 200,
    },
    { name: 'Finished', path: '/sse?count=5&last_event_id=5', expectStatus: 204 },
  ],
}

export function registerEvents(app: FastifyInstance, svc: Svc): void {
  const lifetimeMs = lifetimeOf(svc.config)

  app.get('/sse', describe(events), (request, reply) => {
    const query = readQuery(request)
    const options = readNumberedEvents(query, svc.config)
    const { count, intervalMs, heartbeatMs } = options
    // 0 if it is absent or not an integer.
    const lastId = parseInteger(lastEventIdOf(request)) ?? 0
    if (count > 0 && lastId >= count) return reply.code(204).send()

    const stream = svc.streams.sse(request, reply, { heartbeatMs, lifetimeMs })
    if (stream === null) return
    if (count === 0) return stream.end()
    let id = lastId
    pace(stream, intervalMs, () => {
      id++
      stream.send(numberedEvent(id, options, id === lastId + 1))
      return id < count
    })
  })
}
