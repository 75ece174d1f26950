/** Sends the response that a rule defines (`respond`). */
import type { ServerResponse } from 'node:http'
import type { OutgoingHttpHeaders } from 'node:http'
import { expandText, expandValue } from '../../contract/references.ts'
import type { LookUp } from '../../contract/references.ts'
import { sandboxPolicy } from '../../contract/untrusted-content.ts'
import type { Chunk, RespondStep } from '../../rules/respond.ts'
import type { RequestContext } from '../request/context.ts'
import { isHttp2 } from '../request/types.ts'
import { formatEvent } from '../streams/sse-format.ts'
import { attachSocket } from './send.ts'

const TEXT_TYPE = 'text/plain; charset=utf-8'
const JSON_TYPE = 'application/json'
const BYTES_TYPE = 'application/octet-stream'
const EVENTS_TYPE = 'text/event-stream'
/** Statuses whose responses have no content (RFC 9110, 15.3.5, 15.3.6, 15.4.5). */
const WITHOUT_CONTENT = new Set([204, 205, 304])

/** Sends the response and ends it. `lookUp` finds the values of references. */
export function sendRuleResponse(context: RequestContext, respond: RespondStep, lookUp: LookUp): void {
  const { response } = context
  if (response.headersSent) return
  if (context.upgrade !== null) attachSocket(context)
  const fill = respond.isTemplate ? (text: string): string => expandText(text, lookUp) : (text: string): string => text
  const { headers, type } = headOf(respond, fill)
  const hasContent = context.method !== 'HEAD' && !WITHOUT_CONTENT.has(respond.status)
  const own = response as ServerResponse
  if (context.upgrade !== null) headers.connection = 'close'
  if (isHttp2(context.request)) delete headers.connection
  if (respond.body.kind === 'chunks') {
    if (type !== null) headers['content-type'] = type
    own.writeHead(respond.status, headers)
    if (hasContent) void sendChunks(context, respond.body.chunks, { ...respond, fill, lookUp })
    else own.end()
    return
  }
  const payload = payloadOf(respond, fill, lookUp)
  if (!WITHOUT_CONTENT.has(respond.status)) {
    if (type !== null && (payload.length > 0 || respond.contentType !== null)) headers['content-type'] = type
    headers['content-length'] = payload.length
  }
  own.writeHead(respond.status, headers)
  if (hasContent) own.end(payload)
  else own.end()
}

function headOf(
  respond: RespondStep,
  fill: (text: string) => string,
): { headers: OutgoingHttpHeaders; type: string | null } {
  const headers: OutgoingHttpHeaders = {}
  for (const [name, value] of Object.entries(respond.headers)) headers[name] = printable(fill(value))
  const given = headers['content-type']
  const type = respond.contentType ?? (given === undefined ? typeOf(respond) : String(given))
  // Whoever writes a rule must not get the rights of the service's own pages in a browser.
  const existing = headers['content-security-policy']
  const policy = sandboxPolicy(type ?? undefined, existing === undefined ? undefined : String(existing))
  if (policy !== null && type !== null) headers['content-security-policy'] = policy
  return { headers, type }
}

function typeOf({ body }: RespondStep): string | null {
  switch (body.kind) {
    case 'text':
      return TEXT_TYPE
    case 'json':
      return JSON_TYPE
    case 'bytes':
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

function payloadOf({ body, isTemplate }: RespondStep, fill: (text: string) => string, lookUp: LookUp): Buffer {
  switch (body.kind) {
    case 'text':
      return Buffer.from(fill(body.text))
    case 'json':
      return Buffer.from(JSON.stringify(isTemplate ? expandValue(body.value, lookUp) : body.value))
    case 'bytes':
      return body.bytes
    default:
      return Buffer.alloc(0)
  }
}

interface Filling {
  isTemplate: boolean
  fill(text: string): string
  lookUp: LookUp
}

/** Each chunk is written after its delay; a client that disconnects ends it. */
async function sendChunks(context: RequestContext, chunks: readonly Chunk[], filling: Filling): Promise<void> {
  const response = context.response as ServerResponse
  response.flushHeaders()
  for (const chunk of chunks) {
    if (chunk.afterMs > 0 && !(await pause(context, chunk.afterMs))) return
    if (context.closed || response.destroyed) return
    response.write(contentOf(chunk, filling))
  }
  response.end()
}

function contentOf(chunk: Chunk, { isTemplate, fill, lookUp }: Filling): string | Buffer {
  if (chunk.kind === 'bytes') return chunk.bytes
  if (chunk.kind === 'text') return fill(chunk.text)
  const data = isTemplate ? expandValue(chunk.data, lookUp) : chunk.data
  return formatEvent({
    ...(chunk.event === null ? {} : { event: chunk.event }),
    ...(chunk.id === null ? {} : { id: chunk.id }),
    data: typeof data === 'string' ? data : JSON.stringify(data),
  })
}

/** Resolves with false if the client disconnects. */
function pause(context: RequestContext, ms: number): Promise<boolean> {
  return new Promise(resolve => {
    const timer = setTimeout(() => resolve(true), ms)
    context.whenClosed(() => {
      clearTimeout(timer)
      resolve(false)
    })
  })
}
