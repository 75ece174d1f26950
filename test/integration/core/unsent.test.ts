/** Writers that never wait for their clients. */
import t from 'tap'
import { connect } from 'node:net'
import { pluginFolder } from '../../support/plugins.ts'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const FLOOD = `import { definePlugin, describe } from 'svc/plugin'
export default definePlugin({
  title: 'flood',
  paths: ['/flood', '/held', '/flooded'],
  register(app, svc) {
    const seen = svc.shared('seen', () => ({ written: 0, ends: [] }))
    const described = path => describe({ summary: path, category: 'Test', examples: [{ name: 'Plain', path }] })
    app.get('/flood', described('/flood'), (request, reply) => {
      const stream = svc.streams.sse(request, reply)
      const data = 'x'.repeat(65536)
      void stream.over.then(reason => seen.ends.push(reason))
      const more = () => {
        if (stream.closed) return
        stream.send({ data })
        seen.written += data.length
        setImmediate(more)
      }
      more()
    })
    app.get('/held', described('/held'), (request, reply) => {
      const stream = svc.streams.sse(request, reply)
      void stream.over.then(reason => seen.ends.push(reason))
      const release = svc.streams.hold(request, 1000)
      release()
      release()
      // More than all may have.
      svc.streams.hold(request, 5_000_000)
    })
    app.get('/flooded', described('/flooded'), async () => seen)
  },
})
`

const { folder } = pluginFolder(t, { flood: FLOOD })
const server = await serve(t, {
  env: { SVC_PLUGINS_DIR: folder, SVC_BUDGET_STREAM_BYTES: '16384', SVC_BUDGET_MEMORY_BYTES: '4194304' },
  oneProcess: 'it looks at the streams of a process',
})

async function seen(): Promise<{ written: number; ends: string[] }> {
  return (await (await fetch(`${server.url}/flooded`)).json()) as { written: number; ends: string[] }
}

t.test('a stream whose writer never waits ends, and others go on [UNSENT-1]', async t => {
  const reading = await fetch(`${server.url}/sse?count=100&interval_ms=1000`)
  const reader = reading.body!.getReader()
  t.teardown(async () => reader.cancel())
  const unread = connect(Number(new URL(server.url).port), '127.0.0.1')
  t.teardown(() => unread.destroy())
  unread.on('error', () => {}).pause()
  unread.write('GET /flood HTTP/1.1\r\nHost: a\r\n\r\n')
  await until(async () => (await seen()).ends.length > 0, 'the end')
  t.strictSame((await seen()).ends, ['client'])
  for (let events = 0; events < 2; events++) t.equal((await reader.read()).done, false)
})

t.test('what a plugin keeps for a response counts [UNSENT-2]', async t => {
  const before = (await seen()).ends.length
  await t.rejects(fetch(`${server.url}/held`).then(async response => response.text()))
  t.equal((await seen()).ends.length, before + 1)
})
