/** What is noticed without a request for a reload: files in folders that plugins watch, and links that lead elsewhere. */
import t from 'tap'
import { mkdirSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { plugin, pluginFolder } from '../../support/plugins.ts'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const oneProcess = 'it watches files'

t.test('a change anywhere below a watched folder reloads [RELOAD-13]', async t => {
  const data = t.testdir({ top: { below: { 'deep.txt': 'one' } } })
  const file = join(data, 'top', 'below', 'deep.txt')
  const { folder } = pluginFolder(t, {
    reader: plugin('reader', "' + text + '", {
      head: "import { readFileSync } from 'node:fs'",
      body: `svc.watch(${JSON.stringify(join(data, 'top'))})
    const text = readFileSync(${JSON.stringify(file)}, 'utf8')`,
    }),
  })
  const server = await serve(t, { builtinFolder: folder, env: { SVC_WATCH: 'true' }, oneProcess })
  const text = async (): Promise<string> => (await fetch(`${server.url}/reader`)).text()
  t.equal(await text(), 'one')
  writeFileSync(file, 'two')
  await until(async () => (await text()) === 'two')
  mkdirSync(join(data, 'top', 'new', 'folder'), { recursive: true })
  writeFileSync(join(data, 'top', 'new', 'folder', 'x.txt'), 'x')
  const before = server.host.currentNumber
  await until(() => server.host.currentNumber > before)
  t.pass('and a folder that is new')
})

t.test('a link to another file with the same time is noticed [RELOAD-13]', async t => {
  const files = t.testdir({ 'one.yaml': 'sized: { size: 1 }', 'two.yaml': 'sized: { size: 2 }', links: {} })
  const time = new Date('2026-01-01T00:00:00Z')
  for (const name of ['one.yaml', 'two.yaml']) utimesSync(join(files, name), time, time)
  const link = join(files, 'links', 'svc.yaml')
  const lead = (to: string): void => {
    symlinkSync(join(files, to), `${link}.new`)
    renameSync(`${link}.new`, link)
  }
  const place = pluginFolder(t, {
    sized: plugin('sized', 'x', {
      definition: "options: { type: 'object', properties: { size: { type: 'integer' } } },",
      body: `app.get('/sized/size', describe({ summary: 's', category: 'Test', examples: [] }), async () => ({ size: svc.options.size }))`,
    }),
  })
  lead('one.yaml')
  const env = { SVC_WATCH: 'true', SVC_CONFIG_FILE: link }
  const server = await serve(t, { builtinFolder: place.folder, env, oneProcess })
  const size = async (): Promise<unknown> => (await (await fetch(`${server.url}/sized/size`)).json()).size
  t.equal(await size(), 1)
  lead('two.yaml')
  await until(async () => (await size()) === 2)
  t.pass('it serves with the other file')
})
