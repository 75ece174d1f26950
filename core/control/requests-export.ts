/** `GET /_svc/requests/export`: captured requests for other tools. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'
import { describe, HttpError, isFlagSet, readQuery, type RouteDescription } from '../contract/plugin.ts'
import { toEntry, type CapturedRequest } from '../inspector/captured-request.ts'
import { curlText } from '../inspector/curl.ts'
import { harText } from '../inspector/har.ts'
import { withoutSecrets } from '../inspector/shared-entry.ts'
import type { ControlDeps } from './deps.ts'
import { requireCaptures } from './load-mode.ts'
import {
  FILTERS,
  invalidFilter,
  limitParameter,
  orderParameter,
  readLimit,
  readOrder,
  readQueryFilter,
} from './request-filters.ts'
import { SVC_REQUESTS_EXPORT } from './reply-schemas/inspection.ts'

const FORMATS = ['har', 'curl']
const OTHERS = ['format', 'base_url', 'redact', 'limit', 'order']

const exportRequestsDescription: RouteDescription = {
  summary: 'Captured requests as an HTTP archive or as curl commands, oldest first by default',
  reply: SVC_REQUESTS_EXPORT,
  category: 'Control Plane',
  parameters: [
    ...FILTERS,
    limitParameter(null),
    orderParameter('oldest'),
    { name: 'format', in: 'query', required: true, description: 'The format.', schema: { enum: FORMATS } },
    {
      name: 'base_url',
      in: 'query',
      description: 'Where the requests go to. Default: the URL of this instance.',
      schema: { type: 'string', format: 'uri' },
    },
    {
      name: 'redact',
      in: 'query',
      description:
        'Replace the secrets of clients. Default: for HAR, which is made to be passed on; curl commands send the same request again.',
      schema: { type: 'boolean' },
    },
  ],
  responses: {
    200: {
      description: 'HAR 1.2, or one command for a POSIX shell on each line.',
      content: { 'application/json': {}, 'text/plain': {} },
    },
    400: { description: 'A parameter is invalid, or `session` is missing in public mode.' },
    409: { description: 'The instance runs in load mode, which captures nothing (`nothing_captured`).' },
  },
  examples: [
    { name: 'As HAR', path: '/_svc/requests/export?format=har&session=demo' },
    { name: 'As curl commands', path: '/_svc/requests/export?format=curl&session=demo' },
  ],
}

export function registerExport(app: FastifyInstance, deps: ControlDeps): void {
  const { inspector, instance } = deps
  app.get('/_svc/requests/export', describe(exportRequestsDescription), async (request, reply) => {
    const query = readQueryFilter(request, deps, OTHERS)
    const format = readQuery(request).get('format') ?? ''
    if (!FORMATS.includes(format)) throw new HttpError(400, { error: 'unknown_format', formats: FORMATS })
    const baseUrl = readBaseUrl(request) ?? deps.http.baseUrl(request)
    const isHar = format === 'har'
    const isRedacted = readQuery(request).has('redact') ? isFlagSet(request, 'redact') : isHar
    const limit = readLimit(request, inspector, Infinity)
    requireCaptures(deps.config)
    const isOldestFirst = readOrder(request, 'oldest') === 'oldest'
    const all = await inspector.select(query)
    const selected = isOldestFirst ? all.slice(0, limit) : all.slice(-limit).reverse()
    const entries = toEntries(selected, isRedacted)
    const text = isHar ? harText(entries, baseUrl, instance.version) : curlText(entries, baseUrl)
    return reply
      .type(isHar ? 'application/json; charset=utf-8' : 'text/plain; charset=utf-8')
      .header('X-Content-Type-Options', 'nosniff')
      .send(Readable.from(text))
  })
}

/** One by one: with their bodies, all of them would be too much at once. */
function* toEntries(captured: readonly CapturedRequest[], isRedacted: boolean): Generator<ReturnType<typeof toEntry>> {
  for (const one of captured) yield isRedacted ? withoutSecrets(toEntry(one)) : toEntry(one)
}

/** Without a slash at the end. */
function readBaseUrl(request: FastifyRequest): string | null {
  const value = readQuery(request).get('base_url')
  if (value === null) return null
  const url = value.length <= 2000 && URL.canParse(value) ? new URL(value) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw invalidFilter('base_url', 'expected an http or https URL without a query')
  return url.href.replace(/\/$/, '')
}
