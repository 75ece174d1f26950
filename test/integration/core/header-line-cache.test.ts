/** Cached header lines: the same lines as Node's own, and the same errors. */
import { createServer, ServerResponse, type OutgoingHttpHeader } from 'node:http'
import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import t from 'tap'
import { createFastResponse } from '../../../core/http/node-internals/fast-response.ts'
import { HeaderLineCache } from '../../../core/http/node-internals/header-line-cache.ts'
import { createHttp1Response } from '../../../core/http/response/response.ts'

type Head = OutgoingHttpHeader[]

/** Each head is sent twice; the second time its lines are cached. */
const heads: Record<string, Head> = {
  plain: ['X-A', 'one', 'x-b', 'two', 'Content-Type', 'text/plain'],
  'another value of a known name': ['X-A', 'two'],
  'one name twice': ['X-A', 'one', 'X-A', 'two'],
  'a name in another case': ['x-a', 'one'],
  'what Node reads': [
    'Content-Length',
    '2',
    'Connection',
    'close',
    'Date',
    'Thu, 01 Jan 1970 00:00:00 GMT',
    'X-A',
    'one',
  ],
  'a length in lower case': ['content-length', '2', 'x-a', 'one'],
  'no length': ['X-A', 'one'],
  chunks: ['Transfer-Encoding', 'chunked', 'X-A', 'one'],
  'keep-alive of the route': ['Connection', 'keep-alive', 'Keep-Alive', 'timeout=9'],
  'values that are not text': ['X-Number', 7, 'Set-Cookie', ['a=1', 'b=2'], 'X-List', ['1', '2']],
  'Latin-1 and tabs': ['X-A', 'grüße\tda', 'X-Empty', ''],
  'a long value': ['X-Long', 'x'.repeat(5000)],
  'a line end in a value': ['X-A', 'one\r\nX-Evil: 1'],
  'a line end alone': ['X-A', 'one\n'],
  'beyond Latin-1': ['X-A', '€'],
  'no value': ['X-A', undefined as unknown as string],
  'no token': ['X A', 'one'],
  'a name with a colon': ['X-A: b\r\nX-C', 'one'],
  'no name': ['', 'one'],
}

async function linesOf(Response: typeof ServerResponse, head: Head): Promise<string[]> {
  const server = createServer({ ServerResponse: Response, keepAliveTimeout: 20 }, (_request, response) => {
    try {
      response.writeHead(200, head).end('ok')
    } catch (error) {
      response.socket!.end(String((error as NodeJS.ErrnoException).code))
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  const parts: Buffer[] = []
  for await (const part of socket) parts.push(part as Buffer)
  server.close()
  const [first = '', ...rest] = Buffer.concat(parts)
    .toString('latin1')
    .replace(/Date: (?!Thu, 01 Jan 1970)[^\r]*/, 'Date:')
    .split('\r\n')
  const end = rest.indexOf('')
  return end < 0 ? [first] : [first, ...rest.slice(0, end).sort(), ...rest.slice(end)]
}

class AskedLines extends HeaderLineCache {
  asked = 0
  override lineOf(name: string, value: unknown): string | null {
    this.asked++
    return super.lineOf(name, value)
  }
}

const known = new AskedLines()
const Http1Response = createHttp1Response(createFastResponse(known)) as typeof ServerResponse
for (const [what, head] of Object.entries(heads)) {
  t.test(what, async t => {
    const wanted = await linesOf(ServerResponse, head)
    for (const time of ['first', 'second']) {
      t.strictSame(await linesOf(Http1Response, head), wanted, time)
    }
  })
}

t.test('Node reads them itself', async t => {
  t.ok(known.asked > 40)
})

t.test('the number of cached names is bounded, and all lines are correct', async t => {
  const lines = new HeaderLineCache()
  for (const _time of [1, 2])
    for (let index = 0; index < 2000; index++)
      if (lines.lineOf(`x-${index}`, 'v') !== `x-${index}: v\r\n`) t.fail(String(index))
  t.equal(lines.lineOf('x-1', 'w'), 'x-1: w\r\n')
  t.equal(lines.lineOf('x-1', 'v'), 'x-1: v\r\n')
  t.equal(lines.lineOf('x-1', 'a\r\nb'), null)
  t.equal(lines.lineOf('Content-Length', '1'), null)
})
