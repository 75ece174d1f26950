/**
 * The reference proxy with HTTP/2 towards the client, and on request towards the upstream. HTTP/1.1 on the same port goes to
 * the reference proxy as it is.
 */
import {
  connect as connectHttp2,
  constants,
  createServer as createHttp2Server,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type ServerHttp2Stream,
} from 'node:http2'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { FRAME, framesIn } from '../../../plugins/probe/client/http2-form.ts'
import { ResponseParser } from '../../../plugins/probe/client/response-parser.ts'
import { RECEIVED, startProxy, type Fault, type ProxyServer } from './reference-proxy.ts'

type Pairs = [name: string, value: string][]

/** What the wrong proxy does differently in HTTP/2. */
export interface Http2Fault {
  /** Changes the head of the request in HTTP/1.1, line by line, before the reference proxy gets it. */
  lines?(lines: string[]): string[]
  /** Changes the fields of the request, in HTTP/2 with the upstream. */
  request?(fields: Pairs): Pairs
  /** Changes the fields of the response, or its trailers. */
  response?(fields: Pairs): Pairs
  trailers?(fields: Pairs): Pairs
  requestBody?(bytes: Buffer): Buffer
  responseBody?(bytes: Buffer): Buffer
  /** Forwards a request once all of it has arrived. */
  holdsRequests?: boolean
  /** Does not end the call at the upstream when the client does. */
  ignoresCancel?: boolean
  /** Content-Type of its own errors. */
  errorType?: string
  /** Speaks HTTP/2 with the upstream. */
  upstreamHttp2?: boolean
  /** Repeats a request when the upstream in HTTP/2 ends its stream with an error; the code is null for GOAWAY. */
  repeats?(isRefused: boolean): boolean
  /** Reads frames itself, checks nothing, and forwards these forms as HTTP/1.1. */
  accepts?: (text: string) => boolean
  /** Encodes spaces of paths in these forms. */
  encodesSpaces?: boolean
  /** Refuses streams above this number at once, without having announced it. */
  refusesAbove?: number
  /** Ends responses properly although they broke off. */
  repairsEnd?: boolean
  /** Holds the content of responses until it is complete. */
  holdsResponses?: boolean
}

const CONNECTION = /^(?:connection|keep-alive|proxy-connection|transfer-encoding|upgrade)$/i
const PREFACE = 'PRI * HTTP/2.0'

/** `grpcPort` is where the upstream speaks HTTP/2. */
export async function startHttp2Proxy(
  { http: upstreamPort, grpc: grpcPort }: { http: number | null; grpc: number | null },
  fault: Fault = {},
  http2Fault: Http2Fault = {},
): Promise<ProxyServer> {
  const plain = await startProxy(upstreamPort!, fault)
  const sockets = new Set<Socket>()
  const http2 = createHttp2Server({ maxHeaderListPairs: 2_000, settings: { maxHeaderListSize: 256 * 1024 } })
  let open = 0
  let upstream: ClientHttp2Session | null = null
  const session = (): ClientHttp2Session => {
    if (upstream === null || upstream.closed || upstream.destroyed) {
      upstream = connectHttp2(`http://127.0.0.1:${grpcPort}`)
      upstream.on('error', () => {})
    }
    return upstream
  }
  http2.on('sessionError', () => {})
  http2.on('stream', (stream, _headers, _flags, ...more: unknown[]) => {
    const fields = pairsOf(more[0] as string[])
    stream.on('error', () => {})
    if (http2Fault.refusesAbove !== undefined && open >= http2Fault.refusesAbove)
      return void stream.close(constants.NGHTTP2_REFUSED_STREAM)
    open++
    stream.on('close', () => open--)
    if (http2Fault.upstreamHttp2 === true) toHttp2(stream, fields, session, http2Fault)
    else toHttp1(stream, fields, plain.port, http2Fault)
  })
  const server = createServer({ noDelay: true }, socket => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    socket.once('readable', () => {
      const first = (socket.read() ?? Buffer.alloc(0)) as Buffer
      socket.unshift(first)
      if (!first.toString('latin1').startsWith(PREFACE)) tunnel(socket, plain.port)
      else if (!isForm(first)) http2.emit('connection', socket)
      else if (http2Fault.accepts !== undefined) forwardForm(socket, upstreamPort!, http2Fault)
      // Node forwards a request without the fields whose values are not valid, instead of rejecting it.
      else if (isMalformed(first)) socket.destroy()
      else http2.emit('connection', socket)
    })
  })
  const port = await listen(server)
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      upstream?.destroy()
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      await closed
      await plain.close()
    },
  }
}

function listen(server: Server): Promise<number> {
  return new Promise(resolve =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)),
  )
}

function tunnel(client: Socket, port: number): void {
  const other = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
  other.on('error', () => client.resetAndDestroy())
  // Broken off here means broken off there.
  other.on('close', () => client.destroy())
  client.on('close', () => other.destroy())
  client.pipe(other)
  other.pipe(client)
}

function pairsOf(raw: readonly string[]): Pairs {
  return Array.from({ length: raw.length / 2 }, (_, index) => [raw[index * 2]!, raw[index * 2 + 1]!])
}

/** Values of one name together, as Node wants them. */
function grouped(fields: Pairs): Record<string, string[] | string> {
  const found: Record<string, string[]> = {}
  for (const [name, value] of fields) (found[name.toLowerCase()] ??= []).push(value)
  return Object.fromEntries(
    Object.entries(found).map(([name, values]) => [name, values.length === 1 ? values[0]! : values]),
  )
}

/** Forwards a stream to the reference proxy; `:authority` alone decides about the host. */
function toHttp1(stream: ServerHttp2Stream, fields: Pairs, port: number, fault: Http2Fault): void {
  const pseudo = new Map(fields.filter(([name]) => name.startsWith(':')))
  const method = pseudo.get(':method')!
  const own = fields.filter(([name]) => !name.startsWith(':') && name !== 'host' && name !== 'cookie')
  const cookies = fields.filter(([name]) => name === 'cookie').map(([, value]) => value)
  const hasLength = own.some(([name]) => name === 'content-length')
  const isChunked = !hasLength && !stream.endAfterHeaders
  const lines = [
    `${method} ${pseudo.get(':path')} HTTP/1.1`,
    `Host: ${pseudo.get(':authority')}`,
    `${RECEIVED}: 2.0`,
    ...own.map(([name, value]) => `${name}: ${value}`),
    ...(cookies.length === 0 ? [] : [`cookie: ${cookies.join('; ')}`]),
    ...(isChunked ? ['Transfer-Encoding: chunked'] : []),
  ]
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  socket.on('error', () => {})
  socket.write(`${(fault.lines?.(lines) ?? lines).join('\r\n')}\r\n\r\n`, 'latin1')
  stream.on('data', (bytes: Buffer) => {
    socket.write(
      isChunked ? Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]) : bytes,
    )
  })
  stream.on('end', () => {
    if (isChunked) socket.write('0\r\n\r\n')
  })
  stream.on('close', () => socket.destroy())
  const held: Buffer[] = []
  let isComplete = false
  const parser = new ResponseParser([method], {
    onHead(status, back, isInterim) {
      const kept = back
        .filter(([name]) => !CONNECTION.test(name))
        .map(([name, value]): [string, string] => [name, value])
      const changed = fault.response?.(kept) ?? kept
      if (stream.destroyed) return
      if (isInterim) stream.additionalHeaders({ ':status': status, ...grouped(changed) })
      else stream.respond({ ':status': status, ...grouped(changed) })
    },
    onContent(bytes) {
      if (fault.holdsResponses === true) held.push(bytes)
      else if (!stream.destroyed) stream.write(bytes)
    },
    onComplete() {
      isComplete = true
      if (!stream.destroyed) stream.end(Buffer.concat(held))
    },
  })
  socket.on('data', (bytes: Buffer) => parser.feed({ atMs: 0, bytes }))
  socket.on('close', () => {
    parser.end('fin', 0)
    if (isComplete || stream.destroyed) return
    if (fault.repairsEnd === true && stream.headersSent) stream.end()
    //  would end the stream properly first.
    else stream.destroy(new Error('broken off'))
  })
}

/** Forwards a stream to an upstream in HTTP/2. */
function toHttp2(stream: ServerHttp2Stream, fields: Pairs, session: () => ClientHttp2Session, fault: Http2Fault): void {
  const own = fields.filter(([name]) => name !== 'host' && name !== 'x-forwarded-for')
  const forwarded = [
    ...(fault.request?.(own) ?? own),
    ['x-forwarded-for', '127.0.0.1'] as [string, string],
    ['via', '2.0 reference'] as [string, string],
  ]
  const body: Buffer[] = []
  let current: ClientHttp2Stream | null = null
  let trailers: Pairs = []
  stream.on('wantTrailers', () => stream.sendTrailers(grouped(fault.trailers?.(trailers) ?? trailers)))
  const change = (bytes: Buffer): Buffer => fault.requestBody?.(bytes) ?? bytes
  stream.on('data', (bytes: Buffer) => {
    body.push(change(bytes))
    if (fault.holdsRequests !== true) current!.write(change(bytes))
  })
  stream.on('end', () => {
    if (fault.holdsRequests === true) attempt(1)
    else current!.end()
  })
  const attempt = (number: number): void => {
    const isWhole = number > 1 || fault.holdsRequests === true
    const sent = session().request(grouped(forwarded), { endStream: false })
    current = sent
    sent.on('error', () => {})
    if (isWhole) sent.end(Buffer.concat(body))
    let hasHead = false
    sent.on('response', (_headers, flags: number, ...more: unknown[]) => {
      hasHead = true
      const pairs = pairsOf(more[0] as string[]).map(([name, value]): [string, string] => [name, value])
      const back = grouped([...(fault.response?.(pairs) ?? pairs), ['via', '2.0 reference']])
      const isLast = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0
      if (!stream.destroyed) stream.respond(back, isLast ? { endStream: true } : { waitForTrailers: true })
    })
    sent.on('trailers', (_headers: unknown, _flags: unknown, ...more: unknown[]) => {
      trailers = pairsOf(more[0] as string[])
    })
    const held: Buffer[] = []
    sent.on('data', (bytes: Buffer) => {
      if (fault.holdsResponses === true) held.push(bytes)
      else if (!stream.destroyed) stream.write(fault.responseBody?.(bytes) ?? bytes)
    })
    sent.on('close', () => {
      if (stream.destroyed) return
      if (hasHead && sent.rstCode === 0) return void stream.end(Buffer.concat(held))
      const isRefused = sent.rstCode === constants.NGHTTP2_REFUSED_STREAM
      if (!hasHead && number === 1 && fault.repeats?.(isRefused) === true) return attempt(2)
      if (hasHead) return void stream.destroy(new Error('broken off'))
      stream.respond({ ':status': 502, 'content-type': fault.errorType ?? 'text/plain' })
      stream.end()
    })
    if (fault.ignoresCancel !== true) stream.on('close', () => sent.close(constants.NGHTTP2_CANCEL))
  }
  if (fault.holdsRequests !== true) attempt(1)
}

/** Reads the literal fields of the probe, and writes them as HTTP/1.1 without looking at them. */
function forwardForm(client: Socket, upstreamPort: number, { accepts, encodesSpaces }: Http2Fault): void {
  let received: Buffer = Buffer.alloc(0)
  client.on('data', chunk => {
    received = Buffer.concat([received, chunk])
    const frames = framesIn(received.subarray(24))
    const head = frames.find(({ type }) => type === FRAME.headers)
    if (head === undefined) return
    const fields = literalFields(head.payload)
    const valueOf = (name: string): string => fields.find(([found]) => found === name)?.[1] ?? ''
    const lines = [
      `${valueOf(':method')} ${valueOf(':path')} HTTP/1.1`,
      `Host: ${valueOf(':authority')}`,
      ...fields.filter(([name]) => !name.startsWith(':')).map(([name, value]) => `${name}: ${value}`),
    ]
    const isTwice = fields.filter(([name]) => name === ':path').length > 1
    if (accepts?.(`${lines.join('\r\n')}${isTwice ? '\r\ntwo paths' : ''}`) !== true) return void client.destroy()
    if (encodesSpaces === true) lines[0] = lines[0]!.replace(/ x(?= HTTP)/, '%20x')
    const body = frames.find(({ type }) => type === FRAME.data)?.payload ?? Buffer.alloc(0)
    const upstream = connect({ port: upstreamPort, host: '127.0.0.1' })
    upstream.on('error', () => {})
    upstream.write(
      Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body, Buffer.from('0\r\n\r\n')]),
    )
    upstream.once('data', () => client.destroy())
    client.on('close', () => upstream.destroy())
  })
}

function headFrame(bytes: Buffer): Buffer | null {
  return framesIn(bytes.subarray(24)).find(({ type }) => type === FRAME.headers)?.payload ?? null
}

/** Whether the fields of the first request are literals, as the probe writes forms that may be malformed. */
function isForm(bytes: Buffer): boolean {
  return headFrame(bytes)?.[0] === 0
}

/** Whether the first request is malformed (RFC 9113, 8.2.1 and 8.2.2). */
function isMalformed(bytes: Buffer): boolean {
  return literalFields(headFrame(bytes)!).some(
    // oxlint-disable-next-line no-control-regex
    ([name, value]) => /[A-Z]/.test(name) || /[\0\r\n]/.test(value) || CONNECTION.test(name),
  )
}

/** Fields that are literals without Huffman coding. */
function literalFields(block: Buffer): Pairs {
  const fields: Pairs = []
  let at = 0
  const text = (): string => {
    let size = block[at++]!
    if (size === 127)
      for (let shift = 0, more = 128; more >= 128; shift += 7) size += ((more = block[at++]!) & 127) << shift
    const value = block.toString('latin1', at, at + size)
    at += size
    return value
  }
  while (at < block.length) {
    at++
    fields.push([text(), text()])
  }
  return fields
}
