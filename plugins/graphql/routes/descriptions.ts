/** Route descriptions of `/graphql` for the catalog. */
import type { RouteDescription } from 'svc/plugin'
import { selectResponseType, wantsPage } from '../response-type.ts'
import { selectSubprotocol } from './websocket.ts'
import { GRAPHQL } from '../replies.ts'

const json = [{ name: 'Content-Type', value: 'application/json' }]

const shared = {
  category: 'GraphQL',
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

export const postDescription: RouteDescription = {
  ...shared,
  summary: 'Run a query or mutation, or a subscription as an event stream',
  reply: GRAPHQL,
  description: 'Limits: depth 10, 500 fields, 30 aliases. Supports persisted queries with extensions.persistedQuery.',
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
      path: '/graphql',
      headers: json,
      body: '{"query":"{ users(limit: 2) { id name orders { id total } } }"}',
      bodyType: 'json',
      expectStatus: 200,
    },
    {
      name: 'Mutation with variables',
      method: 'POST',
      path: '/graphql',
      headers: json,
      body: '{"query":"mutation($input: CreateUserInput!) { createUser(input: $input) { id role } }","variables":{"input":{"name":"Dana","email":"dana@example.com"}}}',
      bodyType: 'json',
      expectStatus: 200,
    },
    {
      name: 'Subscription as an event stream',
      method: 'POST',
      path: '/graphql',
      headers: [...json, { name: 'Accept', value: 'text/event-stream' }],
      body: '{"query":"subscription { ticker(count: 3) { sequence timestamp } }"}',
      bodyType: 'json',
      expectStatus: 200,
    },
  ],
}

export const getDescription: RouteDescription = {
  ...shared,
  summary: 'Run a query, or open GraphiQL in a browser',
  reply: GRAPHQL,
  description: 'Also accepts WebSocket handshakes, as /graphql/ws does.',
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
    { name: 'Query', path: '/graphql?query=%7Bproduct(id%3A%22p1%22)%7Bname%20price%7D%7D', expectStatus: 200 },
    { name: 'GraphiQL', path: '/graphql', headers: [{ name: 'Accept', value: 'text/html' }], expectStatus: 200 },
  ],
}
