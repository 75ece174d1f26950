/** Splits a response body by its content type: events, lines, binary frames, or one JSON text. */
import { mediaTypeOf, parseJson } from '../../lib/protocol/http.ts'
import { readEvents } from '../../lib/protocol/sse.ts'

export interface RawFrame {
  event: string
  text: string
  /** Undefined: not JSON, such as the end marker of a stream. */
  json: unknown
  /** Whether it is one frame of a stream, not the whole body. */
  isPart: boolean
}

/** Yields frames as they arrive. */
export async function* readFrames(response: Response): AsyncGenerator<RawFrame> {
  if (response.body === null) return
  const type = mediaTypeOf([{ name: 'content-type', value: response.headers.get('content-type') ?? '' }])
  if (type === 'text/event-stream') yield* events(response.body)
  else if (type === 'application/x-ndjson') yield* lines(response.body)
  else if (type === 'application/vnd.amazon.eventstream') yield* awsFrames(response.body)
  else {
    const text = await response.text()
    yield { event: '', text, json: parseJson(text), isPart: false }
  }
}

async function* events(body: ReadableStream<Uint8Array>): AsyncGenerator<RawFrame> {
  for await (const { event, data } of readEvents(body))
    yield { event: event === 'message' ? '' : event, text: data, json: parseJson(data), isPart: true }
}

async function* lines(body: ReadableStream<Uint8Array>): AsyncGenerator<RawFrame> {
  const decoder = new TextDecoder()
  let rest = ''
  const frame = (text: string): RawFrame => ({ event: '', text, json: parseJson(text), isPart: true })
  for await (const chunk of chunks(body)) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = parts.pop()!
    for (const line of parts) if (line.trim() !== '') yield frame(line)
  }
  if (rest.trim() !== '') yield frame(rest)
}

/** `application/vnd.amazon.eventstream`: lengths, headers, payload, checksums. Does not verify the checksums. */
async function* awsFrames(body: ReadableStream<Uint8Array>): AsyncGenerator<RawFrame> {
  let buffer = new Uint8Array()
  for await (const chunk of chunks(body)) {
    const joined = new Uint8Array(buffer.length + chunk.length)
    joined.set(buffer)
    joined.set(chunk, buffer.length)
    buffer = joined
    for (let length = frameLength(buffer); length !== null && buffer.length >= length; length = frameLength(buffer)) {
      yield readAwsFrame(buffer.subarray(0, length))
      buffer = buffer.slice(length)
    }
  }
}

const PRELUDE = 12
const CHECKSUM = 4
const STRING_TYPE = 7

function frameLength(buffer: Uint8Array): number | null {
  if (buffer.length < PRELUDE) return null
  const length = viewOf(buffer).getUint32(0)
  if (length < PRELUDE + CHECKSUM) throw new Error('The stream has an invalid frame.')
  return length
}

function readAwsFrame(frame: Uint8Array): RawFrame {
  const payloadAt = PRELUDE + viewOf(frame).getUint32(4)
  const headers = awsHeaders(frame.subarray(PRELUDE, payloadAt))
  const text = new TextDecoder().decode(frame.subarray(payloadAt, frame.length - CHECKSUM))
  return {
    event: headers.get(':event-type') ?? headers.get(':exception-type') ?? '',
    text,
    json: parseJson(text),
    isPart: true,
  }
}

function awsHeaders(bytes: Uint8Array): Map<string, string> {
  const headers = new Map<string, string>()
  const decoder = new TextDecoder()
  for (let at = 0; at < bytes.length; ) {
    const nameEnd = at + 1 + bytes[at]!
    const name = decoder.decode(bytes.subarray(at + 1, nameEnd))
    if (bytes[nameEnd] !== STRING_TYPE) break
    const valueAt = nameEnd + 3
    at = valueAt + viewOf(bytes).getUint16(nameEnd + 1)
    headers.set(name, decoder.decode(bytes.subarray(valueAt, at)))
  }
  return headers
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

async function* chunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  try {
    for (let { value, done } = await reader.read(); !done; { value, done } = await reader.read()) yield value!
  } finally {
    reader.cancel().catch(() => {})
  }
}
