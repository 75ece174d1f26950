/** The format of event streams, heartbeats and forced ends. */
import http from 'node:http'
import t from 'tap'
import { EventSource } from 'eventsource'
import type { SseEvent, SseOptions, SseStream } from '../../../core/contract/plugin.ts'
import type { StreamOpening } from '../../../core/http/streams/body-stream.ts'
import { formatComment, formatEvent, separatorAfter } from '../../../core/http/response/sse-format.ts'
import { openSse } from '../../../core/http/streams/sse.ts'
import { StreamRegistry } from '../../../core/http/streams/stream-registry.ts'
import { fillUp, listen, startStreamServer, watch } from '../../support/stream-server.ts'
import { until } from '../../support/until.ts'

/** A server with these options for all streams, and its open streams. */
async function serve(
  t: Parameters<typeof startStreamServer>[0],
  options: SseOptions = {},
  opening: Partial<StreamOpening> = {},
) {
  const opened: SseStream[] = []
  const server = await startStreamServer(t, own => {
    const stream = openSse({ ...own, ...opening, options })
    if (stream) opened.push(stream)
  })
  return { ...server, opened }
}

t.test('an event is written as clients parse it [STREAM-4]', async t => {
  const table: [SseEvent, string][] = [
    [{ data: 'hi' }, 'data: hi\n\n'],
    [{ id: 7, event: 'tick', retry: 3000, data: { n: 1 } }, 'id: 7\nevent: tick\nretry: 3000\ndata: {"n":1}\n\n'],
    [{ data: '' }, 'data: \n\n'],
    [{ data: ' led by a blank' }, 'data:  led by a blank\n\n'],
    [{ data: null }, 'data: null\n\n'],
    [{ data: 0 }, 'data: 0\n\n'],
    [{ data: ['a\nb'] }, 'data: ["a\\nb"]\n\n'],
    [{ data: 'one\ntwo' }, 'data: one\ndata: two\n\n'],
    [{ data: 'one\r\ntwo\rthree\n' }, 'data: one\ndata: two\ndata: three\ndata: \n\n'],
    [{ data: '\n' }, 'data: \ndata: \n\n'],
    [{ id: '' }, 'id: \n\n'],
    [{ id: 0 }, 'id: 0\n\n'],
    [{ retry: 0 }, 'retry: 0\n\n'],
    [{ data: 'Grüße 👋' }, 'data: Grüße 👋\n\n'],
    [{ data: undefined, id: 'x' }, 'id: x\n\n'],
    [{ data: () => 1 }, '\n'],
  ]
  for (const [event, text] of table) t.equal(formatEvent(event), text)
})

t.test('no value injects a field or an event [STREAM-5]', async t => {
  const table: [SseEvent, string][] = [
    [{ id: '1\ndata: forged', data: 'x' }, 'data: x\n\n'],
    [{ id: '1\r', data: 'x' }, 'data: x\n\n'],
    [{ id: 'a\0b', data: 'x' }, 'data: x\n\n'],
    [{ event: 'a\r\n\nid: 9', data: 'x' }, 'event: aid: 9\ndata: x\n\n'],
    [{ retry: 1.5, data: 'x' }, 'data: x\n\n'],
    [{ retry: -1, data: 'x' }, 'data: x\n\n'],
    [{ retry: Number.NaN, data: 'x' }, 'data: x\n\n'],
    [{ data: 'x\n\ndata: forged' }, 'data: x\ndata: \ndata: data: forged\n\n'],
  ]
  for (const [event, text] of table) t.equal(formatEvent(event), text)
  t.equal(formatComment('heartbeat'), ': heartbeat\n\n')
  t.equal(formatComment('a\r\ndata: forged'), ': a\n: data: forged\n\n')
})

t.test('the bytes between the last event and a separate comment [STREAM-10]', async t => {
  const table: [tail: string, separator: string][] = [
    ['', ''],
    ['\n\n', ''],
    ['a\n\n', ''],
    ['\r\n\r\n', ''],
    ['\r\r', ''],
    ['\n\r\n', ''],
    ['\n\r', ''],
    ['a\n', '\n'],
    ['a\r\n', '\n'],
    ['a\r', '\n'],
    ['\n', '\n'],
    ['abc', '\n\n'],
    ['\n\na', '\n\n'],
  ]
  for (const [tail, separator] of table) t.equal(separatorAfter(tail), separator, JSON.stringify(tail))
})

t.test('the headers are sent before any event and describe the stream [STREAM-3]', async t => {
  const { port, opened } = await serve(t)
  const client = await watch(port)
  t.equal(client.response.statusCode, 200)
  t.match(client.response.headers, {
    'content-type': /^text\/event-stream$/,
    'cache-control': /^no-cache$/,
    'x-accel-buffering': /^no$/,
  })
  t.equal(client.text, '')
  opened[0]!.end()
  t.equal(await client.whole, '')
})

t.test('status and headers of the opener take precedence, in any spelling [STREAM-3]', async t => {
  const { port, opened } = await serve(
    t,
    {
      status: 202,
      headers: { 'content-type': 'text/event-stream; charset=utf-8', 'X-Own': 'options', 'x-left-out': undefined },
    },
    { headers: { 'CACHE-CONTROL': 'no-cache, no-transform', 'x-own': 'reply' } },
  )
  const client = await watch(port)
  t.equal(client.response.statusCode, 202)
  t.match(client.response.headers, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-own': 'options',
    'x-accel-buffering': 'no',
  })
  t.notOk('x-left-out' in client.response.headers)
  opened[0]!.end()
})

t.test('a real EventSource reads all events and skips comments [STREAM-4]', async t => {
  const { port, opened } = await serve(t)
  const source = new EventSource(`http://127.0.0.1:${port}/`)
  t.teardown(() => source.close())
  const got: unknown[] = []
  const seen = new Promise<void>(resolve => {
    source.addEventListener('tick', ({ data, lastEventId }) => {
      got.push([data, lastEventId])
      resolve()
    })
    source.addEventListener('message', ({ data, lastEventId }) => got.push([data, lastEventId]))
  })
  await new Promise(resolve => {
    source.onopen = resolve
  })
  opened[0]!.comment('no event')
  opened[0]!.send({ id: 1, data: 'one\r\ntwo' })
  opened[0]!.send({ id: 2, event: 'tick', data: { n: 2 } })
  await seen
  t.same(got, [
    ['one\ntwo', '1'],
    ['{"n":2}', '2'],
  ])
})

t.test('heartbeats', async t => {
  t.test("come after silence, at its length, in the opener's words [STREAM-6]", async t => {
    const { port, clock, opened } = await serve(t, { heartbeatMs: 100, heartbeatText: 'keep-alive' })
    const client = await watch(port)
    clock.advance(99)
    opened[0]!.send({ data: 'a' })
    clock.advance(99)
    opened[0]!.comment('b')
    clock.advance(99)
    opened[0]!.write('data: c\n\n')
    clock.advance(250)
    opened[0]!.end()
    t.equal(await client.whole, 'data: a\n\n: b\n\ndata: c\n\n: keep-alive\n\n: keep-alive\n\n')
  })

  t.test('are not sent without an interval, or with 0 [STREAM-6]', async t => {
    for (const options of [{}, { heartbeatMs: 0 }]) {
      const { port, clock, opened } = await serve(t, options)
      const client = await watch(port)
      clock.advance(1_000_000)
      opened[0]!.end()
      t.equal(await client.whole, '')
    }
  })

  t.test('never occur within an unfinished event [STREAM-6]', async t => {
    const { port, clock, opened } = await serve(t, { heartbeatMs: 100 })
    const client = await watch(port)
    opened[0]!.write('data: one\n')
    clock.advance(250)
    opened[0]!.write('data: two\n\n')
    clock.advance(100)
    opened[0]!.end()
    t.equal(await client.whole, 'data: one\ndata: two\n\n: heartbeat\n\n')
  })

  t.test('do not accumulate for a client that reads nothing [STREAM-6] [STREAM-7]', async t => {
    const { port, clock, opened } = await serve(t, { heartbeatMs: 100 })
    const client = await watch(port)
    client.response.pause()
    const stream = opened[0]!
    await fillUp(stream)
    const before = stream.pendingBytes
    clock.advance(100 * 1000)
    t.ok(stream.pendingBytes <= before)
    client.leave()
  })

  t.test("come by the system's clock too, and keep no process alive [STREAM-6]", async t => {
    const registry = new StreamRegistry()
    const port = await listen(
      t,
      http.createServer((_, response) => {
        openSse({ response, registry, generation: 1, options: { heartbeatMs: 5, lifetimeMs: 2 ** 40 } })
      }),
    )
    const client = await watch(port)
    await client.until(text => text.startsWith(': heartbeat\n\n: heartbeat\n\n'))
    client.leave()
    await until(() => registry.count() === 0)
  })
})

t.test('forced ends', async t => {
  const comments = {
    plan: ': svc plan stream lifetime reached\n\n',
    reload: ': svc reloaded\n\n',
    stop: '',
    lifetime: '',
  }

  t.test('each reason has its closing comment, and the body ends cleanly [STREAM-10] [STREAM-11]', async t => {
    for (const [reason, comment] of Object.entries(comments)) {
      const { port, registry, opened } = await serve(t)
      const client = await watch(port)
      opened[0]!.send({ data: 'a' })
      registry.endAll({ reason: reason as keyof typeof comments })
      t.equal(await client.whole, `data: a\n\n${comment}`, reason)
      t.equal(await opened[0]!.over, reason)
      t.equal(opened[0]!.signal.reason, reason)
    }
  })

  t.test('a blank line is sent first if an event is unfinished [STREAM-10]', async t => {
    const table: [written: string[], separator: string][] = [
      [['data: half'], '\n\n'],
      [['data: a\n'], '\n'],
      [['data: a\r\n'], '\n'],
      [['data: a\r\n\r\n'], ''],
      [['data: a\r', '\n', '\r', '\n'], ''],
      [['data: a', '\n', '\n'], ''],
      [[], ''],
    ]
    for (const [written, separator] of table) {
      const { port, registry, opened } = await serve(t)
      const client = await watch(port)
      for (const chunk of written) opened[0]!.write(Buffer.from(chunk))
      registry.endAll({ reason: 'plan' })
      t.equal(await client.whole, `${written.join('')}${separator}${comments.plan}`, JSON.stringify(written))
    }
  })

  t.test('a complete event after an unfinished one ends that as well [STREAM-10]', async t => {
    const { port, registry, opened } = await serve(t)
    const client = await watch(port)
    opened[0]!.write('data: a\n')
    opened[0]!.send({ data: 'b' })
    registry.endAll({ reason: 'plan' })
    t.equal(await client.whole, `data: a\ndata: b\n\n${comments.plan}`)
  })

  t.test('the final data comes before the closing comment; later writes are dropped [STREAM-9]', async t => {
    let opened: SseStream | null = null
    const reported: string[] = []
    const { port, registry } = await startStreamServer(t, opening => {
      const farewell = (reason: string) => {
        reported.push(reason, String(opened!.closed))
        opened!.send({ data: 'farewell' })
        opened!.end()
        opened!.send({ data: 'still sent' })
      }
      opened = openSse({ ...opening, options: { farewell } })
      opened!.signal.addEventListener('abort', () => {
        reported.push('aborted')
        opened!.send({ data: 'too late' })
      })
    })
    const client = await watch(port)
    registry.endAll({ reason: 'plan' })
    registry.endAll({ reason: 'stop' })
    t.equal(opened!.send({ data: 'dropped' }), false)
    opened!.end()
    t.equal(await client.whole, `data: farewell\n\ndata: still sent\n\n${comments.plan}`)
    t.same(reported, ['plan', 'false', 'aborted'])
  })

  t.test('an exception while writing the final data is reported and delays nothing [STREAM-9]', async t => {
    const { port, registry, errors } = await serve(t, {
      farewell: () => {
        throw new Error('farewell')
      },
    })
    const client = await watch(port)
    registry.endAll({ reason: 'reload' })
    t.equal(await client.whole, comments.reload)
    t.match(errors, [/farewell/])
  })
})
