/** `/stream`, `/stream-bytes` and `/drip`. */
import http from 'node:http'
import net from 'node:net'
import t from 'tap'
import { scheduleDrops } from '../../../plugins/transfer/drip-schedule.ts'
import { checkRefusals } from '../../support/refusals.ts'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'
import { watch } from '../../support/stream-server.ts'
import { until } from '../../support/until.ts'

const server = await serve(t, {
  oneProcess: 'it reads the chunks of the connection, and counts the requests of the process',
})
const { url, port } = { url: server.url, port: Number(new URL(server.url).port) }
const generation = server.host.current()

/** Everything a server sends on one connection, including framing. */
function exchange(request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(request))
    let text = ''
    socket
      .setEncoding('latin1')
      .on('data', data => {
        text += data
      })
      .on('end', () => resolve(text))
      .on('error', reject)
  })
}

t.test('each line is a JSON object with the request and its number [LINES-1]', async t => {
  const reply = await send(url, '/stream/3?x=1&x=2&y=&__proto__=z', { headers: { 'X-Two': ['a', 'b'] } })
  t.match(reply, { status: 200, headers: { 'content-type': 'application/json', 'content-length': undefined } })
  t.ok(reply.text.endsWith('}\n'))
  const lines = reply.text.trimEnd().split('\n')
  t.equal(lines.length, 3)
  for (const [index, line] of lines.entries()) {
    const record = JSON.parse(line) as { headers: object; args: object }
    t.equal(JSON.stringify(record), line, 'compact')
    t.strictSame(Object.keys(record), ['url', 'args', 'headers', 'origin', 'id'])
    t.match(record, {
      url: `${url}/stream/3?x=1&x=2&y=&__proto__=z`,
      headers: { 'x-two': 'a, b' },
      origin: '127.0.0.1',
      id: index,
    })
    t.equal(JSON.stringify(record.args), '{"x":["1","2"],"y":"","__proto__":"z"}')
  }
})

t.test('sends up to 100 lines [BYTES-3]', async t => {
  for (const [count, lines, capped] of [
    ['0', 0, undefined],
    ['100', 100, undefined],
    ['101', 100, '100'],
    ['9'.repeat(30), 100, '100'],
  ] as const) {
    const reply = await send(url, `/stream/${count}`)
    t.equal(reply.text.split('\n').length - 1, lines, count)
    t.equal(reply.headers['x-svc-capped'], capped)
  }
})

t.test('sends bytes in chunks of the requested size [BYTES-2]', async t => {
  const chunksOf = async (path: string): Promise<number[]> => {
    const text = await exchange(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    t.match(text, /transfer-encoding: chunked/i)
    const sizes: number[] = []
    let at = text.indexOf('\r\n\r\n') + 4
    for (;;) {
      const size = Number.parseInt(text.slice(at), 16)
      if (size === 0) return sizes
      sizes.push(size)
      at = text.indexOf('\r\n', at) + 2 + size + 2
    }
  }
  t.same(await chunksOf('/stream-bytes/10?chunk_size=4'), [4, 4, 2])
  t.same(await chunksOf('/stream-bytes/3?chunk_size=0'), [1, 1, 1])
  t.same(await chunksOf('/stream-bytes/3?chunk_size=1&chunk_size=3'), [1, 1, 1])
  t.same(await chunksOf('/stream-bytes/20481'), [10_240, 10_240, 1])
  t.same(await chunksOf('/stream-bytes/102400?chunk_size=99999999999999999999'), [102_400])
  t.equal((await chunksOf('/stream-bytes/102400?chunk_size=1')).length, 102_400)
  t.same(await chunksOf('/stream-bytes/0'), [])
})

t.test('spreads bytes from the start to the end in at most 200 drops [DRIP-1]', async t => {
  const rows: [bytes: number, durationMs: number, drops: number][] = [
    [1, 2000, 1],
    [2, 2000, 2],
    [5, 1000, 5],
    [200, 2000, 200],
    [201, 2000, 200],
    [10_240, 2000, 200],
    [10, 0, 1],
  ]
  for (const [bytes, durationMs, count] of rows) {
    const drops = scheduleDrops(bytes, durationMs)
    t.equal(drops.length, count, `${bytes} bytes`)
    t.equal(
      drops.reduce((sum, drop) => sum + drop.bytes, 0),
      bytes,
    )
    t.ok(drops.every(drop => drop.bytes >= 1))
    t.equal(drops[0]!.atMs, 0)
    if (count > 1) t.equal(drops.at(-1)!.atMs, durationMs)
    if (count > 1) t.equal(drops[0]!.bytes, 1, 'only the first one')
  }
  t.same(scheduleDrops(3, 1000), [
    { atMs: 0, bytes: 1 },
    { atMs: 500, bytes: 1 },
    { atMs: 1000, bytes: 1 },
  ])
})

t.test('sends the headers with the first asterisk, the rest slowly [DRIP-1]', async t => {
  const startedAt = performance.now()
  const reader = await watch(port, { path: '/drip?numbytes=3&duration=0.3&delay=0.1&code=202' })
  t.ok(performance.now() - startedAt >= 99, 'the headers are sent after the delay')
  t.match(reader.response, {
    statusCode: 202,
    headers: { 'content-type': 'application/octet-stream', 'content-length': '3' },
  })
  t.equal(await reader.until(text => text.length > 0), '*')
  t.equal(await reader.whole, '***')
  t.ok(performance.now() - startedAt >= 399, 'the last one after the duration')
})

t.test('serves every size, status and duration within range [DRIP-1]', async t => {
  const rows: [query: string, status: number, bytes: number][] = [
    ['duration=0', 200, 10],
    ['numbytes=0', 200, 0],
    ['numbytes=1', 200, 1],
    ['numbytes=0&duration=30', 200, 0],
    ['numbytes=1&duration=30', 200, 1],
    ['numbytes=10240&duration=.1', 200, 10_240],
    ['numbytes=10240&duration=0', 200, 10_240],
    ['code=503&duration=0&numbytes=2', 503, 2],
    ['code=599&duration=0', 599, 10],
    ['numbytes=2&numbytes=x&duration=0', 200, 2],
  ]
  for (const [query, status, bytes] of rows) {
    const reply = await send(url, `/drip?${query}`)
    t.equal(reply.status, status, query)
    t.equal(reply.text, '*'.repeat(bytes))
    t.equal(reply.headers['content-length'], String(bytes))
  }
  for (const code of [204, 205, 304])
    t.match(
      await send(url, `/drip?code=${code}&duration=30`),
      { status: code, text: '', headers: { 'content-type': undefined } },
      `${code}`,
    )
})

t.test('rejects out-of-range parameters before anything is sent [DRIP-2]', async t => {
  await checkRefusals(
    t,
    url,
    [
      ...['-1', '10241', '1.5', 'x', '', '99999999999999999999'].map(value => ({
        path: `/drip?numbytes=${value}`,
        error: 'invalid_parameter',
        parameter: 'numbytes',
      })),
      ...['-1', '30.001', '1e1', 'x', '', '.', '1.', 'NaN', 'Infinity', '9'.repeat(400)].flatMap(value =>
        ['duration', 'delay'].map(name => ({
          path: `/drip?${name}=${value}`,
          error: 'invalid_parameter',
          parameter: name,
        })),
      ),
      ...['199', '600', '100', '101', 'x', '', '200.0', '-200'].map(value => ({
        path: `/drip?delay=30&code=${value}`,
        error: 'invalid_parameter',
        parameter: 'code',
      })),
    ],
    { negotiated: false },
  )
})

t.test('HEAD returns the headers of GET and streams nothing [TOOL-3]', async t => {
  for (const [path, headers] of [
    ['/drip?numbytes=5&duration=30', { 'content-length': '5', 'content-type': 'application/octet-stream' }],
    ['/stream/50', { 'content-type': 'application/json' }],
    ['/stream-bytes/999999?chunk_size=1', { 'content-type': 'application/octet-stream', 'x-svc-capped': '102400' }],
  ] as const) {
    t.match(await send(url, path, { method: 'HEAD' }), { status: 200, text: '', headers }, path)
    await until(() => generation.openCount === 0, `${path} to be over`)
  }
})

t.test('the stream is freed when the client disconnects [DRIP-3]', async t => {
  const reader = await watch(port, { path: '/drip?numbytes=2&duration=30' })
  t.equal(generation.openCount, 1)
  reader.leave()
  await until(() => generation.openCount === 0, 'the stream to be over')

  const waiting = http.get(`${url}/drip?delay=30`).on('error', () => {})
  await until(() => generation.openCount === 1, 'the request to arrive')
  waiting.destroy()
  await until(() => generation.openCount === 0, 'the request to be over')
  t.pass('nothing is left')
})

t.test('a client that does not read does not block others, and is freed when it disconnects [DRIP-3]', async t => {
  const socket = net.connect(port, '127.0.0.1')
  socket.pause()
  const one = 'GET /stream-bytes/102400?chunk_size=1 HTTP/1.1\r\nHost: x\r\n\r\n'
  socket.write(one.repeat(100))
  await until(() => generation.openCount > 0, 'the first to arrive')
  t.equal((await send(url, '/bytes/5')).body.length, 5, 'others are served meanwhile')
  socket.destroy()
  await until(() => generation.openCount === 0, 'all to be over')
})
