/**
 * Small input that expands to a lot: each stops at its limit, and the memory is released.
 * Runs alone: it measures memory.
 */
import t from 'tap'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import { connect as connectHttp2 } from 'node:http2'
import { WebSocket } from 'ws'
import { usedBytes } from '../../support/heap.ts'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

/** In bytes; zeros compress to a thousandth. */
const INFLATED = 256 << 20
const zeros = Buffer.alloc(INFLATED)
const gzipped = gzipSync(zeros, { level: 1 })
const server = await serve(t, { env: { SVC_LOG_FORMAT: 'json', SVC_BODY_LIMIT: String(4 << 20) } })

t.test('compressed uploads are limited to the maximum document size [HARD-8]', async t => {
  const bodies: Record<string, Buffer> = {
    gzip: gzipped,
    deflate: deflateSync(zeros, { level: 1 }),
    br: brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  }
  await send(server.url, '/_svc/mocks/check', {
    method: 'POST',
    headers: { 'content-encoding': 'gzip' },
    body: gzipSync('{}'),
  })
  const before = usedBytes()
  for (const [coding, body] of Object.entries(bodies)) {
    for (const [method, path] of [
      ['POST', '/_svc/mocks/check'],
      ['PUT', '/_svc/mocks/bomb'],
    ] as const) {
      const reply = await send(server.url, path, { method, headers: { 'content-encoding': coding }, body })
      t.equal(reply.status, 413, `${coding} ${path}: ${reply.text.slice(0, 100)}`)
    }
    const twice = await send(server.url, '/_svc/mocks/check', {
      method: 'POST',
      headers: { 'content-encoding': `${coding}, gzip` },
      body: gzipSync(body),
    })
    t.ok([400, 413, 415].includes(twice.status), `${coding} in gzip: ${twice.status}`)
  }
  t.ok(usedBytes() - before < 64 << 20, 'nothing of it stays')
})

t.test('bodies that need no decompression are not decompressed [HARD-8]', async t => {
  for (const path of [
    '/echo',
    '/ai/openai/v1/chat/completions',
    '/graphql',
    '/mcp',
    '/jsonrpc',
    '/guardrails/check',
    '/mock/petstore/pets',
  ]) {
    const before = usedBytes()
    const { status } = await send(server.url, path, {
      method: 'POST',
      headers: { 'content-encoding': 'gzip', 'content-type': 'application/json' },
      body: gzipped,
    })
    t.ok(status < 500, `${path}: ${status}`)
    t.ok(usedBytes() - before < 64 << 20, path)
  }
})

t.test('a compressed gRPC message is limited to the maximum message size [HARD-8]', async t => {
  const session = connectHttp2(`http://127.0.0.1:${server.ports.grpc}`)
  t.teardown(() => session.destroy())
  for (const [coding, payload] of [
    ['gzip', gzipped],
    ['deflate', deflateSync(zeros, { level: 1 })],
  ] as const) {
    const head = Buffer.alloc(5)
    head[0] = 1
    head.writeUInt32BE(payload.length, 1)
    const before = usedBytes()
    const status = await new Promise(resolve => {
      const stream = session.request({
        ':method': 'POST',
        ':path': '/svc.echo.v1.EchoService/Echo',
        'content-type': 'application/grpc',
        te: 'trailers',
        'grpc-encoding': coding,
      })
      stream.on('response', headers => headers['grpc-status'] !== undefined && resolve(headers['grpc-status']))
      stream
        .on('trailers', headers => resolve(headers['grpc-status']))
        .on('error', () => {})
        .on('close', () => resolve('closed'))
        .resume()
      stream.end(Buffer.concat([head, payload]))
    })
    t.equal(status, '8', `${coding}: RESOURCE_EXHAUSTED`)
    t.ok(usedBytes() - before < 64 << 20, coding)
  }
})

t.test('WebSockets accept no compressed messages, and none above their limit [HARD-8]', async t => {
  for (const path of ['/ws', '/graphql/ws']) {
    const socket = new WebSocket(
      `${server.url.replace('http', 'ws')}${path}`,
      path === '/ws' ? [] : ['graphql-transport-ws'],
      { perMessageDeflate: true },
    )
    await new Promise(resolve => socket.once('open', resolve))
    t.equal(socket.extensions, '', path)
    const code = new Promise(resolve => socket.once('close', resolve))
    socket.on('error', () => {})
    socket.send(Buffer.alloc(20 << 20))
    t.ok([1009, 4400].includes((await code) as number), path)
  }
})
