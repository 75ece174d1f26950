/** Descriptions of the path of a graph for the catalog. */
import type { RouteDescription } from 'svc/plugin'
import { STEP } from '../faults/step.ts'
import type { GraphServer } from '../graph-server.ts'
import { GRAPHQL } from '../replies.ts'
import { selectResponseType, wantsPage } from '../response-type.ts'
import { selectSubprotocol } from './websocket.ts'

const JSON_TYPE = [{ name: 'Content-Type', value: 'application/json' }]

function shared({ graph }: GraphServer) {
  return {
    category: graph.category,
    steps: [STEP],
    reply: GRAPHQL,
    responses: {
      200: {
        description:
          'The request was executed; with application/json, also a request that failed, with the reason in `errors`',
      },
      400: {
        description:
          'The request is malformed; with application/graphql-response+json, also when the document or the variables are invalid',
      },
      405: { description: 'A mutation was sent with GET' },
      415: { description: 'The media type of the body is not supported' },
    },
  } satisfies Partial<RouteDescription>
}

export function postDescription(server: GraphServer): RouteDescription {
  const { path, graph, limits } = server
  return {
    ...shared(server),
    summary: `${graph.title}: run a query or mutation, or a subscription as an event stream`,
    description: `Limits: depth ${limits.depth}, ${limits.complexity} fields, ${limits.aliases} aliases. Supports persisted queries with extensions.persistedQuery, and faults inside the answer with X-Svc-Graphql.`,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          type: 'object',
          required: ['query'],
          properties: {
            query: { type: 'string' },
            variables: { type: 'object' },
            operationName: { type: 'string' },
            extensions: { type: 'object' },
          },
        },
        'application/graphql': { type: 'string' },
      },
    },
    examples: [
      {
        name: 'Query',
        method: 'POST',
        path,
        headers: JSON_TYPE,
        body: JSON.stringify({ query: graph.example }),
        bodyType: 'json',
        expectStatus: 200,
      },
      ...(graph.examples ?? []).map(({ name, headers = [], ...body }) => ({
        name,
        method: 'POST',
        path,
        headers: [...JSON_TYPE, ...headers],
        body: JSON.stringify(body),
        bodyType: 'json' as const,
        expectStatus: 200,
      })),
    ],
  }
}

export function getDescription(server: GraphServer): RouteDescription {
  const { path, graph } = server
  return {
    ...shared(server),
    summary: `${graph.title}: run a query, or open GraphiQL in a browser`,
    description: `Also accepts WebSocket handshakes, as ${path}/ws does.`,
    subprotocol: selectSubprotocol,
    ownPage: ({ headers, url }) => wantsPage(selectResponseType(headers.accept), url.split('?').slice(1).join('?')),
    parameters: [
      {
        name: 'query',
        in: 'query',
        description: 'GraphQL document; mutations are rejected with 405',
        schema: { type: 'string' },
      },
      { name: 'operationName', in: 'query', schema: { type: 'string' } },
      { name: 'variables', in: 'query', description: 'JSON object', schema: { type: 'string' } },
      { name: 'extensions', in: 'query', description: 'JSON object', schema: { type: 'string' } },
    ],
    examples: [
      { name: 'Query', path: `${path}?query=${encodeURIComponent(graph.example)}`, expectStatus: 200 },
      { name: 'GraphiQL', path, headers: [{ name: 'Accept', value: 'text/html' }], expectStatus: 200 },
    ],
  }
}
