/** `/redirect/{n}`, `/absolute-redirect/{n}`, `/redirect-to`. */
import {
  describe,
  invalidParameter,
  quoteInput,
  readQuery,
  type FastifyInstance,
  type FastifyRequest,
  type RouteDescription,
  type Svc,
} from 'svc/plugin'
import { parseInteger, rawQuery } from 'svc/toolkit'
import { invalidCount, rejectedTarget } from '../errors.ts'
import { toLocation, rejectionReason } from '../redirect-target.ts'

const STATUSES = [300, 301, 302, 303, 307, 308]

const shared = { category: 'Redirects & Cookies' } satisfies Partial<RouteDescription>
const relative: RouteDescription = {
  ...shared,
  summary: 'Chain of relative redirects',
  description: 'Ends at `/echo` and keeps the query.',
  parameters: [
    {
      name: 'n',
      in: 'path',
      required: true,
      description: 'Number of redirects',
      schema: { type: 'integer', minimum: 1, maximum: 20 },
    },
  ],
  responses: {
    302: { description: 'To the next redirect, or to `/echo`' },
    400: { description: 'The number of redirects is invalid' },
  },
  examples: [{ name: 'Three', path: '/redirect/3?x=1', expectStatus: 302 }],
}
const absolute: RouteDescription = {
  ...shared,
  summary: 'Chain of absolute redirects',
  description: 'Uses the scheme and host of the request. Ends at `/echo` and keeps the query.',
  parameters: [
    {
      name: 'n',
      in: 'path',
      required: true,
      description: 'Number of redirects',
      schema: { type: 'integer', minimum: 1, maximum: 10 },
    },
  ],
  responses: {
    302: { description: 'To the next redirect, or to `/echo`' },
    400: { description: 'The number of redirects is invalid' },
  },
  examples: [{ name: 'Two', path: '/absolute-redirect/2', expectStatus: 302 }],
}
const single: RouteDescription = {
  ...shared,
  summary: 'Single redirect within the instance',
  description:
    'The target must be a path of the service, without the base path, or an http(s) URL of the requested host. Other targets are rejected.',
  parameters: [
    { name: 'url', in: 'query', required: true, description: 'Target', schema: { type: 'string' } },
    { name: 'status_code', in: 'query', schema: { type: 'integer', enum: STATUSES, default: 302 } },
  ],
  responses: {
    ...Object.fromEntries(
      STATUSES.map(status => [status, { description: 'To the target, with the requested status' }]),
    ),
    400: { description: 'The target is on another host, or the status is not a redirect status' },
  },
  examples: [
    { name: 'To a path', path: '/redirect-to?url=/echo', expectStatus: 302 },
    {
      name: 'Keeping the method',
      method: 'POST',
      path: '/redirect-to?url=/echo&status_code=307',
      body: 'as is',
      expectStatus: 307,
    },
    { name: 'To another host', path: '/redirect-to?url=https://example.com/', expectStatus: 400 },
  ],
}

export function registerRedirects(app: FastifyInstance, svc: Svc): void {
  app.get<{ Params: { n: string } }>('/redirect/:n', describe(relative), (request, reply) => {
    return reply
      .code(302)
      .header('Location', svc.http.path(request, nextInChain('/redirect', request.params.n, 20, request)))
      .send()
  })

  app.get<{ Params: { n: string } }>('/absolute-redirect/:n', describe(absolute), (request, reply) => {
    const next = nextInChain('/absolute-redirect', request.params.n, 10, request)
    return reply.code(302).header('Location', svc.http.url(request, next)).send()
  })

  app.all('/redirect-to', describe(single), (request, reply) => {
    const query = readQuery(request)
    const status = readStatus(query)
    const target = query.get('url') ?? ''
    const reason = rejectionReason(target, hostOf(request))
    if (reason !== null) throw rejectedTarget(target, reason)
    const location = toLocation(target)
    return reply
      .code(status)
      .header('Location', location.startsWith('/') ? svc.http.path(request, location) : location)
      .send()
  })
}

/** Path of the next redirect of a chain, or of its final target, with the query as received. */
function nextInChain(path: string, text: string, max: number, request: FastifyRequest): string {
  const left = parseInteger(text)
  if (left === null || left < 1 || left > max) throw invalidCount(text, max)
  const query = rawQuery(request)
  return (left === 1 ? '/echo' : `${path}/${left - 1}`) + (query === '' ? '' : `?${query}`)
}

function readStatus(query: URLSearchParams): number {
  const text = query.get('status_code')
  const status = text === null ? 302 : parseInteger(text)
  if (status === null || !STATUSES.includes(status)) {
    throw invalidParameter(
      'status_code',
      `invalid status_code ${quoteInput(text ?? '')} (expected one of ${STATUSES.join(', ')})`,
    )
  }
  return status
}

/** Host and port as sent by the client; HTTP/2 uses a pseudo-header field (RFC 9113, 8.3.1). */
function hostOf(request: FastifyRequest): string {
  const authority = request.headers[':authority']
  return (typeof authority === 'string' ? authority : request.headers.host) ?? ''
}
