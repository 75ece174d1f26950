/** Sends a response of Yoga: text as a whole, event streams as they arrive. */
import type { BodyStream, FastifyReply, FastifyRequest, Svc } from 'svc/plugin'
import { sleep } from 'svc/toolkit'
import type { StreamedAnswer } from '../wire/multipart/parts.ts'
import type { FaultPlan } from '../faults/plan.ts'

/** Sends a response, with another status, or cut after a number of events. */
export async function sendResponse(
  svc: Svc,
  request: FastifyRequest,
  reply: FastifyReply,
  response: Response,
  changed: { status: number | null; cut: number | null },
): Promise<FastifyReply> {
  const contentType = response.headers.get('content-type') ?? ''
  reply.code(changed.status ?? response.status)
  if (contentType === 'text/event-stream') return streamEvents(svc, request, reply, response.body!, changed.cut)
  const allow = response.headers.get('allow')
  if (allow !== null) reply.header('Allow', allow)
  return reply.type(contentType).send(await response.text())
}

const FLUSH_MS = 5
/** Ends an event, or a comment. */
const BLOCK_END = '\n\n'

/**
 * Sends the events through the stream registry, which limits them and ends them on shutdown. When the stream ends, the
 * body is cancelled, which ends the subscription at once; a reader would first wait for the next event. With `cut` the
 * connection breaks after this number of events.
 */
async function streamEvents(
  svc: Svc,
  request: FastifyRequest,
  reply: FastifyReply,
  events: ReadableStream<Uint8Array>,
  cut: number | null,
): Promise<FastifyReply> {
  const stream = svc.streams.sse(request, reply)
  if (stream === null || stream.closed) {
    await events.cancel()
    return reply
  }
  stream.signal.addEventListener('abort', () => void events.cancel(), { once: true })
  let isCut = false
  try {
    const chunks = cut === null ? chunksOf(events) : untilCut(chunksOf(events), cut, () => (isCut = true))
    for await (const chunk of chunks) if (!stream.write(chunk)) await stream.ready()
  } catch (error) {
    if (!stream.closed) throw error
  }
  if (isCut) await breakOff(svc, request, reply, stream)
  else stream.end()
  return reply
}

/** Breaks the connection of a stream, once what was written to it is sent. */
export async function breakOff(
  svc: Svc,
  request: FastifyRequest,
  reply: FastifyReply,
  stream: Pick<BodyStream, 'pendingBytes' | 'closed'>,
): Promise<void> {
  while (stream.pendingBytes > 0 && !stream.closed) await sleep(FLUSH_MS)
  svc.http.abortResponse(request, reply)
}

async function* chunksOf(events: ReadableStream<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const bytes of events) yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** The blocks of an event stream up to this number of results; `cut` is called if there are as many. */
async function* untilCut(chunks: AsyncIterable<Buffer>, count: number, cut: () => void): AsyncGenerator<string> {
  let text = ''
  let left = count
  for await (const chunk of chunks) {
    text += chunk.toString('utf8')
    for (let end = text.indexOf(BLOCK_END); end !== -1; end = text.indexOf(BLOCK_END)) {
      const block = text.slice(0, end + BLOCK_END.length)
      text = text.slice(block.length)
      yield block
      if (block.startsWith('event: next')) left--
      if (left === 0) return cut()
    }
  }
}

/** Sends an answer in parts. When the stream ends, the operation does at once. */
export async function sendParts(
  svc: Svc,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: StreamedAnswer,
  faults: FaultPlan | null,
): Promise<FastifyReply> {
  const stream = svc.streams.body(request, reply, {
    status: faults?.status ?? 200,
    headers: { 'Content-Type': answer.contentType, 'Cache-Control': 'no-cache' },
    isFeed: answer.isFeed,
  })
  if (stream === null || stream.closed) {
    answer.end()
    return reply
  }
  stream.signal.addEventListener('abort', () => answer.end(), { once: true })
  let left = faults?.cut ?? Infinity
  for await (const { text, isResult } of answer.chunks) {
    if (!stream.write(text)) await stream.ready()
    if (isResult) left--
    if (left > 0) continue
    await breakOff(svc, request, reply, stream)
    return reply
  }
  stream.end()
  return reply
}
