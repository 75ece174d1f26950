/** `/bin/{id}` and all paths below, for every method: captures requests, sends the configured response, deletes the bin. */
import {
  describe,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteDescription,
  type RouteParameter,
  type Svc,
} from 'svc/plugin'
import { sandboxPolicy } from 'svc/toolkit'
import { mediaTypeOf } from '../bin-response.ts'
import type { BinStore } from '../bin-store.ts'
import type { Bin } from '../bin.ts'
import { captureRequest } from '../captured-request.ts'
import { binNotFound, inspectionIsReadOnly } from '../errors.ts'
import type { BinLimits } from '../limits.ts'
import { CAPTURE, DELETED } from '../replies.ts'

const category = 'Request Bin & Webhooks'
const idParameter: RouteParameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'ID of the bin',
  schema: { type: 'string' },
}
const notFound = { 404: { description: 'Bin not found' } }

const capture: RouteDescription = {
  category,
  summary: 'Capture a request',
  reply: CAPTURE,
  description:
    'Records the request and sends the configured response; `X-Svc-Bin-Seq` is the sequence number of the request. DELETE deletes the bin; to capture a DELETE, send it to a path below.',
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'HEAD', 'OPTIONS'],
  takes: 'deliveries',
  parameters: [idParameter],
  responses: {
    default: { description: 'The configured response; by default 200 with `{"ok":true,"bin","id","seq"}`' },
    ...notFound,
  },
  examples: [
    {
      name: 'A webhook',
      method: 'POST',
      path: '/bin/<bin_id>',
      headers: [{ name: 'Content-Type', value: 'application/json' }],
      body: '{"event":"order.created"}',
      bodyType: 'json',
      expectStatus: 200,
    },
  ],
}
const remove: RouteDescription = {
  category,
  summary: 'Delete a bin',
  reply: DELETED,
  methods: ['DELETE'],
  parameters: [idParameter],
  responses: { 200: { description: '`{"deleted": "<id>"}`; live streams of the bin end' }, ...notFound },
  examples: [{ name: 'Delete', method: 'DELETE', path: '/bin/<bin_id>', expectStatus: 200 }],
}
const captureBelow: RouteDescription = {
  ...capture,
  summary: 'Capture a request to a path below the bin',
  reply: CAPTURE,
  description: 'Same as the bin itself, for every method, including DELETE.',
  methods: undefined,
  parameters: [idParameter, { name: 'path', in: 'path', description: 'Any path', schema: { type: 'string' } }],
  examples: [{ name: 'Sub path', method: 'DELETE', path: '/bin/<bin_id>/orders/7', expectStatus: 200 }],
}

/** `requests`, `requests/stream` and `requests/{n}`; their GET and HEAD routes are registered separately. */
const INSPECTION = /^requests(?:\/[^/]+)?$/
/** Statuses without content (RFC 9110, 15.3.5, 15.3.6, 15.4.5). */
const BODILESS = new Set([204, 205, 304])

export function registerCapture(app: FastifyInstance, svc: Svc, bins: BinStore, limits: BinLimits): void {
  async function take(request: FastifyRequest, reply: FastifyReply, binId: string): Promise<FastifyReply> {
    const captured = captureRequest(request, svc, { binId, maxBody: limits.max_captured_body })
    const found = await bins.capture(binId, captured)
    if (found === undefined) throw binNotFound(binId)
    const { bin, seq } = found
    const isConnected = bin.response.delay_ms === 0 || (await svc.http.delay(request, bin.response.delay_ms))
    return isConnected ? sendBinResponse(reply, bin, { seq, id: captured.id }) : reply.hijack()
  }

  app.all<{ Params: { id: string } }>('/bin/:id', describe(capture, remove), async (request, reply) => {
    const { id: binId } = request.params
    if (request.method !== 'DELETE') return take(request, reply, binId)
    svc.http.selectDescription(request, remove)
    if (!(await bins.delete(binId))) throw binNotFound(binId)
    return { deleted: binId }
  })

  app.all<{ Params: { id: string; '*': string } }>('/bin/:id/*', describe(captureBelow), async (request, reply) => {
    const { id: binId, '*': rest } = request.params
    if (INSPECTION.test(rest)) {
      if ((await bins.find(binId)) === undefined) throw binNotFound(binId)
      throw inspectionIsReadOnly(request.method, request.raw.url!.split('?', 1)[0]!)
    }
    return take(request, reply, binId)
  })
}

/** Sends the response to a captured request of a bin. */
function sendBinResponse(
  reply: FastifyReply,
  { id: binId, response: { status, headers, body } }: Bin,
  { seq, id }: { seq: number; id: string },
): FastifyReply {
  reply.code(status).headers(headers).header('X-Svc-Bin-Seq', String(seq))
  if (BODILESS.has(status)) return reply.send()
  const type = headers['content-type'] ?? (body === null ? 'application/json; charset=utf-8' : mediaTypeOf(body))
  reply.type(type)
  const policy = sandboxPolicy(type, headers['content-security-policy'])
  if (policy !== null) reply.header('Content-Security-Policy', policy)
  // Sent as bytes, because Fastify would add a charset to the media type of a string.
  return reply.send(Buffer.from(body ?? JSON.stringify({ ok: true, bin: binId, id, seq })))
}
