/**
 * `QUERY /query`: a safe, idempotent request with content (RFC 10008). Its results can be cached, fetched by a URL of their own
 * (`Content-Location`), and the query can be run again with GET (`Location`).
 */
import { createHash } from 'node:crypto'
import {
  describe,
  integerParameter,
  invalidParameter,
  quoteInput,
  readQuery,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type Store,
  type Svc,
} from 'svc/plugin'
import { InputProblem, isNotModified } from 'svc/toolkit'
import type { DemoRecords } from '../demo-data/types.ts'
import { type DataQuery, fieldsOf, idOf, run, SOURCES } from './data-query.ts'
import {
  AGAIN,
  BODY_LIMIT,
  DESCRIBED,
  describeQueries,
  MAX_TTL,
  OPTIONS,
  RERUN,
  RESULT,
  SECONDS_KEPT,
} from './descriptions.ts'
import { ACCEPT_QUERY, invalidQuery, missingContentType, unknownQuery, unsupportedQuery } from './errors.ts'
import { readFormQuery, readJsonQuery } from './read-query.ts'

const READERS = new Map([
  ['application/json', readJsonQuery],
  ['application/x-www-form-urlencoded', readFormQuery],
])
const ALLOW = 'QUERY, GET, HEAD, OPTIONS'
const REDIRECTS = new Set(['303', '307', '308'])

type ById = { Params: { id: string } }

export function registerRoutes(app: FastifyInstance, svc: Svc, records: DemoRecords): void {
  const kept: Store<DataQuery> = svc.state('queries', {
    maxCount: svc.config.publicMode ? 100 : 1000,
    ttlMs: SECONDS_KEPT * 1000,
  })

  app.route({
    method: 'QUERY',
    url: '/query',
    bodyLimit: BODY_LIMIT,
    ...describe(describeQueries),
    handler: async (request, reply) => {
      const redirect = readRedirect(request)
      const { query, id } = await keep(kept, readContent(svc, request, records))
      if (redirect === null) return sendResult(svc, request, reply, { id, query, records, isQuery: true })
      const path = redirect === 303 ? `/query/results/${id}` : `/query/again${ttlText(request)}`
      return reply
        .code(redirect)
        .headers({ Location: svc.http.path(request, path), Vary: 'Content-Type', 'Accept-Query': ACCEPT_QUERY })
        .send()
    },
  })

  app.route({
    method: 'QUERY',
    url: '/query/again',
    bodyLimit: BODY_LIMIT,
    ...describe(AGAIN),
    handler: async (request, reply) => {
      const { query, id } = await keep(kept, readContent(svc, request, records))
      return sendResult(svc, request, reply, { id, query, records, isQuery: true })
    },
  })

  for (const url of ['/query', '/query/again']) {
    app.get(url, describe({ ...DESCRIBED, examples: [{ name: 'Fields', path: url, expectStatus: 200 }] }), (_, reply) =>
      reply.headers({ Allow: ALLOW, 'Accept-Query': ACCEPT_QUERY }).send(explain(records)),
    )
    const examples = [{ name: 'Options', method: 'OPTIONS', path: url, expectStatus: 204 }]
    app.options(url, describe({ ...OPTIONS, examples }), (_, reply) =>
      reply.code(204).headers({ Allow: ALLOW, 'Accept-Query': ACCEPT_QUERY }).send(),
    )
  }

  for (const [url, description] of [
    ['/query/results/:id', RESULT],
    ['/query/:id', RERUN],
  ] as const)
    app.get<ById>(url, describe(description), async (request, reply) => {
      const { id } = request.params
      const query = await kept.get(id)
      if (query === undefined) throw unknownQuery(id, SECONDS_KEPT)
      return sendResult(svc, request, reply, { id, query, records, isQuery: false })
    })
}

/** Keeps a query, so that its result can be fetched. */
async function keep(kept: Store<DataQuery>, query: DataQuery): Promise<{ id: string; query: DataQuery }> {
  const id = idOf(query)
  await kept.set(id, query)
  return { id, query }
}

function readRedirect(request: FastifyRequest): number | null {
  const text = readQuery(request).get('redirect')
  if (text === null) return null
  if (!REDIRECTS.has(text))
    throw invalidParameter('redirect', `invalid redirect ${quoteInput(text)} (expected 303, 307 or 308)`)
  return Number(text)
}

function readTtl(request: FastifyRequest): number {
  return integerParameter(readQuery(request), 'ttl', { fallback: 60, max: MAX_TTL })
}

function ttlText(request: FastifyRequest): string {
  return readQuery(request).has('ttl') ? `?ttl=${readTtl(request)}` : ''
}

/** The query in the content of the request; throws 400, 415 or 422 if it has none. */
function readContent(svc: Svc, request: FastifyRequest, records: DemoRecords): DataQuery {
  const type = request.headers['content-type']
  if (type === undefined) throw missingContentType()
  const read = READERS.get(type.split(';', 1)[0]!.trim().toLowerCase())
  if (read === undefined) throw unsupportedQuery(type)
  try {
    return read(svc.http.body(request), records)
  } catch (error) {
    throw error instanceof InputProblem ? invalidQuery(error) : error
  }
}

function sendResult(
  svc: Svc,
  request: FastifyRequest,
  reply: FastifyReply,
  { id, query, records, isQuery }: { id: string; query: DataQuery; records: DemoRecords; isQuery: boolean },
): FastifyReply {
  const body = JSON.stringify(run(records, query))
  const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"`
  reply.headers({
    'Cache-Control': `public, max-age=${readTtl(request)}`,
    ETag: etag,
    'Content-Location': svc.http.path(request, `/query/results/${id}`),
    ...(isQuery && {
      Location: svc.http.path(request, `/query/${id}`),
      Vary: 'Content-Type',
      'Accept-Query': ACCEPT_QUERY,
    }),
  })
  if (isNotModified({ ifNoneMatch: request.headers['if-none-match'] }, { etag })) return reply.code(304).send()
  return reply.type('application/json; charset=utf-8').send(body)
}

/** What `GET /query` shows: the fields of the lists, and an example. */
function explain(records: DemoRecords): object {
  return {
    method: 'QUERY',
    accept_query: ACCEPT_QUERY.split(', '),
    from: Object.fromEntries(SOURCES.map(source => [source, fieldsOf(records, source)])),
    example: { from: 'products', where: { category: 'Kitchen' }, fields: ['id', 'name', 'price'], limit: 10 },
  }
}
