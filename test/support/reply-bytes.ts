/**
 * Compares responses byte by byte: with fast paths, without them, and from a bare `node:http` server. The script needs no
 * packages, so that it can be bundled and run on every supported Node version. It prints one JSON line per comparison.
 */
import { once } from 'node:events'
import { createServer, ServerResponse, type IncomingMessage, type OutgoingHttpHeader, type Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createFastResponse } from '../../core/http/node-internals/fast-response.ts'
import { createHttp1Response } from '../../core/http/response/response.ts'

export interface Comparison {
  reply: string
  request: string
  /** Size of the bare server's response in bytes. */
  length: number
  /** Null if the response equals the bare server's, otherwise both responses from the first difference. */
  on: Difference | null
  off: Difference | null
}
interface Difference {
  at: number
  expected: string
  actual: string
}

type Response = ServerResponse<IncomingMessage>
type Handler = (response: Response, request: IncomingMessage) => unknown

const TEXT = 'ä€ and ASCII '.repeat(40)
const ALL_BYTES = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
const length = (body: string | Buffer): { 'Content-Length': string } => ({
  'Content-Length': String(Buffer.byteLength(body)),
})

/** Heads sent as a list: with a body of known length, a chunked body, and no body. */
const heads: Record<string, OutgoingHttpHeader[]> = {
  plain: ['X-A', 'one', 'x-b', 'two', 'Content-Type', 'text/plain'],
  'one name twice': ['X-A', 'one', 'X-A', 'two', 'x-a', 'three'],
  'connection close': ['Connection', 'close', 'X-A', 'one'],
  'keep-alive of the route': ['Connection', 'keep-alive', 'Keep-Alive', 'timeout=9'],
  'date of the route': ['Date', 'Thu, 01 Jan 1970 00:00:00 GMT'],
  'values that are not text': ['X-Number', 7, 'Set-Cookie', ['a=1', 'b=2'], 'X-List', ['1', '2']],
  'Latin-1 and tabs': ['X-A', 'grüße\tda', 'X-Empty', ''],
  'a long value': ['X-Long', 'x'.repeat(5000)],
  'a line end in a value': ['X-A', 'one\r\nX-Evil: 1'],
  'beyond Latin-1': ['X-A', '€'],
  'no value': ['X-A', undefined as unknown as string],
  'not a token': ['X A', 'one'],
  'a colon in a name': ['X-A: b\r\nX-C', 'one'],
  'no name': ['', 'one'],
  'upgrade and trailer': ['Upgrade', 'h2c', 'Trailer', 'X-End'],
}

const bodies: Record<string, { length: string | null; send(response: Response): unknown }> = {
  'a whole body': { length: '5', send: response => response.end('hello') },
  'a whole body beyond ASCII': { length: String(Buffer.byteLength(TEXT)), send: response => response.end(TEXT) },
  bytes: { length: '256', send: response => response.end(ALL_BYTES) },
  chunks: { length: null, send: response => (response.write('one'), response.write(TEXT), response.end('end')) },
  'one chunk beyond ASCII': { length: null, send: response => response.end('grüße €') },
  nothing: { length: null, send: response => response.end() },
}

const handlers: Record<string, Handler> = {
  'implicit head': response => response.end('hello'),
  'headers set one by one': response => {
    response.setHeader('X-A', 'one').setHeader('X-B', ['1', '2'])
    response.end(TEXT)
  },
  'set and given': response => {
    response.setHeader('X-A', 'set').setHeader('X-B', 'set')
    response.writeHead(200, { 'x-a': 'given', ...length('hello') }).end('hello')
  },
  'an object of headers': response =>
    response.writeHead(200, { 'X-A': 'one', 'x-b': 7, 'Set-Cookie': ['a=1', 'b=2'], ...length('hello') }).end('hello'),
  'pairs of headers': response =>
    response
      .writeHead(200, [
        ['X-A', 'one'],
        ['X-B', 'two'],
        ['X-A', 'three'],
      ] as unknown as OutgoingHttpHeader[])
      .end('hello'),
  'a reason phrase': response =>
    response.writeHead(299, 'Fine Enough', ['X-A', 'one', 'Content-Length', '5']).end('hello'),
  'a status without a phrase': response => response.writeHead(799, length('hello')).end('hello'),
  'an empty body': response => response.writeHead(200, length('')).end(''),
  'a megabyte': response => response.writeHead(200, length('x'.repeat(1e6))).end('x'.repeat(1e6)),
  'many bytes': response => response.writeHead(200, length(Buffer.alloc(20_000))).end(Buffer.alloc(20_000, 0xfe)),
  'a part of a buffer': response =>
    response.writeHead(200, { 'Content-Length': '3' }).end(new Uint8Array([1, 2, 200, 201, 202, 3]).subarray(2, 5)),
  'bytes without a length': response => response.end(Buffer.from([0xff, 0])),
  'no bytes': response => response.writeHead(200, length('')).end(Buffer.alloc(0)),
  'less than announced': response =>
    response.writeHead(200, { 'Content-Length': '9', Connection: 'close' }).end('hello'),
  'more than announced': response =>
    response.writeHead(200, { 'Content-Length': '2', Connection: 'close' }).end('hello'),
  'hexadecimal text': response => response.writeHead(200, { 'Content-Length': '3' }).end('616263', 'hex'),
  'Latin-1 text': response => response.writeHead(200, { 'Content-Length': '5' }).end('grüße', 'latin1'),
  'an end with a callback': response => response.writeHead(200, length('hello')).end('hello', () => {}),
  'null as Fastify has it': response =>
    response.writeHead(200, length('hello')).end('hello', null as never, null as never),
  '204': response => response.writeHead(204).end('dropped'),
  '204 with chunks': response => (response.writeHead(204), response.write('dropped'), response.end('dropped')),
  '205': response => response.writeHead(205, length('')).end(),
  '304': response => response.writeHead(304, { ETag: '"a"' }).end('dropped'),
  '304 with a length': response => response.writeHead(304, ['Content-Length', '5']).end(),
  'an informational reply first': response => {
    response.writeProcessing()
    response.writeEarlyHints({ link: '</a.css>; rel=preload' })
    response.writeHead(200, length('hello')).end('hello')
  },
  'chunks of one turn': response => {
    response.writeHead(200)
    for (const part of ['a', 'grüße', '', TEXT]) response.write(part)
    response.end('end')
  },
  'chunks of several turns': async response => {
    response.writeHead(200)
    for (const part of ['a', 'b', TEXT]) {
      response.write(part)
      await sleep(1)
    }
    response.end()
  },
  'chunks of all kinds': response => {
    response.write('text')
    response.write(Buffer.from('bytes'))
    response.write('6c6174696e', 'hex')
    response.write('z'.repeat(5000), () => response.end('after a callback'))
  },
  'chunks around the bounds': response => {
    for (const size of [1, 15, 16, 4095, 4096, 13_999, 14_000, 14_001, 70_000]) response.write('y'.repeat(size))
    response.end('€'.repeat(5000))
  },
  'a head on its own': async response => {
    response.writeHead(200).flushHeaders()
    await sleep(1)
    response.end('hello')
  },
  'a head that is flushed twice': response => {
    response.writeHead(200, length('hello')).flushHeaders()
    response.flushHeaders()
    response.end('hello')
    response.flushHeaders()
  },
  corked: response => {
    response.cork()
    response.write('a')
    response.write(TEXT)
    response.uncork()
    response.end('b')
  },
  'a chunked reply that says so': response => response.writeHead(200, ['Transfer-Encoding', 'chunked']).end('hello'),
  'a body until the end of the connection': response => {
    response.removeHeader('Transfer-Encoding')
    response.writeHead(200, { Connection: 'close' })
    response.write('one')
    response.end('two')
  },
  'not kept alive': response => {
    response.shouldKeepAlive = false
    response.writeHead(200, length('hello')).end('hello')
  },
  'without a date': response => {
    response.sendDate = false
    response.writeHead(200, length('hello')).end('hello')
  },
  trailers: response => {
    response.writeHead(200, ['Trailer', 'X-End'])
    response.write('a')
    response.addTrailers({ 'X-End': '1' })
    response.end('b')
  },
  'trailers before the body': response => {
    response.addTrailers([
      ['X-End', '1'],
      ['X-End', '2'],
    ])
    response.end(TEXT)
  },
  'a second head': response => {
    response.writeHead(200, length('hello'))
    response.end(`${code(() => response.writeHead(500))}`.slice(0, 5))
  },
  'writes after the end': response => {
    response.on('error', () => {})
    response.end('hello')
    response.write('late')
    response.end('later')
  },
  'what the request was': (response, request) => {
    let text = ''
    request
      .setEncoding('utf8')
      .on('data', part => {
        text += part
      })
      .on('end', () => response.writeHead(200, { 'X-Method': request.method! }).end(text))
  },
}
for (const [what, head] of Object.entries(heads)) {
  for (const [kind, { length: announced, send }] of Object.entries(bodies)) {
    handlers[`${what}: ${kind}`] = (response, request) => {
      const list = announced === null ? head : [...head, 'Content-Length', announced]
      const problem = code(() => response.writeHead(200, list))
      if (problem === null) send(response)
      else request.socket.end(`${problem} ${response.headersSent}`)
    }
  }
}

const CLOSE = 'Host: x\r\nConnection: close\r\n\r\n'
/** Parts of the request; each is sent after the response to the one before. */
const requests: Record<string, string[]> = {
  GET: [`GET / HTTP/1.1\r\n${CLOSE}`],
  HEAD: [`HEAD / HTTP/1.1\r\n${CLOSE}`],
  'HTTP/1.0': ['GET / HTTP/1.0\r\n\r\n'],
  'HTTP/1.0, kept alive': ['GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET / HTTP/1.0\r\n\r\n'],
  POST: [`POST / HTTP/1.1\r\nContent-Length: 4\r\nTE: trailers\r\n${CLOSE}body`],
  'an expectation': [`POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 4\r\n${CLOSE}body`],
  'one after the other': ['GET / HTTP/1.1\r\nHost: x\r\n\r\n', `GET / HTTP/1.1\r\n${CLOSE}`],
  pipelined: [`GET / HTTP/1.1\r\nHost: x\r\n\r\nHEAD / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\n${CLOSE}`],
}

/** The code of the thrown error; null if none is thrown. */
function code(act: () => unknown): string | null {
  try {
    act()
    return null
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code)
  }
}

type ResponseClass = new (request: IncomingMessage) => Response
const classes: Record<'node' | 'off' | 'on', ResponseClass> = {
  node: ServerResponse,
  off: createHttp1Response(ServerResponse),
  on: createHttp1Response(createFastResponse()),
}

const names = Object.keys(handlers)

/** The path is the number of the response. */
async function listen(Class: ResponseClass): Promise<Server> {
  const server = createServer(
    { ServerResponse: Class as typeof ServerResponse, keepAliveTimeout: 300 },
    (request, response) => {
      const problem = code(() => void handlers[names[Number(request.url!.slice(1))]!]!(response, request))
      if (problem !== null) request.socket.end(problem)
    },
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server
}

/** Milliseconds between two looks at a connection. */
const LOOK_MS = 25
/**
 * Looks without a byte after which a connection is closed, with and without a response. The servers are in this process, so
 * they also run between two looks, however busy the machine is.
 */
const SILENT_LOOKS = 60
const NO_REPLY_LOOKS = 1_200
/** Responses that are compared concurrently. */
const CONCURRENCY = 8

/** Everything that a server sends on one connection, without its Date headers. */
async function exchange(server: Server, parts: string[]): Promise<Buffer> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const received: Buffer[] = []
  let next = 0
  let silentLooks = 0
  const send = (): void => {
    const part = parts[next++]
    if (part !== undefined) socket.write(part, 'latin1')
  }
  send()
  // Each part is sent after the server has been silent for a moment; the connection ends with the last response.
  const timer = setInterval(() => {
    send()
    // A route may keep a connection open although the client asked to close it.
    if (++silentLooks >= (received.length > 0 ? SILENT_LOOKS : NO_REPLY_LOOKS)) socket.destroy()
  }, LOOK_MS)
  socket
    .on('data', part => {
      received.push(part)
      silentLooks = 0
    })
    .on('error', () => {})
  await once(socket, 'close')
  clearInterval(timer)
  return Buffer.from(
    Buffer.concat(received)
      .toString('latin1')
      .replace(/\r\nDate: (?!Thu, 01 Jan 1970)[^\r]*/g, '\r\nDate:'),
    'latin1',
  )
}

function difference(expected: Buffer, actual: Buffer): Difference | null {
  if (expected.equals(actual)) return null
  const at = expected.findIndex((byte, index) => byte !== actual[index])
  const start = Math.max(0, (at === -1 ? expected.length : at) - 20)
  return {
    at,
    expected: expected.toString('latin1', start, start + 120),
    actual: actual.toString('latin1', start, start + 120),
  }
}

async function main(): Promise<void> {
  const servers = { node: await listen(classes.node), off: await listen(classes.off), on: await listen(classes.on) }
  async function compare(index: number, request: string): Promise<void> {
    const parts = requests[request]!.map(part => part.replaceAll(' / HTTP', ` /${index} HTTP`))
    const [node, off, on] = await Promise.all([
      exchange(servers.node, parts),
      exchange(servers.off, parts),
      exchange(servers.on, parts),
    ])
    const comparison: Comparison = {
      reply: names[index]!,
      request,
      length: node.length,
      off: difference(node, off),
      on: difference(node, on),
    }
    process.stdout.write(`${JSON.stringify(comparison)}\n`)
  }
  const waiting = names.keys()
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      // Each runs twice: the second time, header lines are cached.
      for (const index of waiting)
        for (const _time of [1, 2]) await Promise.all(Object.keys(requests).map(request => compare(index, request)))
    }),
  )
  for (const server of Object.values(servers)) server.close()
}

await main()
