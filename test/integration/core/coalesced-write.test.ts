/** Responses in one write: the same bytes as Node's own, whatever a route does and however the client reads. */
import { createServer, ServerResponse, type IncomingMessage, type Server } from 'node:http'
import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { createFastResponse } from '../../../core/http/node-internals/fast-response.ts'
import { createHttp1Response } from '../../../core/http/response/response.ts'
import { sendChunk, sendLastChunk, sendWhole } from '../../../core/http/node-internals/coalesced-write.ts'

const Http1Response = createHttp1Response(createFastResponse())

type Handler = (response: ServerResponse, request: IncomingMessage) => void

const line = 'ä'.repeat(500)
const handlers: Record<string, Handler> = {
  'a whole body': response => response.writeHead(200, { 'Content-Length': '5' }).end('hello'),
  'a body beyond ASCII': response =>
    response.writeHead(200, { 'Content-Length': String(Buffer.byteLength('grüße €')) }).end('grüße €'),
  'a whole body of bytes': response =>
    response
      .writeHead(200, { 'Content-Length': '256' })
      .end(Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))),
  'a part of a buffer': response =>
    response.writeHead(200, { 'Content-Length': '3' }).end(new Uint8Array([1, 2, 200, 201, 202, 3]).subarray(2, 5)),
  'many bytes': response => response.writeHead(200, { 'Content-Length': '20000' }).end(Buffer.alloc(20_000, 0xfe)),
  'bytes without a length': response => response.end(Buffer.from([0xff, 0])),
  'no bytes': response => response.writeHead(200, { 'Content-Length': '0' }).end(Buffer.alloc(0)),
  'a body without a length': response => response.end('hello'),
  'a body of a megabyte': response =>
    response.writeHead(200, { 'Content-Length': '1000000' }).end('x'.repeat(1_000_000)),
  'an empty body': response => response.writeHead(200, { 'Content-Length': '0' }).end(''),
  'no content': response => response.writeHead(204).end('dropped'),
  'chunks of one turn': response => {
    response.writeHead(200)
    for (const part of ['a', 'grüße', '', line]) response.write(part)
    response.end('end')
  },
  'one chunk and the end': response => {
    response.writeHead(200)
    response.end('grüße €')
  },
  'nothing but an end': response => {
    response.writeHead(200)
    response.end('')
  },
  'chunks of several turns': async response => {
    response.writeHead(200)
    for (const part of ['a', 'b', line]) {
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
  trailers: response => {
    response.writeHead(200)
    response.write('a')
    response.addTrailers({ 'X-End': '1' })
    response.end('b')
  },
  'more than fits, with regard for drain': async response => {
    response.writeHead(200)
    for (let round = 0; round < 3000; round++) if (!response.write(line)) await once(response, 'drain')
    response.end()
  },
}

function serve(Response: typeof ServerResponse, handler: Handler): Server {
  return createServer({ ServerResponse: Response }, (request, response) => handler(response, request)).listen(
    0,
    '127.0.0.1',
  )
}

/** The server's complete response to these bytes, without the date; optionally the client reads late. */
async function exchange(server: Server, sent: string, isLate: boolean): Promise<string> {
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write(sent)
  if (isLate) await sleep(150)
  const parts: Buffer[] = []
  for await (const part of socket) parts.push(part as Buffer)
  server.close()
  return Buffer.concat(parts)
    .toString('latin1')
    .replace(/\r\nDate: [^\r]*/g, '')
}

const requests = {
  GET: 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  HEAD: 'HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  'HTTP/1.0': 'GET / HTTP/1.0\r\n\r\n',
  'two pipelined': 'GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
}

/** Chunk boundaries differ if a write meets a full socket; only the content is compared. */
function meaningOf(answer: string): string {
  return answer.replace(/[0-9a-f]+\r\n/g, '').replaceAll('\r\n', '')
}

for (const [what, handler] of Object.entries(handlers)) {
  t.test(what, async t => {
    for (const [name, sent] of Object.entries(requests)) {
      const isLate = what.startsWith('more')
      const [ours, nodes] = await Promise.all([
        exchange(serve(Http1Response as typeof ServerResponse, handler), sent, isLate),
        exchange(serve(ServerResponse, handler), sent, isLate),
      ])
      const of = isLate ? meaningOf : (answer: string): string => answer
      t.ok(of(ours) === of(nodes), `${name}: ${ours.length} and ${nodes.length} bytes`)
    }
  })
}

/** Sizes of the writes of a handler to the socket. */
async function writesOf(handler: Handler): Promise<number[]> {
  const sizes: number[] = []
  const server = serve(Http1Response as typeof ServerResponse, (response, request) => {
    const { socket } = response
    const write = socket!.write.bind(socket)
    socket!.write = ((data: string | Buffer, ...rest: []) => {
      sizes.push(data.length)
      return write(data, ...rest)
    }) as typeof write
    handler(response, request)
  })
  await exchange(server, requests.GET, false)
  return sizes
}

t.test('one write contains head and body, and each chunk takes one write', async t => {
  const sizes = await writesOf(async response => {
    response.writeHead(200)
    response.write('one')
    await sleep(1)
    response.write('two')
    await sleep(1)
    response.end()
  })
  t.equal(sizes.length, 3, `head with the first chunk, the second, the end: ${sizes.join(' ')}`)
})

t.test('bytes are sent in one write with their head', async t => {
  const sizes = await writesOf(response =>
    response.writeHead(200, { 'Content-Length': '2' }).end(Buffer.from([0xff, 0])),
  )
  t.equal(sizes.filter(size => size > 0).length, 1, sizes.join(' '))
})

t.test('a body of one chunk is sent in one write, with its head and its end', async t => {
  const sizes = await writesOf(response => {
    response.writeHead(200)
    response.end('one')
  })
  t.equal(sizes.length, 1, sizes.join(' '))
})

t.test('missing Node internals, or a response that is not ready, fall back to Node', async t => {
  const answers: boolean[] = []
  const server = serve(ServerResponse, response => {
    answers.push(sendWhole(response, 'before the head'), sendChunk(response, 'before the head'))
    response.writeHead(200)
    const bare = Object.assign(Object.create(response), { _send: undefined })
    answers.push(
      sendChunk(bare, 'x'),
      sendChunk(response, ''),
      sendChunk(response, 'x'.repeat(20_000)),
      sendChunk(response, 'ä'.repeat(8000)),
      sendLastChunk(bare, 'x'),
      sendWhole(response, 'chunked'),
    )
    response.end()
    answers.push(sendChunk(response, 'after the end'), sendLastChunk(response, 'after the end'))
  })
  await exchange(server, requests.GET, false)
  t.ok(answers.length === 10 && answers.every(isDone => !isDone), answers.join(' '))
})
