/** Sends the response that a rule defines (`respond`). */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { drained } from '../../contract/drained.ts'
import type { OutputBudget } from '../../contract/budgets.ts'
import { writeJson } from '../../toolkit/exact-json.ts'
import type { Json } from '../../contract/json.ts'
import { expandText, expandValue, type LookUp } from '../../toolkit/references.ts'
import { sandboxPolicy } from '../../toolkit/untrusted-content.ts'
import type { Chunk, ChunkCondition, RespondStep } from '../../rules/respond.ts'
import type { HeaderLine } from '../../rules/respond-headers.ts'
import { stateOf, type ScenarioStates } from '../../rules/scenarios.ts'
import { sendInterim } from '../node-internals/interim-response.ts'
import type { RequestContext } from '../request/context.ts'
import { waitFor } from '../request/delay.ts'
import { isHttp2 } from '../request/types.ts'
import { formatEvent } from './sse-format.ts'
import { attachSocket } from './send.ts'

const TEXT_TYPE = 'text/plain; charset=utf-8'
const JSON_TYPE = 'application/json'
const BYTES_TYPE = 'application/octet-stream'
const EVENTS_TYPE = 'text/event-stream'
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
/** Statuses whose responses have no content (RFC 9110, 15.3.5, 15.3.6, 15.4.5). */
const WITHOUT_CONTENT = new Set([204, 205, 304])

/** Fills references: `lookUp` finds their values, and what they insert is taken from `output`. */
export interface Filling {
  lookUp: LookUp
  output: OutputBudget
  /** The states for which chunks wait. */
  states(): Promise<ScenarioStates>
}

/** Sends the response and ends it. Throws `OutputTooLarge` or `OutputUnavailable` before anything is sent. */
export function sendRuleResponse(context: RequestContext, respond: RespondStep, filling: Filling): void {
  const { response } = context
  if (response.headersSent) return
  if (context.upgrade !== null) attachSocket(context)
  const fill = fillerOf(respond, filling)
  const { headers, type } = headOf(respond, fill)
  const hasContent = context.method !== 'HEAD' && !WITHOUT_CONTENT.has(respond.status)
  const trailers = hasContent && context.request.httpVersion !== '1.0' ? linesOf(respond.trailers, fill) : []
  const interim = respond.interim.map(({ status, headers: lines }) => ({ status, lines: linesOf(lines, fill) }))
  const own = response as ServerResponse
  if (context.upgrade !== null) headers.push(['connection', 'close'])
  const isPlain = isHttp2(context.request)
  const send = (): void => {
    if (context.request.httpVersion !== '1.0')
      for (const { status, lines } of interim) sendInterim(context.response, status, lines)
    if (trailers.length > 0) headers.push(['trailer', [...new Set(trailers.map(([name]) => name))].join(', ')])
    writeHead(own, respond, isPlain ? withoutConnection(headers) : headers, isPlain)
    if (trailers.length > 0) own.addTrailers(isPlain ? grouped(trailers) : trailers)
  }
  if (respond.body.kind === 'chunks') {
    const chunks = respond.body.chunks.map(chunk => {
      const { afterMs, after } = chunk
      return { afterMs, after, content: contentOf(chunk, fill) }
    })
    if (type !== null) headers.push(['content-type', type])
    context.streaming = 'own'
    send()
    if (hasContent) void sendChunks(context, chunks, filling.states)
    else own.end()
    return
  }
  const payload = payloadOf(respond, fill, filling.output)
  if (!WITHOUT_CONTENT.has(respond.status)) {
    const isGiven = respond.contentType !== undefined
    if (type !== null && (payload.length > 0 || isGiven)) headers.push(['content-type', type])
    if (trailers.length === 0) headers.push(['content-length', String(payload.length)])
  }
  send()
  if (!hasContent) return void own.end()
  // Otherwise Node announces the length of a body that is sent at once, and drops the trailers.
  if (trailers.length > 0 && payload.length > 0) own.write(payload)
  if (trailers.length > 0) own.end()
  else own.end(payload)
}

type HeaderLines = [name: string, value: string][]

function linesOf(lines: readonly HeaderLine[], fill: Filler): HeaderLines {
  return lines.map(([name, value]) => [name, printable(fill.text(value))])
}

function withoutConnection(headers: HeaderLines): HeaderLines {
  return headers.filter(([name]) => name.toLowerCase() !== 'connection')
}

/** Lines in the order and case of a list need HTTP/1.1; elsewhere names are lower-case, and lines of one name come together. */
function writeHead(
  response: ServerResponse,
  { status, reason, keepsCase }: RespondStep,
  lines: HeaderLines,
  isHttp2Request: boolean,
): void {
  const headers = keepsCase && !isHttp2Request ? (lines as unknown as OutgoingHttpHeaders) : grouped(lines)
  if (reason === null) response.writeHead(status, headers)
  else response.writeHead(status, reason, headers)
}

function grouped(lines: HeaderLines): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {}
  for (const [name, value] of lines) {
    const lower = name.toLowerCase()
    const before = headers[lower]
    headers[lower] = before === undefined ? value : [before, value].flat()
  }
  return headers
}

/** The header lines, and the type to add; null if there is none, or the lines have it. */
function headOf(respond: RespondStep, fill: Filler): { headers: HeaderLines; type: string | null } {
  const filled = linesOf(respond.headers, fill)
  const valueOf = (wanted: string): string | undefined => filled.find(([name]) => name.toLowerCase() === wanted)?.[1]
  const ofLines = respond.contentType === undefined ? valueOf('content-type') : undefined
  const type = ofLines ?? (respond.contentType === undefined ? typeOf(respond) : respond.contentType)
  // Whoever writes a rule must not get the rights of the service's own pages in a browser. Without a type it may be a page.
  const mayRender = type !== null || respond.body.kind !== 'none'
  const policy = mayRender ? sandboxPolicy(type ?? 'text/html', valueOf('content-security-policy')) : null
  const replaced = [
    ...(ofLines === undefined ? ['content-type'] : []),
    ...(policy === null ? [] : ['content-security-policy', 'x-content-type-options']),
  ]
  const headers = filled.filter(([name]) => !replaced.includes(name.toLowerCase()))
  if (policy !== null) headers.push(['content-security-policy', policy], ['x-content-type-options', 'nosniff'])
  return { headers, type: ofLines === undefined ? type : null }
}

function typeOf({ body }: RespondStep): string | null {
  switch (body.kind) {
    case 'text':
      return TEXT_TYPE
    case 'json':
      return JSON_TYPE
    case 'file':
      return body.file.type
    case 'bytes':
    case 'size':
      return BYTES_TYPE
    case 'chunks':
      return body.chunks.some(({ kind }) => kind === 'event') ? EVENTS_TYPE : TEXT_TYPE
    default:
      return null
  }
}

/** A value that a template took from the request must not add a header line. */
function printable(text: string): string {
  return text.replace(/[^\t\x20-\x7e]/g, '?')
}

interface Filler {
  text(text: string): string
  value(value: Json): Json
}

function fillerOf({ isTemplate }: RespondStep, { lookUp, output }: Filling): Filler {
  if (!isTemplate) return { text: text => text, value: value => value }
  return {
    text: text => expandText(text, lookUp, output),
    value: value => expandValue(value, lookUp, output),
  }
}

function payloadOf({ body }: RespondStep, fill: Filler, output: OutputBudget): Buffer {
  switch (body.kind) {
    case 'text':
      return Buffer.from(fill.text(body.text))
    case 'json':
      return Buffer.from(writeJson(fill.value(body.value)))
    case 'bytes':
      return body.bytes
    case 'file':
      return body.text === null ? body.file.content : Buffer.from(fill.text(body.text))
    case 'size':
      output.take(body.bytes)
      return Buffer.alloc(body.bytes, LETTERS)
    default:
      return Buffer.alloc(0)
  }
}

/** How often the state of a scenario is looked up. */
const LOOK_EVERY_MS = 20

/**
 * Each chunk is written after its delay, once its scenario has its state and the client has read the chunks before. A client that
 * disconnects or stops reading ends it; a state that is not reached breaks it off.
 */
async function sendChunks(
  context: RequestContext,
  chunks: readonly { afterMs: number; after: ChunkCondition | null; content: string | Buffer }[],
  states: Filling['states'],
): Promise<void> {
  const response = context.response as ServerResponse
  response.flushHeaders()
  for (const { afterMs, after, content } of chunks) {
    if (after !== null && !(await isReached(context, after, states))) return void response.destroy()
    if (afterMs > 0 && !(await waitFor(context, afterMs))) return
    if (context.closed || response.destroyed) return
    if (!response.write(content) && !(await drained(response))) return void response.destroy()
  }
  response.end()
}

async function isReached(
  context: RequestContext,
  { scenario, state, withinMs }: ChunkCondition,
  states: Filling['states'],
): Promise<boolean> {
  const until = performance.now() + withinMs
  while (stateOf(await states(), scenario) !== state) {
    if (performance.now() >= until || !(await waitFor(context, LOOK_EVERY_MS))) return false
  }
  return true
}

function contentOf(chunk: Chunk, fill: Filler): string | Buffer {
  if (chunk.kind === 'bytes') return chunk.bytes
  if (chunk.kind === 'text') return fill.text(chunk.text)
  const data = fill.value(chunk.data)
  return formatEvent({
    ...(chunk.event === null ? {} : { event: chunk.event }),
    ...(chunk.id === null ? {} : { id: chunk.id }),
    data: typeof data === 'string' ? data : writeJson(data),
  })
}
