/** gRPC over HTTP/2 streams, gRPC-Web over HTTP/1.1, and HTTP/2 itself as bytes on a socket. */
import { connect as connectHttp2, type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2'
import { connect, createServer, type AddressInfo } from 'node:net'
import { FRAME, frameTypes } from '../../support/http2-frames.ts'
import type { AnyFamily, Family, Finding } from '../engine.ts'
import { mutateBytes, mutateText } from '../mutate.ts'
import type { Random } from '../random.ts'
import { sendRaw, type HttpInput, type Target } from './server.ts'

interface Call {
  path: string
  timeout: string
  encoding: string
  body: Buffer
}

const PATIENCE_MS = 8000
const SERVICE = '/svc.echo.v1.EchoService'
/** Field 1 of a message, a text: `message` of an echo. */
const message = (text: string): Buffer => Buffer.concat([Buffer.from([0x0a, text.length]), Buffer.from(text)])

/** A length-prefixed message (gRPC over HTTP/2, "Length-Prefixed-Message"). */
function prefixed(payload: Buffer, flags = 0): Buffer {
  const head = Buffer.alloc(5)
  head[0] = flags
  head.writeUInt32BE(payload.length, 1)
  return Buffer.concat([head, payload])
}

const CALLS: Call[] = [
  { path: `${SERVICE}/Echo`, timeout: '1S', encoding: 'identity', body: prefixed(message('hello')) },
  {
    path: `${SERVICE}/ServerStream`,
    timeout: '500m',
    encoding: 'identity',
    body: prefixed(Buffer.concat([message('a'), Buffer.from([0x10, 2])])),
  },
  {
    path: `${SERVICE}/ClientStream`,
    timeout: '1S',
    encoding: 'gzip',
    body: Buffer.concat([prefixed(message('a')), prefixed(message('b'))]),
  },
  {
    path: `${SERVICE}/BidiStream`,
    timeout: '1S',
    encoding: 'identity',
    body: Buffer.concat([prefixed(message('a')), prefixed(message('b'))]),
  },
  {
    path: `${SERVICE}/Fail`,
    timeout: '1S',
    encoding: 'identity',
    body: prefixed(Buffer.concat([Buffer.from([0x08, 5]), Buffer.from([0x12, 1, 0x78])])),
  },
  { path: '/grpc.health.v1.Health/Check', timeout: '1S', encoding: 'identity', body: prefixed(Buffer.alloc(0)) },
  {
    path: '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
    timeout: '1S',
    encoding: 'identity',
    body: Buffer.concat([
      prefixed(Buffer.from([0x3a, 0])),
      prefixed(Buffer.concat([Buffer.from([0x22, 24]), Buffer.from('svc.echo.v1.EchoService'.padEnd(24))])),
    ]),
  },
]
const WORDS = [
  '\0\0\0\0\0',
  '\x01\0\0\0\x05',
  '\0\xff\xff\xff\xff',
  '\x80\0\0\0\0',
  '\x0a\xff\xff\xff\xff\x0f',
  '\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01',
  '\x0b\x0c',
  '\x1f\x8b\x08',
]

function mutateCall(random: Random, call: Call): Call {
  return {
    path: random.oneIn(8) ? mutateText(random, call.path).replace(/[^\x21-\x7e]/g, '?') : call.path,
    timeout: random.oneIn(5)
      ? mutateText(random, call.timeout, ['S', 'm', 'n', 'H', '99999999'])
          .replace(/[^\x21-\x7e]/g, '')
          .slice(0, 200)
      : call.timeout,
    encoding: random.oneIn(6) ? random.pick(['gzip', 'deflate', 'br', 'identity', 'x', '']) : call.encoding,
    body: mutateBytes(random, call.body, WORDS),
  }
}

export async function grpcFamilies(
  target: Target,
  slice: number,
): Promise<{ calls: AnyFamily[]; frames: AnyFamily; close(): void }> {
  const port = target.server.ports.grpc!
  let session: ClientHttp2Session | null = null
  // The server closes idle connections, which happens while other families run.
  const open = (): ClientHttp2Session => {
    if (session === null || session.closed || session.destroyed)
      session = connectHttp2(`http://127.0.0.1:${port}`).on('error', () => {})
    return session
  }
  const calls: Family<Call> = {
    name: 'gRPC messages',
    seeds: CALLS,
    slice,
    inFlight: 8,
    mutate: mutateCall,
    run: call => callOver(open(), call),
  }
  const web: Family<Call> = {
    name: 'gRPC-Web bodies',
    seeds: CALLS,
    slice,
    inFlight: 6,
    mutate: mutateCall,
    run: call => target.send(toWeb(call)),
  }
  const recorded = await recordSession(port)
  const http2: Family<Buffer> = {
    name: 'HTTP/2 frames',
    seeds: [recorded],
    slice,
    inFlight: 8,
    mutate: (random, seed) => Buffer.concat([seed.subarray(0, 24), mutateBytes(random, seed.subarray(24), WORDS)]),
    // After GOAWAY the client should disconnect; otherwise the server does after a timeout.
    run: async bytes => void (await sendRaw(port, bytes, received => frameTypes(received).includes(FRAME.goaway))),
  }
  return { calls: [calls, web], frames: http2, close: () => session?.destroy() }
}

/** Every call ends with a gRPC status, or is rejected with an HTTP status below 500. */
function callOver(session: ClientHttp2Session, { path, timeout, encoding, body }: Call): Promise<Finding> {
  return new Promise(resolve => {
    const stream = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
      'grpc-encoding': encoding,
      'grpc-timeout': timeout,
    })
    let head: IncomingHttpHeaders = {}
    const timer = setTimeout(() => {
      stream.destroy()
      resolve(`no end within ${PATIENCE_MS} ms`)
    }, PATIENCE_MS)
    stream
      .on('response', headers => {
        head = headers
      })
      .on('error', () => {})
      .resume()
    stream.on('close', () => {
      clearTimeout(timer)
      const status = Number(head[':status'] ?? 0)
      resolve(status >= 500 ? `status ${status}` : null)
    })
    stream.end(body)
  })
}

function toWeb({ path, timeout, encoding, body }: Call): HttpInput {
  const isText = body.length % 2 === 0
  return {
    method: 'POST',
    path: path.startsWith('/') ? path : `/${path}`,
    headers: {
      'content-type': isText ? 'application/grpc-web-text' : 'application/grpc-web+proto',
      'grpc-timeout': timeout,
      'grpc-encoding': encoding,
    },
    body: isText ? body.toString('base64') : body,
  }
}

/** The bytes that an HTTP/2 client sends for a call, to be replayed. */
async function recordSession(port: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  const proxy = createServer(client => {
    const upstream = connect(port, '127.0.0.1')
    client.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => {})
    upstream.on('error', () => {})
    client.pipe(upstream).pipe(client)
  })
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
  const session = connectHttp2(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`)
  await callOver(session, CALLS[0]!)
  await new Promise<void>(resolve => session.close(resolve))
  proxy.close()
  return Buffer.concat(chunks)
}
