/**
 * Plugins that take long to load or to register: other plugins, newer changes and requests do not wait for them.
 * Takes long: it waits for slow plugins.
 */
import t from 'tap'
import type { PluginRecord } from '../../../core/contract/plugin.ts'
import { plugin, pluginFolder } from '../../support/plugins.ts'
import { serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

interface PluginsList {
  generation: number
  building: { since: string; plugin: string } | null
}

async function json<T>({ url }: TestServer, path: string, method = 'GET'): Promise<T> {
  return (await (await fetch(url + path, { method })).json()) as T
}
async function text({ url }: TestServer, path: string): Promise<string> {
  return await (await fetch(url + path)).text()
}

const NEVER = { body: 'await new Promise(() => {})' }
const FOREVER = 'for (;;) {}'
const oneProcess = 'it reloads one process'

t.test('a newer change replaces a reload that waits for a plugin [RELOAD-11]', async t => {
  const plugins = pluginFolder(t, { one: plugin('one', '1'), two: plugin('two', '1') })
  const server = await serve(t, { builtinFolder: plugins.folder, oneProcess })
  t.equal((await json<PluginsList>(server, '/_svc/plugins')).building, null)
  const startedAt = performance.now()
  plugins.write('one', plugin('one', '2', NEVER))
  const first = server.reload()
  await until(async () => (await json<PluginsList>(server, '/_svc/plugins')).building !== null)
  const { building, generation } = await json<PluginsList>(server, '/_svc/plugins')
  t.equal(building!.plugin, 'one')
  t.ok(Math.abs(Date.parse(building!.since) - Date.now()) < 30_000)
  const status = await json<{ plugins: PluginsList }>(server, '/_svc/status')
  t.strictSame(status.plugins.building, building)
  t.equal(generation, 1)
  t.equal(await text(server, '/one'), '1', 'the previous version serves')

  // The same files again change nothing.
  const same = server.host.reload({ force: true })
  plugins.write('one', plugin('one', '3'))
  plugins.write('two', plugin('two', '2'))
  const second = server.reload()
  for (const result of await Promise.all([first, same, second])) t.match(result, { generation: Number, applied: true })
  t.equal(await text(server, '/one'), '3')
  t.equal(await text(server, '/two'), '2')
  t.equal((await json<PluginsList>(server, '/_svc/plugins')).building, null)
  t.match(await json<PluginRecord>(server, '/_svc/plugins/one'), { state: 'enabled', error: null, stale: false })
  t.ok(performance.now() - startedAt < 60_000, 'long before the time limit for registering')
})

t.test('a plugin that never finishes registering can be disabled [RELOAD-11]', async t => {
  const plugins = pluginFolder(t, { one: plugin('one', '1'), two: plugin('two', '1') })
  const server = await serve(t, { builtinFolder: plugins.folder, oneProcess })
  plugins.write('one', plugin('one', '2', NEVER))
  plugins.write('two', plugin('two', '2'))
  const reload = server.reload()
  await until(() => server.host.building !== null)
  const record = await json<PluginRecord>(server, '/_svc/plugins/one/disable', 'POST')
  t.match(record, { state: 'disabled', disabled_by: 'api' })
  t.match(await reload, { applied: true })
  t.equal(await text(server, '/two'), '2')
})

for (const [where, source] of [
  ['is loaded', plugin('bad', 'x', { head: FOREVER })],
  ['registers', plugin('bad', 'x', { body: FOREVER })],
  ['has registered', plugin('bad', 'x', { body: `svc.whenRegistered(() => { ${FOREVER} })` })],
] as const) {
  t.test(`an endless loop while a plugin ${where} is interrupted [HOST-2]`, async t => {
    const plugins = pluginFolder(t, { good: plugin('good', 'good'), bad: plugin('bad', 'works') })
    const registerTimes = { warn: 5000, timeout: 60_000, run: 3000 }
    const server = await serve(t, { builtinFolder: plugins.folder, registerTimes, oneProcess })
    plugins.write('bad', source)
    t.match(await server.reload(), { plugins: { failed: ['bad'] } })
    const record = await json<PluginRecord>(server, '/_svc/plugins/bad')
    t.match(record, { state: 'enabled', stale: true, error: { message: /did not end within 3 s/ } })
    t.equal(await text(server, '/bad'), 'works')
    t.equal(await text(server, '/good'), 'good')
  })
}

t.test('requests get a turn between two plugins of a reload [RELOAD-12]', async t => {
  const global = globalThis as { svcTestTurn?: number; svcTestSeen?: number[] }
  const body = `globalThis.svcTestSeen?.push(globalThis.svcTestTurn)
    svc.whenRegistered(() => globalThis.svcTestSeen?.push(globalThis.svcTestTurn))`
  const names = ['one', 'two', 'three', 'four']
  const { folder } = pluginFolder(t, Object.fromEntries(names.map(name => [name, plugin(name, name, { body })])))
  const server = await serve(t, { builtinFolder: folder, oneProcess })
  global.svcTestTurn = 0
  global.svcTestSeen = []
  let isOver = false
  const count = (): void => {
    global.svcTestTurn!++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  t.teardown(() => {
    isOver = true
    delete global.svcTestTurn
    delete global.svcTestSeen
  })
  await server.host.reload({ force: true })
  t.equal(global.svcTestSeen.length, 2 * names.length)
  t.equal(new Set(global.svcTestSeen).size, 2 * names.length, 'each step runs in a turn of its own')
})
