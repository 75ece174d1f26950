/** The live feed of a request bin. */
import http from 'node:http'
import t from 'tap'
import type { BodyStream, SseEvent, SseStream, StreamEnd } from '../../../core/contract/plugin.ts'
import { createBinStore } from '../../../plugins/bins/bin-store.ts'
import type { CapturedRequest } from '../../../plugins/bins/captured-request.ts'
import { createFeeds } from '../../../plugins/bins/feed.ts'
import { limitsOf } from '../../../plugins/bins/limits.ts'
import type { Config } from '../../../core/config/variables.ts'
import { pluginState } from '../../support/plugin-state.ts'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'
import { watch, type Watched } from '../../support/stream-server.ts'
import { until } from '../../support/until.ts'

const server = await serve(t)
const { url } = server
const port = server.ports.http!

const newBin = async (): Promise<string> => (await send(url, '/bin', { method: 'POST' })).json<{ id: string }>().id
const feedOf = (
  id: string,
  { query = '', headers = {} }: { query?: string; headers?: Record<string, string> } = {},
): Promise<Watched> => watch(port, { path: `/bin/${id}/requests/stream${query}`, headers })
const idsIn = (text: string): number[] => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
const openStreams = async (): Promise<number> =>
  Number(/^svc_streams_open (\d+)$/m.exec((await send(url, '/_svc/metrics')).text)?.[1])

t.test('sends each new capture as one event [BIN-16]', async t => {
  const id = await newBin()
  await send(url, `/bin/${id}/before`)
  const feed = await feedOf(id)
  t.match(feed.response.headers, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
  })
  await send(url, `/bin/${id}/a`, { method: 'POST', body: 'one\ntwo' })
  const text = await feed.until(soFar => soFar.endsWith('\n\n'))
  const [idLine, eventLine, dataLine, ...rest] = text.split('\n')
  t.strictSame([idLine, eventLine, ...rest], ['id: 2', 'event: request', '', ''])
  t.strictSame(JSON.parse(dataLine!.slice('data: '.length)), (await send(url, `/bin/${id}/requests/2`)).json())
  feed.leave()
})

t.test('replays stored requests after the last event received [BIN-17]', async t => {
  const id = await newBin()
  for (let count = 0; count < 5; count++) await send(url, `/bin/${id}/${count}`)
  const rows: [options: { query?: string; headers?: Record<string, string> }, replayed: number[]][] = [
    [{ headers: { 'Last-Event-ID': '3' } }, [4, 5]],
    [{ query: '?last_event_id=3' }, [4, 5]],
    [{ query: '?lastEventId=3' }, [4, 5]],
    [{ query: '?last_event_id=1', headers: { 'Last-Event-ID': '4' } }, [5]],
    [{ headers: { 'Last-Event-ID': '0' } }, [1, 2, 3, 4, 5]],
    [{ headers: { 'Last-Event-ID': '5' } }, []],
    [{ headers: { 'Last-Event-ID': '99999999999999999999' } }, []],
    [{ headers: { 'Last-Event-ID': 'x' } }, []],
    [{ query: '?last_event_id=' }, []],
    [{}, []],
  ]
  const feeds = await Promise.all(rows.map(([options]) => feedOf(id, options)))
  await send(url, `/bin/${id}/new`)
  for (const [index, [options, replayed]] of rows.entries()) {
    const text = await feeds[index]!.until(soFar => soFar.includes('id: 6\n') && soFar.endsWith('\n\n'))
    t.strictSame(idsIn(text), [...replayed, 6], JSON.stringify(options))
    feeds[index]!.leave()
  }
})

t.test('loses and repeats nothing while requests are captured [BIN-17]', async t => {
  const id = await newBin()
  const captures = Array.from({ length: 60 }, () => send(url, `/bin/${id}/x`))
  const feeds = await Promise.all(Array.from({ length: 10 }, () => feedOf(id, { headers: { 'Last-Event-ID': '0' } })))
  await Promise.all(captures)
  for (const feed of feeds) {
    const text = await feed.until(soFar => soFar.includes('id: 60\n') && soFar.endsWith('\n\n'))
    t.strictSame(
      idsIn(text),
      Array.from({ length: 60 }, (_, index) => index + 1),
    )
    feed.leave()
  }
})

t.test('ends when its bin is removed [BIN-18]', async t => {
  const id = await newBin()
  const feed = await feedOf(id)
  await send(url, `/bin/${id}/last`)
  await send(url, `/bin/${id}`, { method: 'DELETE' })
  t.strictSame(idsIn(await feed.whole), [1], 'the last capture is sent before the end')
  t.equal((await send(url, `/bin/${id}/requests/stream`)).status, 404)
})

t.test('a client that disconnects is removed at once [BIN-18]', async t => {
  const id = await newBin()
  const before = await openStreams()
  const feeds = await Promise.all(Array.from({ length: 20 }, () => feedOf(id)))
  t.equal(await openStreams(), before + 20)
  for (const feed of feeds) feed.leave()
  await until(async () => (await openStreams()) === before, 'the end of all feeds')
})

t.test('HEAD returns the headers and leaves nothing open [BIN-18]', async t => {
  const id = await newBin()
  const before = await openStreams()
  const reply = await send(url, `/bin/${id}/requests/stream`, { method: 'HEAD' })
  t.strictSame([reply.status, reply.headers['content-type'], reply.text], [200, 'text/event-stream', ''])
  t.equal(await openStreams(), before)
})

t.test('feeds do not delay shutdown [BIN-18]', async t => {
  const stopping = await serve(t)
  const { id } = (await send(stopping.url, '/bin', { method: 'POST' })).json<{ id: string }>()
  const feed = await watch(stopping.ports.http!, { path: `/bin/${id}/requests/stream`, agent: new http.Agent() })
  await Promise.all([stopping.stop(), feed.whole])
  t.pass('ended cleanly')
})

// ------------------------------------------------------------------------------------------------- with a slow reader

/** A stream whose client reads nothing until it is released. */
class SlowStream implements Partial<SseStream> {
  readonly sent: SseEvent[] = []
  closed = false
  #release: () => void = () => {}
  #end: (reason: StreamEnd) => void = () => {}
  readonly over = new Promise<StreamEnd>(resolve => {
    this.#end = resolve
  })
  send(event: SseEvent): boolean {
    this.sent.push(event)
    return false
  }
  ready(): Promise<void> {
    return new Promise(resolve => {
      this.#release = resolve
    })
  }
  end(): void {
    this.closed = true
    this.#end('done')
  }
  async take(): Promise<void> {
    this.#release()
    await new Promise<void>(resolve => setImmediate(resolve))
  }
}

t.test('a slow client has one event in transit, and misses requests that are no longer stored [BIN-19]', async t => {
  const limits = { ...limitsOf({ publicMode: false, maxDelayMs: 0 } as Config), max_requests: 3 }
  const request = {
    id: 'i',
    headers: [],
    full_path: '/',
    query: null,
    body: null,
    body_base64: null,
  } as unknown as CapturedRequest
  const bins = createBinStore(pluginState({ publicMode: false }).svc, limits)
  const { id } = await bins.create('s', { status: 200, headers: {}, body: null, delay_ms: 0 })
  const stream = new SlowStream()
  await createFeeds(bins, limits)(stream as unknown as SseStream & BodyStream, id, null)
  const captureOne = (): Promise<unknown> => bins.capture(id, request)
  const ids = (): unknown[] => stream.sent.map(({ id }) => id)
  for (let count = 0; count < 1000; count++) await captureOne()
  t.strictSame(ids(), [1], 'only one event is in transit, however many requests were captured')
  await stream.take()
  t.strictSame(ids(), [1, 998], 'continues with the oldest stored request')
  await bins.delete(id)
  t.notOk(stream.closed, 'remaining requests are sent before the end')
  for (let count = 0; count < 3; count++) await stream.take()
  t.strictSame(ids(), [1, 998, 999, 1000])
  t.ok(stream.closed)
})
