/** `/sse` and `/sse/chat`. */
import t from 'tap'
import type { BodyStream, SseEvent, StreamEnd } from '../../../core/contract/plugin.ts'
import type { Config } from '../../../core/config/variables.ts'
import { replyTo } from '../../../plugins/sse/chat-reply.ts'
import { lifetimeOf, numberedEvent, readNumberedEvents } from '../../../plugins/sse/numbered-events.ts'
import { pace } from '../../../plugins/sse/pace.ts'
import { checkRefusals } from '../../support/refusals.ts'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'
import { watch } from '../../support/stream-server.ts'
import { until } from '../../support/until.ts'

const server = await serve(t)
const { url } = server
const port = server.ports.http!
const { url: publicUrl } = await serve(t, { env: { SVC_PUBLIC_MODE: 'true' } })

const idsIn = (text: string): number[] => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
const dataIn = (text: string): string[] => [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data!)
const openStreams = async (base = url): Promise<number> =>
  Number(/^svc_streams_open (\d+)$/m.exec((await send(base, '/_svc/metrics')).text)?.[1])

t.test('sends numbered events in the order id, event, retry, data [EVENTS-1]', async t => {
  const reply = await send(url, '/sse?count=2&interval_ms=0&event=tick&retry=500')
  t.match(reply, {
    status: 200,
    headers: { 'content-type': /^text\/event-stream$/, 'cache-control': 'no-cache', 'x-accel-buffering': 'no' },
  })
  const [first, second, end] = reply.text.split('\n\n')
  t.match(first, /^id: 1\nevent: tick\nretry: 500\ndata: \{[^\n]*\}$/)
  t.match(second, /^id: 2\nevent: tick\ndata: \{[^\n]*\}$/)
  t.equal(end, '')
  const data = JSON.parse(dataIn(reply.text)[1]!) as Record<string, unknown>
  t.strictSame(Object.keys(data), ['id', 'count', 'message', 'timestamp'])
  t.match(data, { id: 2, count: 2, message: 'event 2 of 2', timestamp: /^\d{4}-\d\d-\d\dT.*Z$/ })
})

t.test('accepts every parameter within its range [EVENTS-2]', async t => {
  const rows: [query: string, ids: number[], firstLine: RegExp][] = [
    ['count=3&interval_ms=0', [1, 2, 3], /^id: 1\ndata: \{/],
    ['count=0', [], /^$/],
    ['count=2&interval_ms=0&mode=text', [1, 2], /^id: 1\ndata: event 1 of 2\n/],
    ['count=1&event=a.b:c_D-9', [1], /^id: 1\nevent: a\.b:c_D-9\n/],
    [`count=1&event=${'e'.repeat(64)}`, [1], /event: e{64}\n/],
    ['count=1&retry=99999999999999999999', [1], /\nretry: 3600000\n/],
    ['count=1&retry=0', [1], /\nretry: 0\n/],
    ['count=1&heartbeat_ms=99999999999999999999', [1], /^id: 1/],
    ['count=002&count=9&interval_ms=00', [1, 2], /^id: 1/],
    ['count=1000&interval_ms=0&mode=text', Array.from({ length: 1000 }, (_, index) => index + 1), /event 1 of 1000/],
  ]
  for (const [query, ids, start] of rows) {
    const { status, text } = await send(url, `/sse?${query}`)
    t.equal(status, 200, query)
    t.strictSame(idsIn(text), ids, query)
    t.match(text, start, query)
  }
})

t.test('rejects every parameter out of range [EVENTS-2]', async t => {
  const rows: [name: string, values: string[]][] = [
    ['count', ['1001', '-1', '1.5', 'x', '', '%2B5', '1e3', '0x10', '99999999999999999999']],
    ['interval_ms', ['60001', '-1', '1.5', '']],
    ['event', ['', 'a%20b', 'a%0Ab', 'e'.repeat(65), '%C3%A9', 'a,b']],
    ['retry', ['-1', 'x', '1.5', '']],
    ['mode', ['xml', '', 'JSON', '__proto__']],
    ['heartbeat_ms', ['1', '99', '-1', 'x', '']],
  ]
  const refused = (parameter: string, value: string) => ({
    path: `/sse?${parameter}=${value}`,
    error: 'invalid_parameter',
    parameter,
  })
  await checkRefusals(
    t,
    url,
    rows.flatMap(([name, values]) => values.map(value => refused(name, value))),
    { negotiated: false },
  )
  await checkRefusals(t, publicUrl, [refused('count', '101'), refused('interval_ms', '10001')], { negotiated: false })
  t.equal((await send(publicUrl, '/sse?count=100&interval_ms=0')).status, 200)
})

t.test('resumes after the last event received; 204 if no event is left [EVENTS-3]', async t => {
  const rows: [query: string, header: string | null, ids: number[] | null][] = [
    ['count=5', '3', [4, 5]],
    ['count=5&last_event_id=3', null, [4, 5]],
    ['count=5&lastEventId=3', null, [4, 5]],
    ['count=5&last_event_id=1', '4', [5]],
    ['count=5', '0', [1, 2, 3, 4, 5]],
    ['count=5', 'x', [1, 2, 3, 4, 5]],
    ['count=5&last_event_id=2', 'x', [1, 2, 3, 4, 5]],
    ['count=5', '-1', [1, 2, 3, 4, 5]],
    ['count=5', '', [1, 2, 3, 4, 5]],
    ['count=5&last_event_id=x', null, [1, 2, 3, 4, 5]],
    ['count=5', '5', null],
    ['count=5', '6', null],
    ['count=5', '99999999999999999999', null],
    ['count=5&last_event_id=5', null, null],
    ['count=0', '5', []],
  ]
  for (const [query, header, ids] of rows) {
    const reply = await send(url, `/sse?${query}&interval_ms=0&retry=7`, {
      headers: header === null ? {} : { 'Last-Event-ID': header },
    })
    t.equal(reply.status, ids === null ? 204 : 200, `${query} ${header}`)
    t.strictSame(idsIn(reply.text), ids ?? [], `${query} ${header}`)
    if (ids === null) t.strictSame([reply.text, reply.headers['content-type']], ['', undefined])
    else if (ids.length > 0) t.strictSame(reply.text.match(/retry: 7/g)?.length, 1, 'retry is sent once')
  }
})

t.test('sends heartbeat comments, but only after an idle interval [EVENTS-4]', async t => {
  const stream = await watch(port, { path: '/sse?count=2&interval_ms=60000&heartbeat_ms=100' })
  t.match(
    await stream.until(text => text.split(': heartbeat').length > 2),
    /^id: 1\ndata: [^\n]*\n\n(: heartbeat\n\n){2}$/,
  )
  stream.leave()
  const quiet = await watch(port, { path: '/sse?count=2&interval_ms=250&heartbeat_ms=0' })
  t.notMatch(await quiet.whole, /heartbeat/)
})

t.test('a stream lasts at most 10 minutes (2 on public instances) [EVENTS-8]', async t => {
  t.equal(lifetimeOf({ publicMode: false } as Config), 600_000)
  t.equal(lifetimeOf({ publicMode: true } as Config), 120_000)
})

t.test('HEAD returns the headers and starts no stream [EVENTS-5]', async t => {
  const before = await openStreams()
  const reply = await send(url, '/sse', { method: 'HEAD' })
  t.strictSame([reply.status, reply.headers['content-type'], reply.text], [200, 'text/event-stream', ''])
  t.equal((await send(url, '/sse?count=x', { method: 'HEAD' })).status, 400)
  t.equal((await send(url, '/sse?count=1&last_event_id=1', { method: 'HEAD' })).status, 204)
  t.equal(await openStreams(), before)
})

t.test('no stream or timer remains when the client disconnects early [EVENTS-6]', async t => {
  const before = {
    streams: await openStreams(),
    timers: process.getActiveResourcesInfo().filter(name => name === 'Timeout').length,
  }
  const streams = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      watch(port, { path: index % 2 === 0 ? '/sse?interval_ms=60000' : '/sse/chat?delay_ms=2000' }),
    ),
  )
  await Promise.all(streams.map(stream => stream.until(text => text !== '')))
  t.equal(await openStreams(), before.streams + 50)
  for (const stream of streams) stream.leave()
  await until(async () => (await openStreams()) === before.streams, 'the end of all streams')
  await until(
    () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length <= before.timers + 2,
    'the end of all timers',
  )
  t.pass()
})

t.test('waits for a client that does not read instead of buffering events [EVENTS-7]', async t => {
  let release: () => void = () => {}
  let end: (reason: StreamEnd) => void = () => {}
  const over = new Promise<StreamEnd>(resolve => {
    end = resolve
  })
  const stream = {
    closed: false,
    over,
    ready: () =>
      new Promise<void>(resolve => {
        release = resolve
      }),
    end: () => {},
  }
  let sent = 0
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) await new Promise<void>(resolve => setImmediate(resolve))
  }
  pace(stream as unknown as BodyStream, 0, () => ++sent < 1000)
  await turns()
  t.equal(sent, 1)
  release()
  await turns()
  t.equal(sent, 2)
  stream.closed = true
  end('client')
  release()
  await turns()
  t.equal(sent, 2, 'nothing runs after the client has disconnected')
})

t.test('an event has the requested parts [EVENTS-1]', async t => {
  const wanted = readNumberedEvents(new URLSearchParams('count=5&mode=text&event=e&retry=9'), {
    publicMode: false,
  } as Config)
  const rows: [id: number, isFirst: boolean, event: SseEvent][] = [
    [1, true, { id: 1, event: 'e', retry: 9, data: 'event 1 of 5' }],
    [4, true, { id: 4, event: 'e', retry: 9, data: 'event 4 of 5' }],
    [2, false, { id: 2, event: 'e', retry: undefined, data: 'event 2 of 5' }],
  ]
  for (const [id, isFirst, event] of rows) t.strictSame(numberedEvent(id, wanted, isFirst), event)
})

// -------------------------------------------------------------------------------------------------------------- chat

interface Chunk {
  id: string
  object: string
  index: number
  delta: string
  finish_reason: string | null
  usage?: Record<string, number>
}

function chunksOf(text: string): Chunk[] {
  const data = dataIn(text)
  if (data.at(-1) !== '[DONE]') throw new Error('no [DONE] at the end')
  return data.slice(0, -1).map(line => JSON.parse(line) as Chunk)
}

t.test('a chat reply is sent word by word, with the usage at the end [CHAT-1]', async t => {
  const { text, headers } = await send(url, '/sse/chat?prompt=hello%20there,%20you&max_tokens=5&delay_ms=0')
  t.equal(headers['content-type'], 'text/event-stream')
  const chunks = chunksOf(text)
  t.equal(chunks.length, 6)
  for (const [index, chunk] of chunks.entries()) {
    t.match(chunk, { id: /^chat-[0-9a-f]{32}$/, object: 'chat.chunk', index })
    t.equal(chunk.id, chunks[0]!.id)
  }
  t.strictSame(Object.keys(chunks[0]!), ['id', 'object', 'index', 'delta', 'finish_reason'])
  t.strictSame(
    chunks.map(({ delta }) => delta),
    ['You ', 'said: ', '"hello ', 'there, ', 'you". ', ''],
  )
  t.strictSame(
    chunks.map(({ finish_reason: reason }) => reason),
    [null, null, null, null, null, 'length'],
  )
  t.strictSame(chunks.at(-1)!.usage, { completion_tokens: 5, prompt_tokens: 3, total_tokens: 8 })
  t.ok(text.endsWith('data: [DONE]\n\n'))
})

t.test('without a limit, the complete response is sent with the finish reason stop [CHAT-1]', async t => {
  const chunks = chunksOf((await send(url, '/sse/chat?delay_ms=0')).text)
  t.equal(chunks.at(-1)!.finish_reason, 'stop')
  t.ok(chunks.length - 1 >= 40, `${chunks.length - 1} words`)
  t.equal(chunks.map(({ delta }) => delta).join(''), replyTo('', 500).words.join(''))
  t.match(chunks.at(-1)!.usage, { prompt_tokens: 0, completion_tokens: chunks.length - 1 })
})

t.test('quotes the first 200 characters of a prompt, without control characters [CHAT-2]', async t => {
  const rows: [prompt: string, quoted: string][] = [
    ['hi', 'hi'],
    ['a\tb\nc\u0000d\u009fe', 'abcde'],
    ['x'.repeat(201), 'x'.repeat(200)],
    ['😀'.repeat(201), '😀'.repeat(200)],
    ['   ', '   '],
    ['"quoted"', '"quoted"'],
    ['\ud800', '\ud800'],
  ]
  for (const [prompt, quoted] of rows)
    t.ok(replyTo(prompt, 500).words.join('').startsWith(`You said: "${quoted}". `), JSON.stringify(prompt).slice(0, 40))
  t.equal(replyTo('one two\tthree\n four ', 500).promptTokens, 4)
  t.strictSame(replyTo('', 500).finishReason, 'stop')
  const all = replyTo('', 500).words.length
  t.strictSame([replyTo('', all).finishReason, replyTo('', all - 1).finishReason], ['stop', 'length'])
})

t.test('values in the body override those in the query [CHAT-3]', async t => {
  const post = async (query: string, body: string): Promise<Chunk[]> =>
    chunksOf((await send(url, `/sse/chat${query}`, { method: 'POST', body })).text)
  const both = await post('?prompt=query&max_tokens=9&delay_ms=0', '{"prompt":"body","max_tokens":3}')
  t.strictSame([both.length, both[2]!.delta], [4, '"body". '])
  t.equal((await post('?prompt=query&max_tokens=3&delay_ms=0', ''))[2]!.delta, '"query". ')
  for (const [body, words] of [
    ['{"max_tokens":0,"delay_ms":0}', 1],
    ['{"max_tokens":-7,"delay_ms":0}', 1],
    ['{"max_tokens":2,"delay_ms":0,"more":[]}', 2],
  ] as const)
    t.equal((await post('', body)).length - 1, words, body)
  t.equal(chunksOf((await send(url, '/sse/chat?max_tokens=0&delay_ms=0')).text).length, 2)
  t.equal(
    chunksOf((await send(publicUrl, `/sse/chat?delay_ms=0&prompt=${'w%20'.repeat(100)}`)).text).length - 1 <= 200,
    true,
  )
})

t.test('rejects invalid prompts, numbers and bodies [CHAT-3]', async t => {
  const rows: [base: string, query: string, body: string, error: object][] = [
    ...['[]', 'null', '"x"', '{', 'x', '7'].map(
      body => [url, '', body, { error: 'invalid_json' }] as [string, string, string, object],
    ),
    ...['{"prompt":1}', '{"prompt":null}', '{"prompt":["x"]}'].map(
      body => [url, '', body, { error: 'invalid_parameter', parameter: 'prompt' }] as [string, string, string, object],
    ),
    ...['{"max_tokens":"5"}', '{"max_tokens":1.5}', '{"max_tokens":null}', '{"max_tokens":1e999}'].map(
      body =>
        [url, '', body, { error: 'invalid_parameter', parameter: 'max_tokens' }] as [string, string, string, object],
    ),
    ...['{"delay_ms":2001}', '{"delay_ms":-1}', '{"delay_ms":"1"}'].map(
      body =>
        [url, '', body, { error: 'invalid_parameter', parameter: 'delay_ms' }] as [string, string, string, object],
    ),
    [url, '?delay_ms=2001', '', { error: 'invalid_parameter', parameter: 'delay_ms' }],
    [url, '?max_tokens=x', '', { error: 'invalid_parameter', parameter: 'max_tokens' }],
    [url, '?max_tokens=-5', '', { error: 'invalid_parameter', parameter: 'max_tokens' }],
    [publicUrl, '?delay_ms=1001', '', { error: 'invalid_parameter', parameter: 'delay_ms' }],
    [publicUrl, '', '{"delay_ms":1001}', { error: 'invalid_parameter', parameter: 'delay_ms' }],
  ]
  for (const [base, query, body, error] of rows) {
    const reply = await send(base, `/sse/chat${query}`, { method: 'POST', body })
    t.match([reply.status, reply.json()], [400, { ...error, details: String }], `${query} ${body}`)
  }
})
