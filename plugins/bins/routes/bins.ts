/** `POST /bin` and `GET /bin`: creates bins, and lists those of the session. */
import {
  describe,
  readJsonObject,
  type FastifyInstance,
  type RouteDescription,
  type StreamInfo,
  type Svc,
} from 'svc/plugin'
import { readBinResponse } from '../bin-response.ts'
import type { BinStore } from '../bin-store.ts'
import { linksOf, summarize } from '../bin.ts'
import { invalidJson } from '../errors.ts'
import type { BinLimits } from '../limits.ts'
import { BIN, BIN_POST } from '../replies.ts'

const category = 'Request Bin & Webhooks'
const create: RouteDescription = {
  category,
  summary: 'Create a bin',
  reply: BIN_POST,
  description:
    'Records every request to its URL, or to a path below, and sends the response configured here. Anyone who knows the id can send, read and delete.',
  requestBody: {
    description: 'Optional: the response of the bin',
    content: {
      'application/json': {
        type: 'object',
        additionalProperties: false,
        properties: {
          status: { type: 'integer', minimum: 200, maximum: 599, default: 200 },
          headers: { type: 'object', maxProperties: 20, additionalProperties: { type: 'string' } },
          body: { description: 'A string is sent unchanged, any other value as JSON; at most 16384 bytes' },
          delay_ms: { type: 'integer', minimum: 0, default: 0 },
        },
      },
    },
  },
  responses: {
    201: { description: 'The bin, its limits and its URLs' },
    400: { description: 'The body is not JSON, or the configuration is invalid' },
    429: { description: 'Public instances: the session already has ten bins' },
    503: { description: 'Public instances: all bins are in use' },
  },
  examples: [
    { name: 'Plain', method: 'POST', path: '/bin', expectStatus: 201 },
    {
      name: 'Slow response',
      method: 'POST',
      path: '/bin',
      headers: [{ name: 'Content-Type', value: 'application/json' }],
      body: '{"status":202,"headers":{"X-Bin":"demo"},"body":{"accepted":true},"delay_ms":100}',
      bodyType: 'json',
      expectStatus: 201,
    },
  ],
}
const list: RouteDescription = {
  category,
  summary: 'List the bins of the session',
  reply: BIN,
  responses: { 200: { description: '`bins`, newest first' } },
  examples: [{ name: 'List', path: '/bin', expectStatus: 200 }],
}

const NO_REQUESTS: StreamInfo = { lastSeq: 0, count: 0 }

export function registerBins(app: FastifyInstance, svc: Svc, bins: BinStore, limits: BinLimits): void {
  app.post('/bin', describe(create), async (request, reply) => {
    const input = readJsonObject(svc.http.body(request))
    if (input === null) throw invalidJson()
    const bin = await bins.create(svc.http.session(request).key, readBinResponse(input, limits))
    const { id, created_at, expires_at, response } = summarize(bin, NO_REQUESTS)
    const links = linksOf(id, path => svc.http.url(request, path))
    return reply
      .code(201)
      .header('Location', links.url)
      .send({ id, created_at, expires_at, response, limits, ...links })
  })

  app.get('/bin', describe(list), async request => {
    const own = await bins.ofSession(svc.http.session(request).key)
    const shown = await Promise.all(own.map(async bin => summarize(bin, await bins.info(bin.id))))
    return { count: shown.length, bins: shown, limits }
  })
}
