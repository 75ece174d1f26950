/** Requests of the client half as bytes. */
import type { Action } from '../upstream/script.ts'
import type { Field } from './response-parser.ts'

/** A part of what is sent: bytes, a pause, waiting for an interim or final response, or a reply to what was received. */
export type Part =
  | Buffer
  | { waitMs: number }
  | { untilAnswer: true; timeoutMs: number }
  /** Waits until `reply` returns bytes for all that was received. */
  | { reply: (received: Buffer) => Buffer | null; timeoutMs: number }

export interface RequestSpec {
  method?: string
  version?: string
  /** Follows the number of the step in the target; as sent. */
  rest?: string
  /** In front of the target, for the absolute form. */
  targetPrefix?: (authority: string) => string
  /** Replaces the whole request line. Gets the target. */
  line?: (target: string) => string
  /** Replaces the Host line; an empty text leaves it out. */
  host?: (authority: string) => string
  /** Lines in front of the first field. */
  lead?: string
  /** Values are text in ISO 8859-1. */
  fields?: readonly Field[]
  /** Replaces the fields above: lines with their line ends. Gets the length of the body. */
  rawFields?: string | ((bodyLength: number) => string)
  /** Line end of the head; default CR LF. */
  lineEnd?: string
  body?: Buffer | string
  /** How the body is framed. `raw`: not at all, the fields say how. Default: by length. */
  framing?: 'length' | 'chunked' | 'raw'
  /** Sizes of the chunks. Default: the whole body. */
  chunkSize?: number
  /** Complete requests of other steps behind the body or in it: rendered and appended to the body. */
  embedded?: readonly RequestSpec[]
  /** What follows the head, instead of the body. */
  parts?: (render: (request: RequestSpec) => Buffer, marker: string) => Part[]
  /** Of the upstream. Default: an ordinary 200. */
  script?: (step: number, facts: ScriptFacts) => Action[]
  next?: (step: number, facts: ScriptFacts) => Action[]
  http11?: boolean
  /** The script is used only if the upstream is spoken to in HTTP/2. */
  http2?: boolean
  /** HTTP/2 only: what is sent as frames of the probe's own, malformed as it may be. Gets the valid fields. */
  http2Form?: (fields: readonly Field[]) => { fields: readonly Field[]; data?: Buffer }
  /** Of the response; default: the timeout of the run. */
  timeoutMs?: number
  /** Silence after which an incomplete response is given up; default 2 s. */
  silenceMs?: number
  /** Does not wait for the response before the next request is sent. */
  isPipelined?: boolean
  /** A valid request; its refusal is judged by the general rules. Default: true. */
  isValid?: boolean
  /** Leaves the marker field out. */
  noMarker?: boolean
  /** Replaces the path of the probe: what follows the prefix of the route. */
  path?: string
  /** JSON content that contains the marker, by which the request is recognized too. */
  content?: (marker: string, encoding: Encoding) => string
  /** What becomes of the fields that all requests to the gateway have; default: they are sent as they are. */
  extraFields?: (fields: readonly Field[]) => readonly Field[]
  /** Has the step, and so the path, of an earlier request of the same plan, by its label. */
  sameAs?: string
  /** It is about models: what the gateway sends to other routes, such as those of guards, is served by them, and no arrival. */
  ofModels?: true
  label?: string
  /** Requests to subgraphs belong to this step, see `StepScript`. */
  subgraphs?: string
}

export interface ScriptFacts {
  /** `http://host:port` of the upstream, as the gateway may know it. */
  upstreamOrigin: string
  /** Of the step: a request that has it in its content is one of the step. */
  marker: string
}

/** What a request depends on besides its specification. */
export interface Encoding {
  authority: string
  /** In front of the probe's own path. */
  prefix: string
  nonce: string
  field: string
  /** Credentials. */
  extraFields: readonly Field[]
  check: string
  /** Name of the model for the routes of models. */
  model: string
}

export interface EncodedRequest {
  step: number
  method: string
  parts: Part[]
}

/** Path of a step up to the number. */
export function stepPath({ prefix, nonce, check }: Encoding, step: number): string {
  return `${prefix}/probe/${nonce}/${check.toLowerCase()}/${step}`
}

/** `numberOf` gives each request its step. */
export function encodeRequest(
  spec: RequestSpec,
  encoding: Encoding,
  numberOf: (spec: RequestSpec) => number,
): EncodedRequest {
  const step = numberOf(spec)
  const method = spec.method ?? 'GET'
  const end = spec.lineEnd ?? '\r\n'
  const render = (request: RequestSpec): Buffer =>
    Buffer.concat(encodeRequest(request, encoding, numberOf).parts.filter(part => Buffer.isBuffer(part)))
  const embedded = Buffer.concat((spec.embedded ?? []).map(render))
  const text = spec.content?.(`${encoding.field}-${step}`, encoding) ?? spec.body ?? ''
  const own = Buffer.isBuffer(text) ? text : Buffer.from(text, spec.content === undefined ? 'latin1' : 'utf8')
  const body = Buffer.concat([own, embedded])
  const target = `${spec.targetPrefix?.(encoding.authority) ?? ''}${spec.path === undefined ? stepPath(encoding, step) : `${encoding.prefix}${spec.path}`}${spec.rest ?? ''}`
  const host = spec.host?.(encoding.authority) ?? `Host: ${encoding.authority}${end}`
  const line = spec.line?.(target) ?? `${method} ${target} HTTP/${spec.version ?? '1.1'}`
  const marker = spec.noMarker === true ? '' : `X-Svc-Probe: ${encoding.field}-${step}${end}`
  const raw = typeof spec.rawFields === 'function' ? spec.rawFields(body.length) : spec.rawFields
  const fields = raw ?? linesOf(spec.fields ?? [], end)
  const framing = spec.framing ?? 'length'
  const hasBody = spec.body !== undefined || spec.content !== undefined || embedded.length > 0
  const framed = !hasBody || spec.parts !== undefined || framing === 'raw' ? '' : framingField(framing, body, end)
  const extra = spec.extraFields?.(encoding.extraFields) ?? encoding.extraFields
  const head = Buffer.from(
    `${line}${end}${spec.lead ?? ''}${host}${marker}${linesOf(extra, end)}${fields}${framed}${end}`,
    'latin1',
  )
  if (spec.parts !== undefined)
    return { step, method, parts: [head, ...spec.parts(render, `${encoding.field}-${step}`)] }
  const content = hasBody ? (framing === 'chunked' ? chunked(body, spec.chunkSize) : body) : Buffer.alloc(0)
  return { step, method, parts: [Buffer.concat([head, content])] }
}

function linesOf(fields: readonly Field[], end: string): string {
  return fields.map(([name, value]) => `${name}: ${value}${end}`).join('')
}

function framingField(framing: 'length' | 'chunked', body: Buffer, end: string): string {
  return framing === 'chunked' ? `Transfer-Encoding: chunked${end}` : `Content-Length: ${body.length}${end}`
}

/** The chunked coding of a body (RFC 9112, 7.1). */
export function chunked(body: Buffer, size = body.length): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < body.length; at += size) {
    const piece = body.subarray(at, at + size)
    parts.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'))
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')])
}
