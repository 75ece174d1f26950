/**
 * Upstreams of the recording proxy that attack it: their answers pass through, and cost neither memory nor time.
 * Measures: memory and processor time of a process.
 */
import t from 'tap'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { drained } from '../../../core/contract/drained.ts'
import {
  attackedServer,
  attackWith,
  type Answer,
  type AttackedServer,
  type Cost,
} from '../../support/attacked-server.ts'

const MIB = 2 ** 20
const bomb = Buffer.alloc(64 * MIB)
const BOMBS: Record<string, Buffer> = {
  gzip: gzipSync(bomb),
  deflate: deflateSync(bomb),
  br: brotliCompressSync(bomb.subarray(0, 32 * MIB)),
}
/** A gzip member that decodes to nothing, many times. */
const EMPTY_MEMBER = gzipSync('')
const EMPTY_MEMBERS = Buffer.alloc(50_000 * EMPTY_MEMBER.length, EMPTY_MEMBER)
const TINY_CHUNKS = Buffer.from('1\r\nx\r\n'.repeat(5_000))
/** Between two writes of tiny chunks: Node handles all that has arrived in one turn, however long the server did not run. */
const WRITE_MS = 40

const jsonOf = (items: number): Buffer =>
  Buffer.from(JSON.stringify({ list: Array.from({ length: items }, (_, n) => ({ n, api_key: 'secret' })) }))
const JSON_BODY = jsonOf(100_000)
const LARGE_JSON = jsonOf(500_000)
const LARGE_TEXT = Buffer.alloc(15 * MIB, 'large text é ')
const DEEP = Buffer.from('['.repeat(5 * MIB) + ']'.repeat(5 * MIB))

/** What the upstream sends, by path. */
const ANSWERS: Record<string, (response: ServerResponse, socket: Socket) => void> = {
  '/small': response => response.end('small'),
  '/gzip': response => sendBomb(response, 'gzip'),
  '/deflate': response => sendBomb(response, 'deflate'),
  '/br': response => sendBomb(response, 'br'),
  '/empty-members': response => {
    response.writeHead(200, { 'Content-Encoding': 'gzip' })
    void repeat(response, EMPTY_MEMBERS, 40)
  },
  '/tiny-chunks': (_, socket) => {
    // Behind the back of Node, which would join the chunks.
    socket.write(
      'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n',
    )
    void (async () => {
      for (let count = 0; count < 10; count++) {
        socket.write(TINY_CHUNKS)
        await sleep(WRITE_MS)
      }
      socket.end('0\r\n\r\n')
    })()
  },
  '/not-gzip': response => {
    response.writeHead(200, { 'Content-Encoding': 'gzip' })
    void repeat(response, EMPTY_MEMBERS.subarray(1), 20)
  },
  '/trailing': response => {
    response.writeHead(200, { 'Content-Encoding': 'deflate' })
    response.write(deflateSync('text'))
    void repeat(response, EMPTY_MEMBERS, 4)
  },
  '/large': response => response.end(LARGE_TEXT),
  '/json': response => {
    response.writeHead(200, { 'Content-Type': 'application/json' })
    response.end(JSON_BODY)
  },
  '/large-json': response => {
    response.writeHead(200, { 'Content-Type': 'application/json' })
    response.end(LARGE_JSON)
  },
  '/deep': response => {
    response.writeHead(200, { 'Content-Type': 'application/json' })
    response.end(DEEP)
  },
}

function sendBomb(response: ServerResponse, coding: string): void {
  response.writeHead(200, { 'Content-Encoding': coding, 'Content-Length': BOMBS[coding]!.length })
  response.end(BOMBS[coding])
}

async function repeat(response: ServerResponse, piece: Buffer, times: number): Promise<void> {
  for (let count = 0; count < times && !response.destroyed; count++) if (!response.write(piece)) await drained(response)
  response.end()
}

const upstream = createServer((request, response) => {
  request.resume()
  ANSWERS[request.url!.split('?')[0]!]!(response, request.socket)
})
await new Promise<void>(resolve => upstream.listen(0, '127.0.0.1', resolve))
t.teardown(() => {
  upstream.closeAllConnections()
  upstream.close()
})

/** Bodies that are recorded: redacting one takes several copies, which remain until the garbage collection. */
const LARGE = new Set(['/large', '/large-json'])

const YAML = `proxy:
  - name: hostile
    target: http://127.0.0.1:${(upstream.address() as AddressInfo).port}
    mode: record
`

type Check = Pick<typeof t, 'equal' | 'ok' | 'strictSame' | 'comment'>

function check(
  t: Check,
  { grownMib, slowestWaitMs, cpuMs, exit, results, ready }: Cost & { results: PromiseSettledResult<Answer>[] },
  what: string,
  isLarge: boolean,
): void {
  t.comment(`${what}: +${grownMib} MiB, slowest wait ${slowestWaitMs} ms, ${cpuMs} ms of processor time`)
  t.equal(exit, null, `${what}: the process lives`)
  if (!isLarge) {
    // Texts of 4 to 10 MB are searched for secrets in one piece.
    const isText = what === '/json' || what === '/deep'
    // Ten decoders have their windows and buffers for the first time.
    const isBomb = what.slice(1) in BOMBS
    t.ok(grownMib < (isText ? 160 : isBomb ? 96 : 64), `${what}: ${grownMib} MiB`)
    t.ok(slowestWaitMs < (isText ? 400 : 250), `${what}: ${slowestWaitMs} ms`)
  }
  t.strictSame([...ready.keys()], [200])
  t.strictSame(
    results.map(result => (result.status === 'fulfilled' ? result.value.status : result.reason)),
    results.map(() => 200),
    `${what}: passes through`,
  )
}

const server: AttackedServer = await attackedServer(t, { yaml: YAML })

// What is compiled and allocated once does not count as a cost of the attack.
for (let count = 0; count < 20; count++)
  await Promise.all(
    Array.from({ length: 10 }, () => attackWith(`${server.url}/proxy/hostile/small`, { method: 'GET' })),
  )

for (const path of Object.keys(ANSWERS)) {
  t.test(`${path} [PROXY-54]`, async t => {
    let turn = 0
    const cost = await server.attack(10, () =>
      attackWith(`${server.url}/proxy/hostile${path}?${turn++}`, { method: 'GET' }),
    )
    check(t, cost, path, LARGE.has(path))
  })
}
