/** Sides of an exchange in HTTP/2: fields and content, since there are no bytes that stand for a message. */
import type { ArrivalView, Call } from '../client/evidence.ts'
import { errorName, frameTexts } from '../client/http2-form.ts'
import { fieldsOfLines, http2RequestHead } from '../client/http2-message.ts'
import type { Field } from '../client/response-parser.ts'
import type { ArrivalRecord } from '../upstream/arrival-record.ts'
import { MAX_SIDE, relative, timed, type SideFacts } from './side-facts.ts'

/** Size and chunks are those of the content. */
export interface Http2Side extends SideFacts {
  /** In their order, pseudo-header fields too. */
  fields: Field[]
  /** Content as text in ISO 8859-1. */
  data: string
  /** Fields of interim responses. */
  interims?: Field[][]
  trailers?: Field[]
  /** Error code of RST_STREAM. */
  error?: string
  /** Frames that came on a connection on which the probe sends frames of its own. */
  frames?: string[]
}

/** The error code with which the client half disconnects (RFC 9113, 7). */
const CANCEL = 8
const MAX_INTERIMS = 8
const MAX_FRAMES = 40

type Parts = Omit<Http2Side, 'truncated' | 'interims'> & { interims?: readonly Field[][] }

export function http2SentSide(
  { record: { http2, sent, sentAtMs, sentEndMs }, exchange }: Call,
  connection: number | null,
): Http2Side {
  const { fields } = http2!
  const data = sent.subarray(http2RequestHead(fields).length)
  return http2Side({
    fields: [...fields],
    data: data.toString('latin1'),
    size: data.length,
    connection,
    chunks: data.length === 0 ? [] : relative([{ at_ms: sentEndMs, size: data.length }], sentAtMs),
    ended: null,
    ...(exchange.hasLeft && exchange.calls.at(-1)!.http2 === http2 ? { error: errorName(CANCEL) } : {}),
  })
}

export function http2ArrivedSide({ record, fields, rawBody }: ArrivalView, origin: number): Http2Side {
  return http2Side({
    fields,
    data: rawBody,
    size: record.body_size,
    connection: record.connection,
    // The first one is the head.
    chunks: relative(record.chunks.slice(1), origin),
    ended: record.ended,
    ...(record.trailers.length === 0 ? {} : { trailers: record.trailers }),
    ...(record.reset_code === null ? {} : { error: errorName(record.reset_code) }),
  })
}

export function http2AnsweredSide({ answered, connection }: ArrivalRecord, origin: number): Http2Side {
  const { bytes, size, chunks, head_sizes: headSizes, trailers_size: trailersSize } = answered
  const heads: Field[][] = []
  let at = 0
  for (const headSize of headSizes) {
    heads.push(responseFields(bytes.slice(at, at + headSize)))
    at += headSize
  }
  const end = size - trailersSize
  const trailers = fieldsOfLines(bytes.slice(end).split('\r\n'))
  return http2Side({
    interims: heads.slice(0, -1),
    fields: heads.at(-1) ?? [],
    data: bytes.slice(at, end),
    size: end - at,
    connection,
    chunks: relative(chunks.slice(headSizes.length, trailersSize > 0 ? -1 : undefined), origin),
    ended: null,
    ...(trailers.length === 0 ? {} : { trailers }),
  })
}

export function http2ReceivedSide({ record, exchange, response }: Call, connection: number | null): Http2Side {
  const { http2, sentAtMs, spec } = record
  const { errorCode } = http2!
  const received = spec.http2Form === undefined ? [] : exchange.received.map(({ bytes }) => bytes)
  const frames = frameTexts(Buffer.concat(received)).slice(0, MAX_FRAMES)
  return http2Side({
    interims: (response?.interims ?? []).map(({ status, fields }) => withStatus(status, fields)),
    fields: response === null ? [] : withStatus(response.status, response.fields),
    data: (response?.body ?? Buffer.alloc(0)).toString('latin1', 0, MAX_SIDE),
    size: response?.body.length ?? 0,
    connection,
    chunks: timed(response?.parts ?? [], sentAtMs),
    ended: exchange.ended ?? 'kept',
    ...(response === null || response.trailers.length === 0 ? {} : { trailers: response.trailers }),
    ...(errorCode === null ? {} : { error: errorName(errorCode) }),
    ...(frames.length === 0 ? {} : { frames }),
  })
}

function withStatus(status: number, fields: readonly Field[]): Field[] {
  return [[':status', String(status)], ...fields]
}

/** The fields of a head as text, whose first line has the status. */
function responseFields(head: string): Field[] {
  const [line = '', ...lines] = head.split('\r\n')
  return [[':status', line.split(' ')[1] ?? ''], ...fieldsOfLines(lines)]
}

/** Fields and content together have at most the length of a side. */
function http2Side({ interims = [], fields, data, trailers, ...facts }: Parts): Http2Side {
  const limit = { left: MAX_SIDE, isReached: interims.length > MAX_INTERIMS }
  const shownInterims = interims.slice(0, MAX_INTERIMS).map(one => limited(one, limit))
  const shownFields = limited(fields, limit)
  const shownTrailers = trailers === undefined ? null : limited(trailers, limit)
  const shownData = data.slice(0, limit.left)
  return {
    ...(shownInterims.length === 0 ? {} : { interims: shownInterims }),
    fields: shownFields,
    data: shownData,
    ...(shownTrailers === null ? {} : { trailers: shownTrailers }),
    ...facts,
    truncated: limit.isReached || shownData.length < facts.size,
  }
}

function limited(fields: readonly Field[], limit: { left: number; isReached: boolean }): Field[] {
  const shown: Field[] = []
  for (const [name, value] of fields) {
    const cut: Field = [name.slice(0, limit.left), value.slice(0, Math.max(0, limit.left - name.length))]
    limit.left -= cut[0].length + cut[1].length
    if (cut[0].length > 0) shown.push(cut)
    if (cut[0].length < name.length || cut[1].length < value.length) {
      limit.isReached = true
      break
    }
  }
  return shown
}
