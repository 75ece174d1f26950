/** Streams of every kind over real connections: slots, back-pressure, lifetimes, disconnects and ends. */
import http from 'node:http'
import http2 from 'node:http2'
import net from 'node:net'
import t from 'tap'
import type { BodyStream, BodyStreamOptions, StreamEnd } from '../../../core/contract/plugin.ts'
import { openBodyStream, type StreamOpening } from '../../../core/http/streams/body-stream.ts'
import { openSse } from '../../../core/http/streams/sse.ts'
import { StreamRegistry } from '../../../core/http/streams/stream-registry.ts'
import { fillUp, listen, startStreamServer, TurnedClock, watch } from '../../support/stream-server.ts'
import { until } from '../../support/until.ts'

/** A server with these options for all streams, and its open streams. */
async function serve(
  t: Parameters<typeof startStreamServer>[0],
  options: BodyStreamOptions = {},
  opening: Partial<StreamOpening> = {},
) {
  const opened: BodyStream[] = []
  const server = await startStreamServer(t, own => {
    const stream = openBodyStream({ ...own, ...opening, options })
    if (stream) opened.push(stream)
  })
  return { ...server, opened }
}

t.test('opening', async t => {
  t.test('takes the slot before the first byte and releases it once [STREAM-1] [STREAM-2]', async t => {
    const reported: string[] = []
    const { port, opened, registry } = await startReportingStreamServer(t, reported)
    const client = await watch(port)
    t.same(reported, ['admit before head'])
    opened[0]!.write('body')
    opened[0]!.end()
    opened[0]!.end()
    t.equal(opened[0]!.closed, true)
    t.equal(await client.whole, 'body')
    await until(() => registry.count() === 0)
    t.same(reported, ['admit before head', 'close done'])
  })

  t.test('returns null and writes nothing without a free slot [STREAM-1]', async t => {
    let closes = 0
    const { port, registry } = await startStreamServer(t, opening => {
      const admit = () => {
        opening.response.writeHead(429, { 'Content-Type': 'application/json' }).end('{}')
        return false
      }
      t.equal(
        openSse({
          ...opening,
          admit,
          onClose: () => {
            closes += 1
          },
        }),
        null,
      )
    })
    const client = await watch(port)
    t.equal(client.response.statusCode, 429)
    t.equal(client.response.headers['content-type'], 'application/json')
    t.equal(await client.whole, '{}')
    t.equal(registry.count(), 0)
    t.equal(closes, 0)
  })

  t.test('releases the slot if the headers cannot be written [STREAM-2]', async t => {
    let closes = 0
    const { port, registry } = await startStreamServer(t, opening => {
      const options = { headers: { 'x-bad': 'a\nb' } }
      t.throws(
        () =>
          openBodyStream({
            ...opening,
            options,
            admit: () => true,
            onClose: () => {
              closes += 1
            },
          }),
        { code: 'ERR_INVALID_CHAR' },
      )
      opening.response.writeHead(500).end()
    })
    t.equal((await watch(port)).response.statusCode, 500)
    t.equal(closes, 1)
    t.equal(registry.count(), 0)
  })

  t.test('on HEAD sends the headers and is already closed [STREAM-13]', async t => {
    const { port, opened, registry } = await serve(t, { headers: { 'X-Own': '1' } })
    const client = await watch(port, { method: 'HEAD' })
    t.equal(opened[0]!.closed, true)
    t.equal(opened[0]!.write('dropped'), false)
    t.equal(opened[0]!.signal.aborted, true)
    t.equal(await opened[0]!.over, 'done')
    t.equal(client.response.headers['x-own'], '1')
    t.equal(await client.whole, '')
    await until(() => registry.count() === 0)
  })

  t.test('with a status without a body is already closed [STREAM-13]', async t => {
    for (const status of [204, 205, 304]) {
      const { port, opened } = await serve(t, { status })
      const client = await watch(port)
      t.equal(client.response.statusCode, status)
      t.equal(await client.whole, '')
      t.equal(opened[0]!.closed, true)
    }
  })

  t.test('after the client has disconnected takes no slot and starts closed [STREAM-2] [STREAM-8]', async t => {
    let admitted = 0
    const stream = new Promise<BodyStream | null>(resolve => {
      void startStreamServer(t, opening => {
        opening.response.once('close', () =>
          resolve(
            openBodyStream({
              ...opening,
              admit: () => {
                admitted += 1
                return true
              },
            }),
          ),
        )
      }).then(({ port }) => {
        const socket = net.connect(port, '127.0.0.1', () =>
          socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n', () => socket.destroy()),
        )
      })
    })
    t.equal(await (await stream)!.over, 'client')
    t.equal(admitted, 0)
  })

  t.test('after the core has sent a response leaves it unchanged [STREAM-1]', async t => {
    const { port, registry } = await startStreamServer(t, opening => {
      opening.response.writeHead(503).end('timeout')
      t.equal(openBodyStream(opening)!.closed, true)
    })
    t.equal(await (await watch(port)).whole, 'timeout')
    t.equal(registry.count(), 0)
  })
})

async function startReportingStreamServer(t: Parameters<typeof startStreamServer>[0], reported: string[]) {
  const opened: BodyStream[] = []
  const server = await startStreamServer(t, own => {
    const admit = () => {
      reported.push(`admit ${own.response.headersSent ? 'after' : 'before'} head`)
      return true
    }
    opened.push(openBodyStream({ ...own, admit, onClose: reason => reported.push(`close ${reason}`) })!)
  })
  return { ...server, opened }
}

t.test('back-pressure', async t => {
  t.test(
    'a producer that respects it keeps little pending for a client that does not read, and continues when it reads [STREAM-7]',
    async t => {
      const { port, opened } = await serve(t)
      const socket = net.connect(port, '127.0.0.1')
      t.teardown(() => socket.destroy())
      socket.pause()
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
      await until(() => opened.length === 1)
      const stream = opened[0]!
      const chunk = Buffer.alloc(32 * 1024, 'x')
      const total = 50 * 1024 * 1024
      let written = 0
      let most = 0
      const produced = (async () => {
        while (written < total && !stream.closed) {
          written += chunk.length
          if (!stream.write(chunk)) {
            most = Math.max(most, stream.pendingBytes)
            await stream.ready()
          }
        }
        stream.end()
      })()
      // The buffers of the system fill first; then nothing is transferred.
      for (let still = 0, before = 0; still < 200 && written < total; still = written === before ? still + 1 : 0) {
        before = written
        await new Promise(resolve => setImmediate(resolve))
      }
      t.ok(written < total, `waits after ${written} bytes`)
      t.ok(stream.pendingBytes > 0)
      let read = 0
      socket.on('data', data => {
        read += data.length
      })
      socket.resume()
      await produced
      await until(() => read > total)
      t.ok(most < 1024 * 1024, `${most} bytes pending at most`)
    },
  )

  t.test('a drained stream is ready for all waiters [STREAM-7]', async t => {
    const { port, opened } = await serve(t)
    const client = await watch(port)
    client.response.pause()
    const stream = opened[0]!
    await fillUp(stream)
    const waiting = [stream.ready(), stream.ready()]
    client.response.resume()
    await Promise.all(waiting)
    await stream.ready()
    stream.end()
    await client.whole
    t.pass()
  })

  t.test('a wait for the client ends when the client disconnects [STREAM-7] [STREAM-8]', async t => {
    const { port, opened, registry } = await serve(t)
    const client = await watch(port)
    client.response.pause()
    const stream = opened[0]!
    await fillUp(stream)
    const ready = stream.ready()
    client.leave()
    await ready
    t.equal(await stream.over, 'client')
    t.equal(stream.write('dropped'), false)
    await stream.ready()
    await until(() => registry.count() === 0)
    t.equal(stream.pendingBytes, 0)
  })
})

t.test('clients that disconnect', async t => {
  t.test('abort the signal, resolve over and release the stream with its deadlines [STREAM-8] [STREAM-2]', async t => {
    const closes: StreamEnd[] = []
    const { port, opened, registry, clock } = await serve(
      t,
      { lifetimeMs: 1000, farewell: () => t.fail('farewell must not be called') },
      { onClose: reason => closes.push(reason) },
    )
    const client = await watch(port)
    t.equal(registry.count(), 1)
    const { signal } = opened[0]!
    const aborted = new Promise(resolve => signal.addEventListener('abort', () => resolve(signal.reason)))
    client.leave()
    t.equal(await aborted, 'client')
    t.equal(await opened[0]!.over, 'client')
    t.equal(registry.count(), 0)
    clock.advance(10_000)
    t.same(closes, ['client'])
  })

  t.test('are noticed even while their request waits for another on the connection [STREAM-8]', async t => {
    const { port, opened, registry } = await serve(t)
    const socket = net.connect(port, '127.0.0.1', () => socket.write('GET /1 HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(12)))
    await until(() => opened.length === 12)
    opened[0]!.end()
    await until(() => registry.count() === 11)
    socket.destroy()
    await until(() => registry.count() === 0)
    t.same(await Promise.all(opened.map(({ over }) => over)), ['done', ...Array(11).fill('client')])
  })

  t.test('and responses that are ended or broken elsewhere do not harm the producer [STREAM-8]', async t => {
    for (const isBroken of [false, true]) {
      let response: StreamOpening['response'] | null = null
      let stream: BodyStream | null = null
      const { port, registry } = await startStreamServer(t, opening => {
        response = opening.response
        stream = openBodyStream(opening)
      })
      const client = await watch(port)
      if (isBroken) response!.destroy()
      else response!.end()
      stream!.write('too late')
      if (isBroken) await t.rejects(client.whole)
      else t.equal(await client.whole, '')
      await until(() => registry.count() === 0)
      t.equal(await stream!.over, 'client')
    }
  })

  t.test('a thousand of them leave no resources behind [STREAM-8]', async t => {
    const registry = new StreamRegistry()
    const port = await listen(
      t,
      http.createServer((_, response) => {
        openSse({
          response,
          registry,
          generation: 1,
          planLifetimeMs: 60_000,
          options: { heartbeatMs: 15_000, lifetimeMs: 600_000 },
        })
      }),
    )
    const clients = Array.from({ length: 1000 }, () => {
      const socket = net.connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'))
      return socket.on('error', () => {})
    })
    await until(() => registry.count() === 1000)
    for (const socket of clients) socket.destroy()
    await until(() => registry.count() === 0)
    t.pass('all are gone')
  })

  t.test('a thousand streams share one timer [STREAM-8]', async t => {
    const clock = new TurnedClock()
    const registry = new StreamRegistry({ clock })
    const due: number[] = []
    const streams = Array.from({ length: 1000 }, (_, i) => ({
      kind: 'body' as const,
      generation: 1,
      isEndless: false,
      dueAt: Infinity,
      place: -1,
      link: null,
      forceEnd() {},
      onDue() {
        due.push(i)
      },
    }))
    for (const stream of streams) registry.add(stream)
    for (const [i, stream] of streams.entries()) registry.schedule(stream, 10_000 - i * 10)
    t.equal(clock.alarms, 1)
    for (const stream of streams.slice(0, 500)) registry.remove(stream)
    clock.advance(20_000)
    t.same(
      due,
      Array.from({ length: 500 }, (_, i) => 999 - i),
    )
    t.equal(clock.alarms, 0)
  })
})

t.test('lifetimes', async t => {
  const table: [
    name: string,
    own: number | undefined,
    plan: number | null | undefined,
    after: number,
    reason: StreamEnd,
  ][] = [
    ['its own', 100, null, 100, 'lifetime'],
    ["the plan's", undefined, 100, 100, 'plan'],
    ['its own, the shorter', 50, 100, 50, 'lifetime'],
    ["the plan's, the shorter", 100, 50, 50, 'plan'],
    ['both alike', 100, 100, 100, 'plan'],
  ]
  for (const [name, lifetimeMs, planLifetimeMs, afterMs, reason] of table) {
    t.test(`${name} ends a stream [STREAM-10] [STREAM-11]`, async t => {
      const { port, clock, opened } = await serve(
        t,
        lifetimeMs === undefined ? {} : { lifetimeMs },
        planLifetimeMs === undefined ? {} : { planLifetimeMs },
      )
      const client = await watch(port)
      clock.advance(afterMs - 1)
      t.equal(opened[0]!.closed, false)
      opened[0]!.write('body')
      clock.advance(1)
      t.equal(opened[0]!.closed, true)
      t.equal(await client.whole, 'body', 'a body that is not an event stream gets no comment')
      t.equal(await opened[0]!.over, reason)
    })
  }

  t.test('may be longer than the maximum of a timer [STREAM-11]', async t => {
    const { port, clock, opened } = await serve(t, { lifetimeMs: 2 ** 33 })
    const client = await watch(port)
    clock.advance(2 ** 33 - 1)
    t.equal(opened[0]!.closed, false)
    clock.advance(1)
    t.equal(await client.whole, '')
  })

  t.test('a body shorter than announced is cut off instead of left open [STREAM-11]', async t => {
    const { port, registry, opened } = await serve(t, { headers: { 'Content-Length': 10 } })
    const client = await watch(port)
    opened[0]!.write('body')
    await client.until(text => text === 'body')
    registry.endAll({ reason: 'reload' })
    await t.rejects(client.whole, { code: 'ECONNRESET' })
    await until(() => registry.count() === 0)
  })

  t.test('a client that reads nothing is cut off some time after the end [STREAM-16]', async t => {
    const { port, registry, opened, clock } = await serve(t, { lifetimeMs: 1000 })
    const client = await watch(port)
    client.response.pause()
    await fillUp(opened[0]!)
    clock.advance(1000)
    t.equal(opened[0]!.closed, true)
    t.equal(registry.count(), 1, 'its last bytes are still to be read')
    clock.advance(4999)
    registry.endAll({ reason: 'stop' })
    t.equal(registry.count(), 1)
    clock.advance(1)
    await until(() => registry.count() === 0)
  })
})

t.test('stop and reload', async t => {
  t.test('endless streams end first, the others at the deadline [STREAM-12]', async t => {
    const opened = new Map<string, BodyStream>()
    const { port, registry } = await startStreamServer(t, (opening, { url = '' }) => {
      opened.set(url, openBodyStream({ ...opening, options: { endless: url.startsWith('/endless') } })!)
    })
    const [endless, finite] = [await watch(port, { path: '/endless' }), await watch(port, { path: '/finite' })]
    t.equal(registry.count({ endless: true }), 1)
    registry.endAll({ endless: true, reason: 'stop' })
    await endless.whole
    t.equal(opened.get('/finite')!.closed, false)
    const late = await watch(port, { path: '/endless/late' })
    t.equal(await late.whole, '', 'one that opens meanwhile ends at once')
    t.equal(await opened.get('/endless/late')!.over, 'stop')
    opened.get('/finite')!.write('still here')
    registry.endAll({ reason: 'stop' })
    t.equal(await finite.whole, 'still here')
    await until(() => registry.count() === 0)
  })

  t.test('only streams of the old generation are ended [STREAM-11]', async t => {
    const opened: BodyStream[] = []
    const { port, registry } = await startStreamServer(t, (opening, { url = '' }) => {
      opened.push(openSse({ ...opening, generation: Number(url.slice(1)) })!)
    })
    const [one, two] = [await watch(port, { path: '/1' }), await watch(port, { path: '/2' })]
    t.equal(registry.count({ generation: 1 }), 1)
    t.equal(registry.count({ kind: 'sse' }), 2)
    t.equal(registry.count({ kind: 'body' }), 0)
    registry.endAll({ generation: 1, reason: 'reload' })
    t.equal(await one.whole, ': svc reloaded\n\n')
    t.equal(opened[1]!.closed, false)
    two.leave()
  })
})

t.test('HTTP/2', async t => {
  async function serve2(options: BodyStreamOptions = {}) {
    const clock = new TurnedClock()
    const registry = new StreamRegistry({ clock })
    const opened: ReturnType<typeof openSse>[] = []
    const closes: StreamEnd[] = []
    const server = http2.createServer((request, response) => {
      opened.push(
        openSse({
          response,
          registry,
          generation: 1,
          options,
          headOnly: request.method === 'HEAD',
          planLifetimeMs: 1000,
          onClose: reason => closes.push(reason),
        }),
      )
    })
    const session = http2.connect(`http://127.0.0.1:${await listen(t, server)}`)
    t.teardown(() => session.destroy())
    return { session, registry, opened, closes, clock }
  }
  const request = async (session: http2.ClientHttp2Session, method = 'GET') => {
    const stream = session.request({ ':path': '/', ':method': method })
    stream.setEncoding('utf8')
    const headers = await new Promise<http2.IncomingHttpHeaders>(resolve => stream.once('response', resolve))
    return {
      stream,
      headers,
      whole: async () => {
        let text = ''
        for await (const chunk of stream) text += chunk as string
        return text
      },
    }
  }

  t.test('headers, events, closing comment and a clean end [STREAM-15] [STREAM-10]', async t => {
    const { session, registry, opened, closes, clock } = await serve2()
    const { headers, whole } = await request(session)
    t.match(headers, { ':status': 200, 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
    opened[0]!.send({ data: 'a' })
    clock.advance(1000)
    t.equal(await whole(), 'data: a\n\n: svc plan stream lifetime reached\n\n')
    await until(() => registry.count() === 0)
    t.same(closes, ['plan'])
  })

  t.test('HEAD and statuses without a body [STREAM-15] [STREAM-13]', async t => {
    for (const [method, status] of [
      ['HEAD', 200],
      ['GET', 204],
      ['GET', 304],
    ] as const) {
      const { session, registry, opened } = await serve2({ status })
      const { headers, whole } = await request(session, method)
      t.equal(headers[':status'], status)
      opened[0]!.send({ data: 'dropped' })
      t.equal(await whole(), '')
      await until(() => registry.count() === 0)
    }
  })

  t.test('a client that resets its stream [STREAM-15] [STREAM-8]', async t => {
    const { session, registry, opened, closes } = await serve2()
    const { stream } = await request(session)
    stream.on('error', () => {})
    stream.close(http2.constants.NGHTTP2_CANCEL)
    t.equal(await opened[0]!.over, 'client')
    await until(() => registry.count() === 0)
    t.equal(opened[0]!.send({ data: 'dropped' }), false)
    t.same(closes, ['client'])
  })

  t.test('a client that reads nothing [STREAM-15] [STREAM-7] [STREAM-16]', async t => {
    const { session, registry, opened, clock } = await serve2()
    const { stream } = await request(session)
    stream.pause()
    stream.on('error', () => {})
    const sse = opened[0]!
    const data = 'x'.repeat(32 * 1024)
    let most = 0
    for (let written = 0; written < 64 && sse.send({ data }); written += 1)
      await new Promise(resolve => setImmediate(resolve))
    most = sse.pendingBytes
    t.ok(most > 0 && most < 256 * 1024, `${most} bytes pending`)
    clock.advance(1000)
    t.equal(sse.closed, true)
    clock.advance(5000)
    await until(() => registry.count() === 0)
  })
})
