/** Descriptions of the routes of the plugin `query`. */
import type { RouteDescription, RouteExample, RouteParameter } from 'svc/plugin'
import { INTEGER, jsonReply, list, object, RECORD, TEXT } from 'svc/toolkit'

/** Seconds for which a query, and so its result, is kept. */
export const SECONDS_KEPT = 60
/** Largest `max-age` (RFC 9111, 1.2.2: larger values may be treated so). */
export const MAX_TTL = 2_147_483_648
/** Bytes of a query. */
export const BODY_LIMIT = 16_384

const category = 'Response Shaping'
const FOUND = jsonReply(object({ count: INTEGER, items: list(RECORD) }), 'QueryResult')
const JSON_EXAMPLE = { from: 'products', where: { category: 'Kitchen' }, fields: ['id', 'price'], limit: 10 }

const ttl: RouteParameter = {
  name: 'ttl',
  in: 'query',
  description: '`max-age` of the response, in seconds',
  schema: { type: 'integer', minimum: 0, maximum: MAX_TTL, default: 60 },
}
const id: RouteParameter = { name: 'id', in: 'path', required: true, schema: TEXT }

const QUERY_SCHEMA = object(
  { from: { type: 'string', enum: ['products', 'users', 'orders'] } },
  { where: RECORD, fields: list(TEXT), limit: { type: 'integer', minimum: 1, maximum: 100, default: 100 } },
)
const requestBody: RouteDescription['requestBody'] = {
  description: 'Values that fields must have, the fields of the items, and how many items at most',
  required: true,
  content: { 'application/json': QUERY_SCHEMA, 'application/x-www-form-urlencoded': RECORD },
}
const REFUSALS = {
  400: { description: 'The request has no `Content-Type`, or a parameter is invalid' },
  415: { description: 'The content has another type; `Accept-Query` lists those that are supported' },
  422: { description: 'The content is not a query' },
}

function example(name: string, path: string, expectStatus = 200): RouteExample {
  const headers = [{ name: 'Content-Type', value: 'application/json' }]
  return { name, method: 'QUERY', path, headers, body: JSON.stringify(JSON_EXAMPLE), bodyType: 'json', expectStatus }
}

export const describeQueries: RouteDescription = {
  category,
  summary: 'Query the demo data',
  reply: FOUND,
  description:
    'A safe request with content (RFC 10008). `Content-Location` is a URL of this result, `Location` one that runs the query again; both are kept for 60 s. Equal queries have equal ids.',
  parameters: [
    ttl,
    {
      name: 'redirect',
      in: 'query',
      description: 'Redirects instead: 303 to the result, 307 and 308 to `/query/again`, which takes the same QUERY',
      schema: { type: 'integer', enum: [303, 307, 308] },
    },
  ],
  requestBody,
  responses: {
    200: { description: 'What the query finds' },
    303: { description: 'To the result' },
    304: { description: 'Not modified' },
    307: { description: 'To `/query/again`' },
    308: { description: 'To `/query/again`' },
    ...REFUSALS,
  },
  examples: [
    example('Kitchen products', '/query'),
    {
      name: 'As a form',
      method: 'QUERY',
      path: '/query',
      headers: [{ name: 'Content-Type', value: 'application/x-www-form-urlencoded' }],
      body: 'from=products&where.category=Kitchen&fields=id,price&limit=10',
      bodyType: 'form',
      expectStatus: 200,
    },
    example('Redirect to the result', '/query?redirect=303', 303),
  ],
}

export const AGAIN: RouteDescription = {
  category,
  summary: 'Answer a redirected QUERY',
  reply: FOUND,
  description: 'Where `/query?redirect=307` and `308` lead: the same request gets the same response as at `/query`.',
  parameters: [ttl],
  requestBody,
  responses: { 200: { description: 'What the query finds' }, 304: { description: 'Not modified' }, ...REFUSALS },
  examples: [example('Kitchen products', '/query/again')],
}

export const DESCRIBED: Omit<RouteDescription, 'examples'> = {
  category,
  summary: 'Show what can be queried',
  reply: jsonReply(object({ method: TEXT, accept_query: list(TEXT), from: RECORD, example: RECORD }), 'QueryHelp'),
}

export const OPTIONS: Omit<RouteDescription, 'examples'> = {
  category,
  summary: 'Show the methods and media types of queries',
  responses: { 204: { description: '`Allow` and `Accept-Query`' } },
}

export const RESULT: RouteDescription = {
  category,
  summary: 'Fetch the result of a query',
  reply: FOUND,
  parameters: [id, ttl],
  responses: {
    200: { description: 'The result' },
    304: { description: 'Not modified' },
    404: { description: 'No query has the id, or it is over' },
  },
  examples: [{ name: 'An id that is not kept', path: '/query/results/0', expectStatus: 404 }],
}

export const RERUN: RouteDescription = {
  ...RESULT,
  summary: 'Run a query again',
  examples: [{ name: 'An id that is not kept', path: '/query/0', expectStatus: 404 }],
}
