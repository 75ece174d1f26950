/** Pipelined requests: answered in order, few at a time. */
import { connect } from 'node:net'
import t from 'tap'
import { ConnectionActivity } from '../../../core/http/sockets/connection-activity.ts'
import { serve } from '../../support/server.ts'

/** Sends everything at once, and returns everything received until the connection was closed. */
function pipeline(port: number, requests: readonly string[]): Promise<string> {
  return new Promise(resolve => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1', () => socket.write(requests.join('')))
    socket
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('close', () => resolve(Buffer.concat(chunks).toString()))
  })
}

t.test('many pipelined requests are all answered in order [HARD-10]', async t => {
  const server = await serve(t)
  const requests = Array.from(
    { length: 500 },
    (_, index) =>
      `POST /anything/${index} HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n${index === 499 ? 'Connection: close\r\n' : ''}\r\nabc`,
  )
  const text = await pipeline(server.ports.http!, requests)
  t.strictSame(
    [...text.matchAll(/"path":"\/anything\/(\d+)"/g)].map(([, index]) => Number(index)),
    requests.map((_, index) => index),
  )
})

t.test('eight are processed at a time, and those of a lost connection never start [HARD-10]', async t => {
  const calls: string[] = []
  const socket = { destroyed: false, pause: () => calls.push('pause'), resume: () => calls.push('resume') }
  const use = new ConnectionActivity(socket as never)
  t.strictSame(
    Array.from({ length: 9 }, () => use.enter()),
    [...Array<boolean>(8).fill(true), false],
  )
  for (const name of ['ninth', 'tenth', 'eleventh']) use.wait(() => calls.push(name))
  use.leave()
  use.leave()
  t.strictSame(calls, ['pause', 'pause', 'pause', 'ninth', 'tenth'])
  t.equal(use.busy, 8)
  socket.destroyed = true
  use.leave()
  t.equal(use.busy, 7)
  t.strictSame(calls.slice(5), [])
})

t.test('a request that waited for another can use the plan slots which that one released [HARD-10]', async t => {
  const oneProcess = 'a proxy sends pipelined requests on connections of their own'
  const server = await serve(t, { env: { SVC_LIMIT_CONCURRENCY: '8' }, oneProcess })
  const requests = Array.from(
    { length: 40 },
    (_, index) => `GET /delay/0?n=${index} HTTP/1.1\r\nHost: a\r\n${index === 39 ? 'Connection: close\r\n' : ''}\r\n`,
  )
  const text = await pipeline(server.ports.http!, requests)
  t.strictSame(
    [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
    requests.map(() => '200'),
  )
})
