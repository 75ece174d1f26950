/** svc.yaml, and switching plugins over HTTP, with a running server. */
import t from 'tap'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LoadError, PluginRecord, ReloadResult } from '../../../core/contract/plugin.ts'
import { plugin, pluginFolder } from '../../support/plugins.ts'
import { serve, type TestServer } from '../../support/server.ts'

const OPTIONS = `options: { type: 'object', additionalProperties: false, properties: { size: { type: 'integer', default: 3 }, list: { type: 'array', items: { type: 'object', required: ['name'], properties: { name: { type: 'string' }, api_key: { type: 'string' } }, additionalProperties: false } } } },`
const FOLDER = {
  base: plugin('base', 'base'),
  upper: plugin('upper', 'upper', { definition: 'buildsOn: ["base"],' }),
  friend: plugin('friend', 'friend', { definition: 'uses: ["base"],' }),
  sized: plugin('sized', 'sized', { definition: OPTIONS }).replace("async () => 'sized'", 'async () => svc.options'),
}

async function call<T>(
  server: TestServer,
  path: string,
  method = 'GET',
  headers = {},
): Promise<{ status: number; body: T }> {
  const response = await fetch(server.url + path, { method, headers })
  return { status: response.status, body: (await response.json()) as T }
}
async function overview(
  server: TestServer,
): Promise<{ load_errors: LoadError[]; plugins: PluginRecord[]; generation: number }> {
  return (
    await call<{ load_errors: LoadError[]; plugins: PluginRecord[]; generation: number }>(server, '/_svc/plugins')
  ).body
}

t.test('svc.yaml enables and disables plugins, and unknown names are reported [SET-1]', async t => {
  const { folder } = pluginFolder(t, FOLDER)
  const server = await serve(t, {
    builtinFolder: folder,
    yaml: 'plugins:\n  disable: [base, frend]\n  color: red\nsised: { size: 1 }\nbase: { x: 1 }\n',
  })
  const { plugins, load_errors: errors } = await overview(server)
  t.strictSame(
    plugins.map(({ name, state, disabled_by: by }) => [name, state, by]),
    [
      ['base', 'disabled', 'svc.yaml'],
      ['friend', 'enabled', null],
      ['sized', 'enabled', null],
      ['upper', 'disabled', 'needs base'],
    ],
  )
  const found = new Map(errors.map(error => [error.at, error]))
  t.match(found.get('plugins.disable[1]'), {
    message: /unknown plugin "frend" \(did you mean "friend"\?\)/,
    line: 2,
    file: join(server.folder, 'svc.yaml'),
  })
  t.match(found.get('plugins.color'), { message: /unknown key "color"/, line: 3 })
  t.match(found.get('sised'), { message: /unknown key "sised" \(did you mean "sized"\?\)/, line: 4 })
  t.match(await (await fetch(`${server.url}/upper`)).json(), { plugin: 'upper', plugin_state: 'disabled' })
})

t.test('only an invalid item is ignored, the rest applies [SET-2]', async t => {
  const { folder } = pluginFolder(t, FOLDER)
  const server = await serve(t, {
    builtinFolder: folder,
    yaml: 'sized:\n  size: big\n  list:\n    - name: one\n      api_key: abc\n    - nane: two\n    - name: three\n',
  })
  t.strictSame((await call(server, '/sized')).body, {
    size: 3,
    list: [{ name: 'one', api_key: 'abc' }, { name: 'three' }],
  })
  const { load_errors: errors, plugins } = await overview(server)
  t.ok(
    errors.some(error => error.at === 'sized.size' && error.line === 2),
    'size',
  )
  t.ok(
    errors.some(error => error.at?.startsWith('sized.list[1]') && error.line === 6),
    'the entry',
  )
  t.match(plugins.find(({ name }) => name === 'sized')?.options, {
    list: [{ name: 'one', api_key: '***' }, { name: 'three' }],
  })
})

t.test('if the file cannot be read, the response is 422 and the last valid configuration stays [SET-3]', async t => {
  const { folder } = pluginFolder(t, FOLDER)
  const server = await serve(t, { builtinFolder: folder, yaml: 'sized: { size: 7 }' })
  const file = join(server.folder, 'svc.yaml')
  for (const content of [
    'a: [',
    '- a\n- b',
    `a: ${'x'.repeat(2_000_000)}`,
    `a: &a [x]\n${Array.from({ length: 200 }, (_, n) => `b${n}: *a`).join('\n')}`,
    Buffer.from([0xff, 0xfe, 0x00]),
  ]) {
    writeFileSync(file, content)
    const { status, body } = await call<ReloadResult>(server, '/_svc/reload', 'POST')
    t.equal(status, 422)
    t.match(body, { applied: false, changed: false, generation: 1 })
    t.match(body.load_errors[0], { file, at: null })
    t.strictSame((await call(server, '/sized')).body, { size: 7 })
  }
  writeFileSync(file, 'sized: { size: 8 }')
  t.match(await call<ReloadResult>(server, '/_svc/reload', 'POST'), {
    status: 200,
    body: { applied: true, changed: true, load_errors: [] },
  })
  t.strictSame((await call(server, '/sized')).body, { size: 8 })
})

t.test('plugins can be enabled and disabled over HTTP, and overrides can be removed [SET-4]', async t => {
  const { folder } = pluginFolder(t, { ...FOLDER, broken: plugin('broken', 'x', { body: 'throw new Error("no")' }) })
  const server = await serve(t, { builtinFolder: folder, yaml: 'plugins: { disable: [broken] }' })
  const post = (path: string) => call<Record<string, unknown>>(server, `/_svc/plugins/${path}`, 'POST')
  t.match(await post('ghost/disable'), { status: 404, body: { error: 'unknown plugin', name: 'ghost' } })
  t.match(await post('base/disable'), {
    status: 409,
    body: { error: 'plugin in use', name: 'base', used_by: ['upper'] },
  })
  t.match(await post('base/enable'), { status: 200, body: { state: 'enabled' } })
  t.equal((await overview(server)).generation, 1, 'already so: nothing was built')
  t.match(await post('base/disable?cascade=true'), { status: 200, body: { state: 'disabled', disabled_by: 'api' } })
  t.equal((await fetch(`${server.url}/friend`)).status, 200, 'one that only uses it goes on')
  t.match(await post('upper/enable'), { status: 409, body: { error: 'needs', name: 'upper', needs: ['base'] } })
  t.match(await post('upper/enable?cascade=true'), { status: 200, body: { state: 'enabled' } })
  t.equal((await fetch(`${server.url}/base`)).status, 200)
  const few = await serve(t, { builtinFolder: folder, yaml: 'plugins: { enable: [friend] }' })
  t.match(await call(few, '/_svc/plugins/upper/enable', 'POST'), { status: 200, body: { state: 'enabled' } })
  t.equal((await fetch(`${few.url}/base`)).status, 200, 'what it needs came with it, as in plugins.enable')
  await post('friend/disable')
  await call(server, '/_svc/reload?force=true', 'POST')
  t.equal((await fetch(`${server.url}/friend`)).status, 404, 'the choice outlives reloads')
  t.match(await call(server, '/_svc/plugins/friend/override', 'DELETE'), { status: 200, body: { state: 'enabled' } })
  t.match(await post('broken/enable'), {
    status: 422,
    body: { state: 'failed', error: { phase: 'register', message: 'no' } },
  })
})

t.test('only packages in the configuration are loaded [SET-5]', async t => {
  const { folder } = pluginFolder(t, FOLDER)
  const server = await serve(t, {
    builtinFolder: folder,
    yaml: 'plugins: { packages: ["@acme/svc-plugin-shop", nowhere] }',
  })
  const write = (name: string): void => {
    const at = join(server.folder, 'node_modules', name)
    mkdirSync(at, { recursive: true })
    writeFileSync(join(at, 'package.json'), JSON.stringify({ name, version: '9.8.7', main: 'index.js' }))
    writeFileSync(
      join(at, 'index.js'),
      `const { describe } = require('svc/plugin'); module.exports = { title: 'Shop', paths: ['/shop'], register(app) { app.get('/shop', describe({ summary: 's', category: 'Test', examples: [] }), async () => 'open') } }`,
    )
  }
  write('@acme/svc-plugin-shop')
  write('svc-plugin-uninvited')
  await call(server, '/_svc/reload?force=true', 'POST')
  const { plugins } = await overview(server)
  t.match(
    plugins.find(({ name }) => name === 'shop'),
    { source: 'package', state: 'enabled', version: '9.8.7' },
  )
  t.match(
    plugins.find(({ name }) => name === 'nowhere'),
    { state: 'failed', error: { phase: 'discover', message: /can't be resolved/ } },
  )
  t.notOk(plugins.some(({ name }) => name === 'uninvited'))
  t.equal(await (await fetch(`${server.url}/shop`)).text(), 'open')
})

t.test('changes require the admin token and are rejected in public mode without one [SET-6]', async t => {
  const { folder } = pluginFolder(t, FOLDER)
  const guarded = await serve(t, { builtinFolder: folder, env: { SVC_ADMIN_TOKEN: 's3cret' } })
  for (const [path, method] of [
    ['/_svc/reload', 'POST'],
    ['/_svc/plugins/base/disable', 'POST'],
    ['/_svc/plugins/base/enable', 'POST'],
    ['/_svc/plugins/base/override', 'DELETE'],
  ] as const) {
    t.equal((await call(guarded, path, method)).status, 401, `${method} ${path}`)
    t.not((await call(guarded, path, method, { 'X-Svc-Admin-Token': 's3cret' })).status, 401)
  }
  const open = await serve(t, { builtinFolder: folder, env: { SVC_PUBLIC_MODE: 'true', SVC_PLUGINS_DIR: folder } })
  t.equal((await call(open, '/_svc/reload', 'POST')).status, 403)
  t.ok(
    (await overview(open)).plugins.every(record => record.path === null),
    'no folder is shown',
  )
})

t.test('a folder removed while the server runs is reported as removed, not as an unknown section [SET-1]', async t => {
  const { folder } = pluginFolder(t, { sized: FOLDER.sized, base: FOLDER.base })
  const server = await serve(t, {
    yaml: `plugins:\n  dirs: [${JSON.stringify(folder)}]\n  disable: [base]\nsized: { size: 1 }\n`,
  })
  t.strictSame((await overview(server)).load_errors, [])
  for (const name of ['sized', 'base']) rmSync(join(folder, name), { recursive: true })
  const { load_errors: errors } = (await call<ReloadResult>(server, '/_svc/reload', 'POST')).body
  t.match(
    errors.toSorted((one, other) => (one.message < other.message ? -1 : 1)),
    [
      {
        file: join(folder, 'base'),
        at: null,
        line: null,
        message: 'the folder of the plugin base was removed',
        remedy: 'put it back, or remove plugins.disable[0] from svc.yaml',
      },
      {
        file: join(folder, 'sized'),
        at: null,
        line: null,
        message: 'the folder of the plugin sized was removed',
        remedy: 'put it back, or remove sized from svc.yaml',
      },
    ],
  )
  t.equal(errors.length, 2)
  writeFileSync(join(server.folder, 'svc.yaml'), 'sized: { size: 1 }\n')
  mkdirSync(join(folder, 'sized'))
  writeFileSync(join(folder, 'sized', 'index.ts'), FOLDER.sized)
  t.match(
    (await call<ReloadResult>(server, '/_svc/reload', 'POST')).body.load_errors,
    [{ at: 'sized', message: /^unknown key "sized"/ }],
    'an existing folder that is no longer named',
  )
})
