/** Requests of the client half in the format of a wire, and what came and went as readers of wires take it. */
import zlib from 'node:zlib'
import type { Call, ArrivalView } from '../client/evidence.ts'
import type { RequestSpec } from '../client/request.ts'
import { ResponseParser, valuesOf, type Field, type Response } from '../client/response-parser.ts'
import type { AnsweredRecord } from '../upstream/arrival-record.ts'
import type { Wire, WireAnswer, WireRequest } from '../wires/types.ts'

/** Of a decoded body. */
const MAX_DECODED = 8 * 1024 * 1024

/** The route of a client wire, as `--routes` and `Route.at` know it. */
export function routeOfWire(wire: string): string {
  return `wire.${wire}`
}

/**
 * The fields of a request: those of the user, with the bearer token as a client of the vendor sends it, then those of the routes
 * file.
 */
export function fieldsFor(wire: Wire, extra: readonly Field[], more: readonly Field[]): Field[] {
  const bearer = extra.findLast(([name, value]) => name.toLowerCase() === 'authorization' && /^bearer /i.test(value))
  const others = extra.filter(field => field !== bearer)
  return [...others, ...(bearer === undefined ? [] : wire.credentials(bearer[1].slice(7).trim())), ...more]
}

/** `write` gets the marker of the step. */
export function wireRequest(
  wire: Wire,
  write: (marker: string) => WireRequest,
  { fields = [], ...more }: Partial<RequestSpec> & { fields?: readonly Field[] },
): RequestSpec {
  const { method, path, fields: own } = write('marker')
  return {
    method,
    path,
    fields: own,
    extraFields: extra => fieldsFor(wire, extra, fields),
    content: marker => write(marker).body.toString('utf8'),
    // The gateway routes by path and model; a field that only the probe has would be one that no client sends.
    noMarker: true,
    ...more,
  }
}

/** The request as the client half sent it. */
export function sentRequest({ record }: Call): WireRequest {
  const text = record.sent.toString('latin1')
  const end = text.indexOf('\r\n\r\n')
  const [line = '', ...lines] = text.slice(0, Math.max(end, 0)).split('\r\n')
  return {
    method: record.method,
    path: line.split(' ')[1] ?? '',
    fields: lines.map((one): Field => {
      const colon = one.indexOf(':')
      return [one.slice(0, colon), one.slice(colon + 1).trim()]
    }),
    body: Buffer.from(end === -1 ? '' : text.slice(end + 4), 'latin1'),
  }
}

export function arrivedRequest(arrival: ArrivalView): WireRequest {
  return {
    method: arrival.method,
    path: arrival.target,
    fields: arrival.fields,
    body: decoded(arrival.content, arrival.fields).body,
  }
}

/** Null if nothing came back that is HTTP. */
export function receivedAnswer(response: Response | null): WireAnswer | null {
  if (response === null || response.status === 0) return null
  const { status, fields, body, isComplete } = response
  return { status, fields, body: decoded(body, fields).body, isComplete }
}

/** What the upstream wrote; null if it wrote no head. */
export function answeredAnswer({ bytes }: AnsweredRecord, method = 'POST'): WireAnswer | null {
  const parser = new ResponseParser([method])
  parser.feed({ atMs: 0, bytes: Buffer.from(bytes, 'latin1') })
  parser.end('fin', 0)
  parser.finish()
  return receivedAnswer(parser.responses[0] ?? null)
}

type Decode = (body: Buffer, options: { maxOutputLength: number }) => Buffer

/** By the name of the coding. Node has Zstandard from 22.15 on. */
const DECODERS: Readonly<Record<string, Decode | undefined>> = {
  gzip: zlib.gunzipSync,
  'x-gzip': zlib.gunzipSync,
  deflate: zlib.inflateSync,
  br: zlib.brotliDecompressSync,
  zstd: (zlib as { zstdDecompressSync?: Decode }).zstdDecompressSync,
}

/** Whether this process can read bodies with the coding. */
export function canDecode(coding: string): boolean {
  return DECODERS[coding] !== undefined
}

/** Without the content coding. As it is if the coding is not known here, or is not true: the body is something else. */
export function decoded(body: Buffer, fields: readonly Field[]): { body: Buffer; isTrue: boolean } {
  const coding = valuesOf(fields, 'content-encoding').join(',').trim().toLowerCase()
  const decode = DECODERS[coding]
  if (decode === undefined) return { body, isTrue: true }
  try {
    return { body: decode(body, { maxOutputLength: MAX_DECODED }), isTrue: true }
  } catch {
    // The reader of the wire reports what is wrong.
    return { body, isTrue: false }
  }
}
