/** HTTP/2 frames of the probe's own, for requests that no library sends (RFC 9113, 4 and 6; RFC 7541, 6.2.2). */
import type { Socket } from 'node:net'
import { Changes, clock } from './changes.ts'
import type { CallRecord, ExchangeOptions, ExchangeRecord } from './exchange.ts'
import { http2RequestHead } from './http2-message.ts'
import type { EncodedHttp2Request } from './http2-request.ts'
import type { Field } from './response-parser.ts'

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
export const FRAME = { data: 0, headers: 1, reset: 3, settings: 4, goAway: 7 } as const
const ACK = 1
const END_STREAM = 1
const END_HEADERS = 4
const STREAM = 1
const WATCH_MS = 2_000
const MAX_RECEIVED = 1024 * 1024

export function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** Fields as literals without indexing and without Huffman coding, whatever they contain. */
export function fieldBlock(fields: readonly Field[]): Buffer {
  return Buffer.concat(fields.flatMap(([name, value]) => [Buffer.from([0]), literal(name), literal(value)]))
}

function literal(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1')
  const size = [Math.min(bytes.length, 127)]
  if (bytes.length >= 127) {
    let rest = bytes.length - 127
    for (; rest >= 128; rest >>= 7) size.push((rest & 127) | 128)
    size.push(rest)
  }
  return Buffer.concat([Buffer.from(size), bytes])
}

/** The frames in what was received, as far as they are whole. */
export function framesIn(bytes: Buffer): { type: number; flags: number; stream: number; payload: Buffer }[] {
  const frames = []
  for (let at = 0; at + 9 <= bytes.length; ) {
    const size = bytes.readUIntBE(at, 3)
    if (at + 9 + size > bytes.length) break
    frames.push({
      type: bytes[at + 3]!,
      flags: bytes[at + 4]!,
      stream: bytes.readUInt32BE(at + 5) & 0x7fffffff,
      payload: bytes.subarray(at + 9, at + 9 + size),
    })
    at += 9 + size
  }
  return frames
}

/** Names of error codes, by number (RFC 9113, 7). */
const ERRORS = [
  'NO_ERROR',
  'PROTOCOL_ERROR',
  'INTERNAL_ERROR',
  'FLOW_CONTROL_ERROR',
  'SETTINGS_TIMEOUT',
  'STREAM_CLOSED',
  'FRAME_SIZE_ERROR',
  'REFUSED_STREAM',
  'CANCEL',
  'COMPRESSION_ERROR',
  'CONNECT_ERROR',
  'ENHANCE_YOUR_CALM',
  'INADEQUATE_SECURITY',
  'HTTP_1_1_REQUIRED',
]
const FRAME_NAMES = [
  'DATA',
  'HEADERS',
  'PRIORITY',
  'RST_STREAM',
  'SETTINGS',
  'PUSH_PROMISE',
  'PING',
  'GOAWAY',
  'WINDOW_UPDATE',
  'CONTINUATION',
]

export function errorName(code: number): string {
  return ERRORS[code] ?? `0x${code.toString(16)}`
}

/** The frames of a connection for a reader: type, stream and error code. */
export function frameTexts(bytes: Buffer): string[] {
  return framesIn(bytes).map(({ type, stream, payload }) => {
    const at = type === FRAME.reset ? 0 : type === FRAME.goAway ? 4 : null
    const error = at === null || payload.length < at + 4 ? [] : [errorName(payload.readUInt32BE(at))]
    return [FRAME_NAMES[type] ?? `type ${type}`, ...(stream === 0 ? [] : [`stream ${stream}`]), ...error].join(' ')
  })
}

/** Sends one request, and watches until the gateway answers it, resets it, or closes the connection. */
export async function runFormExchange(
  socket: Socket,
  request: EncodedHttp2Request,
  calls: CallRecord[],
  { signal }: ExchangeOptions,
): Promise<ExchangeRecord> {
  const call = calls[0]!
  const changes = new Changes()
  const port = socket.localPort ?? 0
  let received: Buffer = Buffer.alloc(0)
  let ended: ExchangeRecord['ended'] = null
  const end = (how: 'fin' | 'reset'): void => {
    ended ??= how
    changes.notify()
  }
  const stop = (): void => void socket.destroy()
  signal.addEventListener('abort', stop)
  socket.on('end', () => end('fin'))
  socket.on('error', () => end('reset'))
  socket.on('close', () => end('reset'))
  socket.on('data', (chunk: Buffer) => {
    if (received.length < MAX_RECEIVED) received = Buffer.concat([received, chunk])
    changes.notify()
  })
  const content = request.form!
  call.sentAtMs = clock()
  socket.write(
    Buffer.concat([
      PREFACE,
      frame(FRAME.settings, 0, 0),
      frame(FRAME.settings, ACK, 0),
      frame(FRAME.headers, END_HEADERS | (content.length === 0 ? END_STREAM : 0), STREAM, fieldBlock(request.fields)),
      ...(content.length === 0 ? [] : [frame(FRAME.data, END_STREAM, STREAM, content)]),
    ]),
  )
  call.sent = Buffer.concat([http2RequestHead(request.fields), content])
  call.sentEndMs = clock()
  const until = clock() + WATCH_MS
  const isAnswered = (): boolean =>
    framesIn(received).some(
      ({ type, stream }) =>
        type === FRAME.goAway || (stream === STREAM && (type === FRAME.headers || type === FRAME.reset)),
    )
  await changes.waitUntil(
    () => ended !== null || isAnswered(),
    () => until,
  )
  signal.removeEventListener('abort', stop)
  socket.destroy()
  const reset = framesIn(received).find(({ type }) => type === FRAME.reset || type === FRAME.goAway)
  call.http2!.errorCode = reset === undefined ? null : reset.payload.readUInt32BE(reset.type === FRAME.reset ? 0 : 4)
  return {
    connectError: null,
    port,
    calls,
    sent: [{ atMs: call.sentAtMs, bytes: call.sent }],
    received: [{ atMs: clock(), bytes: received }],
    receivedBytes: received.length,
    ended,
    endedMs: null,
    watchedUntilMs: clock(),
    extra: Buffer.alloc(0),
    hasLeft: false,
    leftAtMs: null,
    untilEndedMs: 0,
    announcedStreams: null,
    exceeded: null,
  }
}
