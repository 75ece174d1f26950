/** Faults in how a response is sent: wrong ids, broken JSON, broken streams, and streams that take long. */
import { isRecord } from 'svc/toolkit'
import type { HttpExchange } from '../http/exchange.ts'
import { notificationText } from '../protocol/json-rpc.ts'
import type { JsonObject } from '../types.ts'
import type { WireKind } from '../protocol/fault-kinds.ts'

export interface FinishedResponse {
  status: number
  /** A JSON-RPC response. */
  text: string
  headers?: Record<string, string>
}

const JSON_TYPE = 'application/json; charset=utf-8'
const STORM_COUNT = 500
const CHANGES_COUNT = 100
const PIECE_BYTES = 16
const PIECE_MS = 100

/** Sends a response with the fault. `params` are those of the request. */
export function sendWithFault(
  kind: WireKind,
  response: FinishedResponse,
  params: JsonObject,
  exchange: HttpExchange,
): void | Promise<void> {
  const { status, text, headers } = response
  switch (kind) {
    case 'wrong-id':
      return exchange.sendJson(status, withId(text, otherId), headers)
    case 'null-id':
      return exchange.sendJson(
        status,
        withId(text, () => null),
        headers,
      )
    case 'string-id':
      return exchange.sendJson(status, withId(text, String), headers)
    case 'duplicate':
      return sendEvents([text, text], exchange)
    case 'no-answer':
      return exchange.accepted.sse ? sendEvents([], exchange) : exchange.accept()
    case 'bad-json':
      return exchange.sendJson(status, firstHalf(text), headers)
    case 'bad-sse':
      exchange.openStream()?.end(`event: message\ndata: ${firstHalf(text)}`)
      return
    case 'truncate':
      return sendTruncated(text, exchange)
    case 'wrong-type':
      exchange.reply.header('content-type', 'text/html; charset=utf-8')
      return exchange.sendText(status, text, headers)
    case 'slow':
      return sendSlowly(text, exchange)
    case 'stall':
      return sendNothing(exchange)
    case 'progress-storm':
      return sendEvents([...progressStorm(params), text], exchange)
    case 'list-changed':
      return sendEvents(
        [...Array.from({ length: CHANGES_COUNT }, () => notificationText('notifications/tools/list_changed')), text],
        exchange,
      )
  }
}

function withId(text: string, change: (id: unknown) => unknown): string {
  const response = JSON.parse(text) as JsonObject
  return JSON.stringify({ ...response, id: change(response.id) })
}

function otherId(id: unknown): unknown {
  return typeof id === 'number' ? id + 1000 : `${String(id)}-other`
}

function firstHalf(text: string): string {
  return text.slice(0, Math.floor(text.length / 2))
}

function sendEvents(texts: readonly string[], exchange: HttpExchange): void {
  const stream = exchange.openStream()
  for (const data of texts) stream?.send({ event: 'message', data })
  stream?.end()
}

/** The connection ends in the middle of the body. */
async function sendTruncated(text: string, exchange: HttpExchange): Promise<void> {
  const { svc } = exchange.mcp
  const stream = openBody(exchange, { 'content-length': Buffer.byteLength(text) })
  stream?.write(firstHalf(text))
  // The first half has to be on its way before the connection breaks.
  await svc.http.delay(exchange.request, PIECE_MS)
  svc.http.abortResponse(exchange.request, exchange.reply)
}

async function sendSlowly(text: string, exchange: HttpExchange): Promise<void> {
  const { svc } = exchange.mcp
  const bytes = Buffer.from(text)
  const stream = openBody(exchange)
  const deadline = performance.now() + svc.config.maxDelayMs
  for (let at = 0; stream && at < bytes.length && !stream.closed; at += PIECE_BYTES) {
    // After the longest delay, the rest is sent at once.
    const isLate = performance.now() > deadline
    stream.write(bytes.subarray(at, isLate ? bytes.length : at + PIECE_BYTES))
    if (isLate) break
    await svc.http.delay(exchange.request, PIECE_MS)
  }
  stream?.end()
}

async function sendNothing(exchange: HttpExchange): Promise<void> {
  const { svc } = exchange.mcp
  const stream = openBody(exchange)
  await svc.http.delay(exchange.request, svc.config.maxDelayMs)
  stream?.end()
}

function openBody(exchange: HttpExchange, headers: Record<string, number> = {}) {
  const { mcp, request, reply } = exchange
  exchange.setFacts()
  return mcp.svc.streams.body(request, reply, { status: 200, headers: { 'content-type': JSON_TYPE, ...headers } })
}

/** Progress that falls and rises, also for a client that asked for none. */
function* progressStorm({ _meta }: JsonObject): Generator<string> {
  const progressToken = isRecord(_meta) && _meta.progressToken !== undefined ? _meta.progressToken : 'svc'
  for (let index = 0; index < STORM_COUNT; index++)
    yield notificationText('notifications/progress', {
      progressToken,
      progress: index % 2 === 0 ? STORM_COUNT - index : index,
      total: STORM_COUNT,
    })
}
