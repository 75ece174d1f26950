/** Requests of the client half in HTTP/2. */
import { http2Fields } from './http2-message.ts'
import { stepPath, type Encoding, type Part, type RequestSpec } from './request.ts'
import type { Field } from './response-parser.ts'

export interface EncodedHttp2Request {
  step: number
  method: string
  /** Pseudo-header fields first. */
  fields: Field[]
  /** The content, with pauses. */
  parts: Part[]
  /** Content that frames of the probe's own send; null for an ordinary request. */
  form: Buffer | null
}

export function encodeHttp2Request(
  spec: RequestSpec,
  encoding: Encoding,
  numberOf: (spec: RequestSpec) => number,
  isTls: boolean,
): EncodedHttp2Request {
  const step = numberOf(spec)
  const method = spec.method ?? 'GET'
  const text = spec.content?.(`${encoding.field}-${step}`, encoding) ?? spec.body ?? ''
  const body = Buffer.isBuffer(text) ? text : Buffer.from(text, spec.content === undefined ? 'latin1' : 'utf8')
  const raw = typeof spec.rawFields === 'function' ? spec.rawFields(body.length) : spec.rawFields
  const own = raw === undefined ? (spec.fields ?? []) : fieldsOf(raw)
  const hasBody = spec.body !== undefined || spec.content !== undefined
  const hasLength = hasBody && spec.parts === undefined && (spec.framing ?? 'length') === 'length'
  const fields: Field[] = [
    [':method', method],
    [':scheme', isTls ? 'https' : 'http'],
    [':authority', encoding.authority],
    [
      ':path',
      `${spec.path === undefined ? stepPath(encoding, step) : `${encoding.prefix}${spec.path}`}${spec.rest ?? ''}`,
    ],
    ...http2Fields([
      ...(spec.noMarker === true ? [] : [['x-svc-probe', `${encoding.field}-${step}`] as const]),
      ...encoding.extraFields,
      ...own,
      ...(hasLength ? [['content-length', String(body.length)] as const] : []),
    ]),
  ]
  const parts = spec.parts === undefined ? (body.length === 0 ? [] : [body]) : contentParts(spec)
  const form = spec.http2Form?.(fields)
  return {
    step,
    method,
    fields: [...(form?.fields ?? fields)],
    parts,
    form: form === undefined ? null : (form.data ?? Buffer.alloc(0)),
  }
}

function fieldsOf(lines: string): Field[] {
  return lines
    .split(/\r?\n/)
    .filter(line => line.includes(':'))
    .map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()])
}

/** The parts without the chunked coding. Each part of a plan has whole chunks. */
function contentParts(spec: RequestSpec): Part[] {
  const parts = spec.parts!(() => Buffer.alloc(0), '')
  const isChunked = typeof spec.rawFields === 'string' && /^transfer-encoding:/im.test(spec.rawFields)
  return isChunked ? parts.map(part => (Buffer.isBuffer(part) ? unchunked(part) : part)) : parts
}

/** The content of a chunked body; what is not a whole chunk is left out. */
export function unchunked(bytes: Buffer): Buffer {
  return Buffer.concat(chunksOf(bytes).chunks)
}

/** Where the last chunk of a chunked body is, which trailers follow; null if it has not come. */
export function lastChunkAt(bytes: Buffer): number | null {
  const { end, size } = chunksOf(bytes)
  return size === 0 ? end : null
}

/** The chunks with content, where they end, and the size of the next one. */
function chunksOf(bytes: Buffer): { chunks: Buffer[]; end: number; size: number } {
  const chunks: Buffer[] = []
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n', at)
    const size = end === -1 ? Number.NaN : Number.parseInt(bytes.toString('latin1', at, end), 16)
    if (!(size > 0)) return { chunks, end: at, size }
    chunks.push(bytes.subarray(end + 2, end + 2 + size))
    at = end + 2 + size + 2
  }
}
