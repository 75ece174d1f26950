/** Sends a recorded response, at the recorded pace or at once. */
import type { FastifyReply, FastifyRequest, Svc } from 'svc/plugin'
import type { Upstream } from '../config/upstream.ts'
import { bodyBytes, chunkBytes, type RecordedResponse } from '../recordings/recording.ts'
import { sentHeaders } from './sent-headers.ts'
import { addTrailers, canHaveTrailers, sendEarlyHints } from './trailers.ts'

/** Statuses without content (RFC 9110, 15.3.5, 15.3.6, 15.4.5). */
const BODILESS = new Set([204, 205, 304])

/** `requested` is the target of the request at the upstream. */
export async function replay(
  svc: Svc<unknown>,
  exchange: { request: FastifyRequest; reply: FastifyReply; upstream: Upstream; requested: string; mount: string },
  recorded: RecordedResponse,
): Promise<FastifyReply> {
  const { request, reply, upstream, requested, mount } = exchange
  const waits = (ms: number): Promise<boolean> => svc.http.delay(request, ms * upstream.timing)
  const { status, chunks, first_byte_ms: firstByte = 0 } = recorded
  if (upstream.timing > 0 && firstByte > 0 && !(await waits(firstByte))) return reply.hijack()
  const lines = Object.entries(recorded.headers).flatMap(([name, values]) =>
    [values].flat().map(value => [name, value] as const),
  )
  for (const fields of recorded.early_hints ?? []) sendEarlyHints(request, reply, fields)
  const headers: Record<string, string | string[]> = {
    ...sentHeaders(svc, request, { upstream, requested, mount, lines, received: null }),
    'X-Svc-Proxy': 'replay',
  }
  if (BODILESS.has(status) || request.method === 'HEAD') return reply.code(status).headers(headers).send()
  const trailers = recorded.trailers ?? {}
  const names = Object.keys(trailers)
  delete headers['content-length']
  if (chunks === undefined && names.length === 0) headers['content-length'] = String(bodyBytes(recorded).length)
  const hasTrailers = names.length > 0 && canHaveTrailers(request, headers)
  if (hasTrailers) headers.trailer = names.join(', ')
  // Not with `send`, which would add a `Content-Type` where the upstream sent none.
  const stream = svc.streams.body(request, reply, { status, headers, isPassedOn: true })
  if (stream === null) return reply
  for (const chunk of chunks ?? []) {
    if (upstream.timing > 0 && chunk.after_ms > 0 && !(await waits(chunk.after_ms))) break
    if (stream.closed) break
    if (!stream.write(chunkBytes(chunk))) await stream.ready()
  }
  if (chunks === undefined) stream.write(bodyBytes(recorded))
  if (hasTrailers && !stream.closed) addTrailers(reply, trailers)
  stream.end()
  return reply
}
