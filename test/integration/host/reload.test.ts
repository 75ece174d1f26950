/**
 * Generations: built while another one runs, swapped without dropping a request, drained and freed.
 * Runs alone: it measures the heap. Mostly waits: for reloads. Takes long: many reloads.
 */
import t from 'tap'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { request as httpRequest, Agent } from 'node:http'
import { EventSource } from 'eventsource'
import { WebSocket } from 'ws'
import type { PluginRecord, ReloadResult } from '../../../core/contract/plugin.ts'
import { plugin, pluginFolder } from '../../support/plugins.ts'
import { serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

async function reload(server: TestServer, query = ''): Promise<ReloadResult> {
  return (await (await fetch(`${server.url}/_svc/reload${query}`, { method: 'POST' })).json()) as ReloadResult
}
async function text(server: TestServer, path: string): Promise<string> {
  return await (await fetch(server.url + path)).text()
}
async function recordOf(server: TestServer, name: string): Promise<PluginRecord> {
  return (await (await fetch(`${server.url}/_svc/plugins/${name}`)).json()) as PluginRecord
}

setFlagsFromString('--expose-gc')

/** A plugin with an endless event stream and a WebSocket that echoes. */
const STREAMS = `import { definePlugin, describe } from 'svc/plugin'
export default definePlugin({
  title: 'streams', paths: ['/live'],
  register(app, svc) {
    const examples = []
    app.get('/live/sse', describe({ summary: 's', category: 'Test', protocol: 'sse', endless: true, examples }), (request, reply) => {
      const stream = svc.streams.sse(request, reply, { endless: true })
      const timer = setInterval(() => stream.send({ data: svc.options.word ?? 'tick' }), 5)
      stream.over.then(() => clearInterval(timer))
    })
    app.get('/live/ws', { websocket: true, ...describe({ summary: 'w', category: 'Test', protocol: 'websocket', examples }) }, socket => {
      socket.on('message', message => socket.send(String(message) + '!'))
    })
    app.get('/live/slow', describe({ summary: 'slow', category: 'Test', examples }), async request => {
      await new Promise(resolve => svc.shared('gates', () => []).push(resolve))
      return 'slow but done'
    })
    app.get('/live/open', describe({ summary: 'open', category: 'Test', examples }), async () => {
      for (const open of svc.shared('gates', () => [])) open()
      return 'opened'
    })
  },
})`

t.test('many reloads without changes share a run every 250 ms; a forced one does not wait [SEC-5]', async t => {
  const plugins = pluginFolder(t, { one: plugin('one', '1') })
  const server = await serve(t, { builtinFolder: plugins.folder, oneProcess: 'it reloads one process' })
  let runs = 0
  server.host.onReload = async () => {
    runs++
  }
  const startedAt = performance.now()
  for (let batch = 0; batch < 30; batch++) {
    const results = Array.from({ length: 10 }, () => server.host.reload())
    t.equal(new Set(results).size, 1, 'those that arrive together share one promise')
    if (batch % 10 === 9) await results[0]
    else await new Promise(setImmediate)
  }
  const elapsedMs = performance.now() - startedAt
  t.ok(runs >= 2 && runs <= 2 + elapsedMs / 250, `${runs} runs for 300 requests in ${Math.round(elapsedMs)} ms`)
  const before = runs
  const [waiting, forced] = await Promise.all([server.host.reload(), server.host.reload({ force: true })])
  t.equal(waiting, forced, 'the one that waited goes along')
  t.equal(runs, before + 1)
  t.match(forced, { changed: true })
})

t.test('a reload applies what changed on disk [RELOAD-1]', async t => {
  const plugins = pluginFolder(t, { one: plugin('one', '1'), two: plugin('two', '2') })
  const server = await serve(t, { builtinFolder: plugins.folder, oneProcess: 'it reloads one process' })
  t.match(
    await reload(server),
    { applied: true, changed: false, generation: 1 },
    'nothing changed: the generation stays',
  )
  t.match(await reload(server, '?force=true'), {
    applied: true,
    changed: true,
    generation: 2,
    plugins: { reloaded: [] },
  })

  plugins.write('one', plugin('one', '1b'))
  t.match(await reload(server), { generation: 3, plugins: { added: [], reloaded: ['one'], removed: [], failed: [] } })
  t.equal(await text(server, '/one'), '1b')

  plugins.write('three', plugin('three', '3'))
  plugins.remove('two')
  t.match(await reload(server), {
    generation: 4,
    plugins: { added: ['three'], reloaded: [], removed: ['two'], failed: [] },
  })
  t.equal(await text(server, '/three'), '3')
  t.equal((await fetch(`${server.url}/two`)).status, 404)
})

t.test('if a new version fails, the last working one keeps running, marked stale [RELOAD-2]', async t => {
  const plugins = pluginFolder(t, { one: plugin('one', 'good') })
  const server = await serve(t, { builtinFolder: plugins.folder, oneProcess: 'it reloads one process' })
  for (const [what, broken, phase] of [
    ['does not load', 'throw new Error("no luck")', 'load'],
    ['does not register', plugin('one', 'x', { body: 'throw new Error("no luck")' }), 'register'],
  ] as const) {
    plugins.write('one', broken)
    t.match(await reload(server), { applied: true, changed: true, plugins: { failed: ['one'] } }, what)
    t.match(await recordOf(server, 'one'), {
      state: 'enabled',
      stale: true,
      error: { phase, message: 'no luck' },
      generation: 1,
      routes: 1,
    })
    t.equal(await text(server, '/one'), 'good')
  }
  plugins.write('one', plugin('one', 'fixed'))
  await reload(server)
  t.match(await recordOf(server, 'one'), { state: 'enabled', stale: false, error: null })
  t.equal(await text(server, '/one'), 'fixed')
})

t.test(
  'a request finishes in the generation in which it started, even if its plugin is removed [RELOAD-3]',
  async t => {
    const plugins = pluginFolder(t, { live: STREAMS, one: plugin('one', '1') })
    const server = await serve(t, { builtinFolder: plugins.folder, oneProcess: 'it reloads one process' })
    const slow = text(server, '/live/slow')
    await until(() => server.host.current().openCount > 0)
    plugins.write('one', plugin('one', '2'))
    await reload(server)
    await text(server, '/live/open')
    t.equal(await slow, 'slow but done')

    const again = text(server, '/live/slow')
    const before = server.host.current()
    await until(() => before.openCount > 0)
    const open = text(server, '/live/open')
    plugins.remove('live')
    await reload(server)
    t.equal((await fetch(`${server.url}/live/slow`)).status, 404)
    t.equal(await open, 'opened')
    t.equal(await again, 'slow but done')
    await until(() => before.openCount === 0)
  },
)

t.test('an event stream and a WebSocket survive several swaps [RELOAD-4]', async t => {
  const plugins = pluginFolder(t, { live: STREAMS, one: plugin('one', '1') })
  const server = await serve(t, { builtinFolder: plugins.folder, oneProcess: 'it reloads one process' })
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/live/ws`)
  await new Promise(resolve => socket.on('open', resolve))
  const source = new EventSource(`${server.url}/live/sse`)
  let ticks = 0
  let errors = 0
  source.onmessage = () => ticks++
  source.onerror = () => errors++
  await until(() => ticks > 0)
  for (let round = 0; round < 5; round++) {
    plugins.write('one', plugin('one', `round ${round}`))
    await reload(server)
  }
  const seen = ticks
  await until(() => ticks > seen + 3)
  const answer = new Promise(resolve => socket.once('message', data => resolve(String(data))))
  socket.send('hello')
  t.equal(await answer, 'hello!')
  t.equal(errors, 0, 'never reconnected')
  source.close()
  socket.close()
})

t.test('if there are more than eight generations, the oldest one is ended normally [RELOAD-5]', async t => {
  const plugins = pluginFolder(t, { live: STREAMS, one: plugin('one', '1') })
  const server = await serve(t, { builtinFolder: plugins.folder, oneProcess: 'it reloads one process' })
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/live/ws`)
  await new Promise(resolve => socket.on('open', resolve))
  const closed = new Promise(resolve => socket.on('close', (code, reason) => resolve([code, String(reason)])))
  const stream = fetch(`${server.url}/live/sse`).then(response => response.text())
  await until(() => server.host.current().openCount >= 2)
  // Every generation needs an open stream, otherwise it is closed at once.
  const held: WebSocket[] = []
  t.teardown(() => held.forEach(other => other.terminate()))
  for (let round = 0; round < 8; round++) {
    await reload(server, '?force=true')
    const other = new WebSocket(`${server.url.replace('http', 'ws')}/live/ws`)
    held.push(other)
    await new Promise(resolve => other.on('open', resolve))
  }
  t.strictSame(await closed, [1001, 'server reloaded'])
  t.match(await stream, /\n\n: svc reloaded\n\n$/)
  t.ok(
    held.slice(-7).every(other => other.readyState === WebSocket.OPEN),
    'the younger ones go on',
  )
})

t.test('state survives a reload, also one that changes its plugin [RELOAD-6]', async t => {
  const counter = (name: string, note: string, schema = 1): string =>
    plugin(name, note, {
      body: `
    const hits = svc.state('hits', { maxCount: 10, schema: ${schema} })
    const log = svc.eventLog('log', { maxPerStream: 10, maxCount: 10, schema: ${schema} })
    const last = svc.replicated('last', { initial: () => 0, schema: ${schema} })
    const object = svc.shared('object', () => ({ note: '${note}' }))
    app.get('/${name}/kept', describe({ summary: 'k', category: 'Test', examples: [] }), async () => {
      await last.update(n => n + 1)
      return [await log.append('all', {}), last.current, object.note].join(' ')
    })
    app.get('/${name}/hit', describe({ summary: 'h', category: 'Test', examples: [] }), async () => String(await hits.update('n', n => (n ?? 0) + 1)))`,
    })
  const plugins = pluginFolder(t, { one: counter('one', '1'), two: counter('two', '2') })
  const server = await serve(t, {
    builtinFolder: plugins.folder,
    env: { SVC_LOG_LEVEL: 'info' },
    oneProcess: 'it reloads one process',
  })
  for (const path of ['/one/hit', '/two/hit']) t.equal(await text(server, path), '1')
  t.equal(await text(server, '/two/kept'), '1 1 2')
  plugins.write('two', counter('two', '2b'))
  await reload(server)
  t.equal(await text(server, '/one/hit'), '2')
  t.equal(await text(server, '/two/hit'), '2', 'the same store')
  t.equal(await text(server, '/two/kept'), '2 2 2b', 'the same log and register, another object')
  t.notMatch(server.lines.join('\n'), /schema has changed/)

  plugins.write('two', counter('two', '2c', 2))
  await reload(server)
  t.equal(await text(server, '/one/hit'), '3')
  t.equal(await text(server, '/two/hit'), '1', 'its values mean something else')
  t.equal(await text(server, '/two/kept'), '1 1 2c')
  const lines = server.lines.filter(line => /state starts empty: its schema has changed/.test(line))
  t.strictSame(
    lines.map(line => /name=(\w+)/.exec(line)?.[1]),
    ['hits', 'log', 'last'],
  )
})

t.test('no request of 50 connections fails during 20 reloads [RELOAD-7]', async t => {
  const plugins = pluginFolder(t, { one: plugin('one', 'v0'), two: plugin('two', 'x') })
  const server = await serve(t, { builtinFolder: plugins.folder, oneProcess: 'it reloads one process' })
  const agent = new Agent({ keepAlive: true, maxSockets: 50 })
  let isOver = false
  let answered = 0
  const problems: string[] = []
  const once = (): Promise<void> =>
    new Promise(resolve => {
      httpRequest(`${server.url}/one`, { agent }, response => {
        if (response.statusCode !== 200) problems.push(`status ${response.statusCode}`)
        response
          .on('end', () => {
            answered++
            resolve()
          })
          .on('error', error => {
            problems.push(String(error))
            resolve()
          })
          .resume()
      })
        .on('error', error => {
          problems.push(String(error))
          resolve()
        })
        .end()
    })
  const load = Promise.all(
    Array.from({ length: 50 }, async () => {
      while (!isOver) await once()
    }),
  )
  for (let round = 0; round < 20; round++) {
    plugins.write('one', plugin('one', `v${round + 1}`))
    const result = await reload(server)
    t.ok(result.changed)
  }
  const after = answered
  await until(() => answered > after + 50)
  isOver = true
  await load
  agent.destroy()
  t.strictSame(problems, [])
})

t.test('reloads requested during a run share the next one [RELOAD-8]', async t => {
  // Slow enough for all requests to arrive during the first run.
  const plugins = pluginFolder(t, {
    one: plugin('one', '1', { body: 'await new Promise(resolve => setTimeout(resolve, 400))' }),
  })
  const server = await serve(t, { builtinFolder: plugins.folder, oneProcess: 'it reloads one process' })
  const results = await Promise.all(Array.from({ length: 10 }, () => reload(server, '?force=true')))
  const generations = new Set(results.map(result => result.generation))
  t.ok(generations.size <= 3, `ten triggers made ${generations.size} generations`)
  t.equal((await recordOf(server, 'one')).state, 'enabled')
})

t.test('memory and handles do not grow over many reloads [RELOAD-9]', async t => {
  const loads = Number(process.env.SVC_TEST_LOADS ?? 200)
  const plugins = pluginFolder(t, {
    one: plugin('one', '0', { body: 'svc.shared("big", () => new Array(10_000).fill(Math.random()))' }),
  })
  const server = await serve(t, { builtinFolder: plugins.folder, oneProcess: 'it reloads one process' })
  const load = async (from: number, to: number): Promise<void> => {
    for (let round = from; round < to; round++) {
      plugins.write(
        'one',
        plugin('one', String(round), { body: 'svc.shared("big", () => new Array(10_000).fill(Math.random()))' }),
      )
      await server.host.reload()
    }
  }
  const heap = (): number => {
    runInNewContext('gc')()
    return process.memoryUsage().heapUsed
  }
  await load(1, loads / 4)
  const heapBefore = heap()
  const handlesBefore = process.getActiveResourcesInfo().length
  await load(loads / 4, loads)
  const grownPerLoad = (heap() - heapBefore) / (loads * 0.75)
  t.ok(grownPerLoad < 20_000, `${Math.round(grownPerLoad)} bytes a load, where a kept load would be more than 80,000`)
  t.ok(process.getActiveResourcesInfo().length <= handlesBefore + 5, 'no handle is left')
  t.equal(await text(server, '/one'), String(loads - 1))
})
