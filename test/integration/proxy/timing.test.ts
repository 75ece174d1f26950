/** The pace of replayed responses. */
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import type { FastifyReply, FastifyRequest, Svc } from '../../../core/contract/plugin.ts'
import type { Upstream } from '../../../plugins/proxy/config/upstream.ts'
import { replay } from '../../../plugins/proxy/exchange/replay.ts'
import { proxyTo, foldersOf, onlyRecording, startUpstream } from './upstream.ts'

interface Piece {
  text: string
  /** Milliseconds since the request. */
  at: number
}

async function pieces(url: string): Promise<{ head: number; body: Piece[]; mode: string | null }> {
  const startedAt = performance.now()
  const response = await fetch(url)
  const head = performance.now() - startedAt
  const body: Piece[] = []
  const decoder = new TextDecoder()
  for await (const bytes of response.body!)
    body.push({ text: decoder.decode(bytes as Uint8Array), at: performance.now() - startedAt })
  return { head, body, mode: response.headers.get('x-svc-proxy') }
}

t.test('a stream is recorded in chunks with their times, and replayed at that pace or faster [PROXY-40]', async t => {
  const upstream = await startUpstream(t, async (_request, response) => {
    await wait(150)
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    for (const text of ['data: a\n\n', 'data: é\n\n', 'data: c\n\n']) {
      response.write(text)
      await wait(200)
    }
    response.end()
  })
  const recorder = await proxyTo(t, [{ name: 'api', target: upstream.url }])
  await pieces(`${recorder.url}/proxy/api/x`)
  const [response] = (await onlyRecording(recorder, 'api')).responses
  t.ok(response!.first_byte_ms! >= 140 && response!.first_byte_ms! < 1000, `${response!.first_byte_ms} ms`)
  t.strictSame(
    response!.chunks?.map(({ text }) => text),
    ['data: a\n\n', 'data: é\n\n', 'data: c\n\n'],
  )
  const [first, ...others] = response!.chunks!.map(({ after_ms: after }) => after)
  t.ok(first! < 100, `${first} ms after the head`)
  t.ok(
    others.every(after => after >= 150 && after < 1000),
    others.join(', '),
  )

  const play = async (timing: unknown) => {
    const recordings = foldersOf(recorder, 'api')
    const player = await proxyTo(t, [{ name: 'api', target: upstream.url, mode: 'replay', timing, recordings }])
    const played = await pieces(`${player.url}/proxy/api/x`)
    t.equal(played.mode, 'replay')
    t.equal(played.body.map(({ text }) => text).join(''), 'data: a\n\ndata: é\n\ndata: c\n\n')
    return played
  }
  const none = await play('none')
  t.ok(none.body.at(-1)!.at < 300, `at once: ${none.body.at(-1)!.at} ms`)
  const original = await play('original')
  t.ok(original.head >= 140, `${original.head} ms until the head`)
  t.ok(original.body.length >= 3 && original.body.at(-1)!.at >= 450, `${original.body.at(-1)!.at} ms`)
  const half = await play(0.5)
  t.ok(half.body.at(-1)!.at >= 225 && half.body.at(-1)!.at < original.body.at(-1)!.at, `${half.body.at(-1)!.at} ms`)
})

t.test(
  'every wait is that of svc.http.delay, which has a limit and ends when the client leaves [PROXY-41]',
  async t => {
    for (const stays of [true, false]) {
      const waits: number[] = []
      const sent: string[] = []
      const stream = {
        closed: false,
        write: (bytes: Buffer) => sent.push(bytes.toString()) > 0,
        end: () => sent.push('end'),
      }
      const svc = {
        http: {
          delay: async (_request: unknown, ms: number) => {
            waits.push(ms)
            return stays || waits.length < 2
          },
        },
        streams: { body: () => stream },
      } as unknown as Svc<unknown>
      const reply = { hijack: () => reply }
      const upstream = { name: 'api', target: new URL('http://x'), timing: 3 } as Upstream
      await replay(
        svc,
        {
          request: {} as FastifyRequest,
          reply: reply as unknown as FastifyReply,
          upstream,
          requested: '/',
          mount: '/proxy/api',
        },
        {
          status: 200,
          headers: {},
          first_byte_ms: 1_000_000,
          chunks: [
            { after_ms: 0, text: 'a' },
            { after_ms: 20, text: 'b' },
          ],
        },
      )
      t.strictSame(waits, [3_000_000, 60])
      t.strictSame(sent, stays ? ['a', 'b', 'end'] : ['a', 'end'])
    }
  },
)
