/** `/echo` and `/anything`, with and without a path below, for every method. */
import { describe, type FastifyInstance, type RouteDescription, type Svc } from 'svc/plugin'
import type { Recorder } from './types.ts'
import { ECHO } from './replies.ts'

const shared = {
  category: 'Echo & Reflection',
  negotiated: true,
  takes: 'deliveries',
  responses: { 200: { description: 'The echo record: method, URL, headers, query and body' } },
} satisfies Partial<RouteDescription>

const json = [{ name: 'Content-Type', value: 'application/json' }]

function describeEcho(path: string): RouteDescription {
  return {
    ...shared,
    summary: 'Echo the request',
    reply: ECHO,
    description: 'The body is echoed as received: one with a `Content-Encoding` is not decoded.',
    examples: [
      { name: 'Query', path: `${path}?x=1&x=2`, expectStatus: 200 },
      {
        name: 'JSON body',
        method: 'POST',
        path,
        headers: json,
        body: '{"hello":"gateway"}',
        bodyType: 'json',
        expectStatus: 200,
      },
      { name: 'Failing sometimes', path, headers: [{ name: 'X-Svc-Fail', value: '503:20' }], expectStatus: null },
      {
        name: 'Cut off within the body',
        path,
        headers: [{ name: 'X-Svc-Abort', value: 'truncate' }],
        expectStatus: 200,
      },
    ],
  }
}

function describeBelow(path: string): RouteDescription {
  return {
    ...shared,
    summary: 'Echo a request to any path below',
    reply: ECHO,
    parameters: [{ name: 'path', in: 'path', description: 'Any path', schema: { type: 'string' } }],
    examples: [
      {
        name: 'Sub path',
        method: 'PUT',
        path: `${path}/orders/7`,
        headers: [{ name: 'Content-Type', value: 'text/plain' }],
        body: 'as is',
        expectStatus: 200,
      },
    ],
  }
}

export function registerRoutes(app: FastifyInstance, svc: Svc, record: Recorder): void {
  for (const path of ['/echo', '/anything']) {
    app.all(path, describe(describeEcho(path)), (request, reply) => svc.http.negotiate(request, reply, record(request)))
    app.all(`${path}/*`, describe(describeBelow(path)), (request, reply) =>
      svc.http.negotiate(request, reply, record(request)),
    )
  }
}
