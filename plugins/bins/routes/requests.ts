/** `/bin/{id}/requests`, `…/requests/{n}` and `…/requests/stream`: the captured requests of a bin. */
import {
  describe,
  integerParameter,
  readQuery,
  type FastifyInstance,
  type FastifyRequest,
  type RouteDescription,
  type RouteParameter,
  type Svc,
} from 'svc/plugin'
import { lastEventIdOf, parseInteger } from 'svc/toolkit'
import type { BinStore } from '../bin-store.ts'
import { linksOf, summarize, type Bin } from '../bin.ts'
import { numbered } from '../captured-request.ts'
import { binNotFound, invalidSequenceNumber, requestNotFound } from '../errors.ts'
import type { OpenFeed } from '../feed.ts'
import type { BinLimits } from '../limits.ts'
import { CAPTURED_REQUEST, CAPTURED_REQUESTS } from '../replies.ts'

const category = 'Request Bin & Webhooks'
const id: RouteParameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'ID of the bin',
  schema: { type: 'string' },
}

const list: RouteDescription = {
  category,
  summary: 'List captured requests',
  reply: CAPTURED_REQUESTS,
  parameters: [id, { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, default: 50 } }],
  responses: { 200: { description: '`requests`, newest first' }, 404: { description: 'Bin not found' } },
  examples: [{ name: 'Newest five', path: '/bin/<bin_id>/requests?limit=5', expectStatus: 200 }],
}
const one: RouteDescription = {
  category,
  summary: 'Get a captured request',
  reply: CAPTURED_REQUEST,
  parameters: [
    id,
    {
      name: 'n',
      in: 'path',
      required: true,
      description: 'Sequence number of the request',
      schema: { type: 'integer', minimum: 1 },
    },
  ],
  responses: {
    200: { description: 'The captured request' },
    400: { description: 'The sequence number is not an integer' },
    404: { description: 'Bin not found, or the request is not stored' },
  },
  examples: [{ name: 'The first', path: '/bin/<bin_id>/requests/1', expectStatus: 200 }],
}
const stream: RouteDescription = {
  category,
  summary: 'Stream captured requests',
  description:
    'Sends one `request` event per captured request; the event id is the sequence number. With `Last-Event-ID`, replays stored requests after that number first. Ends when the bin is removed.',
  protocol: 'sse',
  endless: true,
  parameters: [
    id,
    {
      name: 'last_event_id',
      in: 'query',
      description: 'Same as the header `Last-Event-ID`; 0 replays all',
      schema: { type: 'integer', minimum: 0 },
    },
  ],
  responses: {
    200: { description: 'The event stream', content: { 'text/event-stream': {} } },
    404: { description: 'Bin not found' },
  },
  examples: [{ name: 'Feed', path: '/bin/<bin_id>/requests/stream', expectStatus: 200 }],
}

const DEFAULT_LIMIT = 50
const HEARTBEAT_MS = 15_000

interface BinParams {
  Params: { id: string }
}

export function registerRequests(
  app: FastifyInstance,
  svc: Svc,
  bins: BinStore,
  limits: BinLimits,
  openFeed: OpenFeed,
): void {
  async function binOf(binId: string): Promise<Bin> {
    const bin = await bins.find(binId)
    if (bin === undefined) throw binNotFound(binId)
    return bin
  }

  app.get<BinParams>('/bin/:id/requests', describe(list), async request => {
    const bin = await binOf(request.params.id)
    const limit = integerParameter(readQuery(request), 'limit', { fallback: DEFAULT_LIMIT })
    const [info, found] = await Promise.all([
      bins.info(bin.id),
      bins.newest(bin.id, Math.min(Math.max(limit, 1), limits.max_requests)),
    ])
    const requests = found.map(numbered)
    return {
      bin: summarize(bin, info),
      links: linksOf(bin.id, path => svc.http.url(request, path)),
      count: requests.length,
      requests,
    }
  })

  app.get<BinParams>('/bin/:id/requests/stream', describe(stream), async (request, reply) => {
    const { id: binId } = await binOf(request.params.id)
    const feed = svc.streams.sse(request, reply, { endless: true, heartbeatMs: HEARTBEAT_MS })
    if (feed !== null) await openFeed(feed, binId, lastSequence(request))
  })

  app.get<{ Params: { id: string; n: string } }>('/bin/:id/requests/:n', describe(one), async request => {
    const bin = await binOf(request.params.id)
    const seq = parseInteger(request.params.n)
    if (seq === null) throw invalidSequenceNumber(request.params.n)
    const captured = await bins.request(bin.id, seq)
    if (captured === undefined) throw requestNotFound(seq, (await bins.info(bin.id)).lastSeq)
    return numbered(captured)
  })
}

/** Sequence number to resume after; null if it is not a number. */
function lastSequence(request: FastifyRequest): number | null {
  return parseInteger(lastEventIdOf(request))
}
