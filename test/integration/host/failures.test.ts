/**
 * All ways in which a plugin can fail: each has its own message, and other plugins are not affected.
 * Takes long: each mistake builds a generation.
 */
import t from 'tap'
import type { PluginRecord } from '../../../core/contract/plugin.ts'
import { plugin, pluginFolder } from '../../support/plugins.ts'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'

async function recordOf(url: string, name: string): Promise<PluginRecord> {
  return (await (await fetch(`${url}/_svc/plugins/${name}`)).json()) as PluginRecord
}

const GOOD = plugin('good', 'good')

/** Name of the mistake, source, phase of the error, and message. */
const BROKEN: [name: string, source: Record<string, string>, phase: string, message: RegExp][] = [
  ['throws on import', { bad: 'throw new Error("no luck")' }, 'load', /no luck/],
  ['has a syntax error', { bad: 'export default {' }, 'load', /index\.ts:1:\d+: /],
  ['imports a missing package', { bad: 'import "no-such-package"\nexport default {}' }, 'load', /no-such-package/],
  ['exports no plugin', { bad: 'export default 7' }, 'load', /not a plugin definition/],
  [
    'has no default export',
    { bad: 'export const plugin = 7' },
    'load',
    /index\.ts has no default export: write "export/,
  ],
  ['has no title', { bad: 'export default { paths: ["/bad"], register() {} }' }, 'load', /no title/],
  ['has no paths', { bad: 'export default { title: "x", register() {} }' }, 'load', /no paths/],
  ['has no register', { bad: 'export default { title: "x", paths: ["/bad"] }' }, 'load', /no register/],
  [
    'throws while registering',
    { bad: plugin('bad', 'x', { body: 'throw new Error("half-way")' }) },
    'register',
    /half-way/,
  ],
  [
    'rejects while registering',
    { bad: plugin('bad', 'x', { body: 'await Promise.reject(new Error("later"))' }) },
    'register',
    /later/,
  ],
  [
    'throws after registering',
    { bad: plugin('bad', 'x', { body: 'svc.whenRegistered(() => { throw new Error("at the end") })' }) },
    'register',
    /at the end/,
  ],
  [
    'takes a route of the core',
    { bad: plugin('health', 'x') },
    'register',
    /GET \/health is already registered by the core/,
  ],
  [
    'takes a route of another plugin',
    { bad: plugin('good', 'x', { definition: 'buildsOn: ["good"],' }) },
    'register',
    /GET \/good is already registered by good/,
  ],
  [
    'serves what is not below its paths',
    { bad: plugin('bad', 'x').replace("paths: ['/bad']", "paths: ['/other']") },
    'register',
    /\/bad is not below any of the plugin's paths/,
  ],
  [
    'builds on a plugin that is not installed',
    { bad: plugin('bad', 'x', { definition: 'buildsOn: ["ghost"],' }) },
    'register',
    /"ghost", which is not installed/,
  ],
  [
    'builds on one that failed',
    { bad: plugin('bad', 'x', { definition: 'buildsOn: ["worse"],' }), worse: 'throw new Error("x")' },
    'register',
    /"worse", which failed/,
  ],
  [
    'builds on itself',
    { bad: plugin('bad', 'x', { definition: 'buildsOn: ["bad"],' }) },
    'register',
    /circular dependency: bad -> bad/,
  ],
  [
    'builds on itself through another plugin',
    {
      bad: plugin('bad', 'x', { definition: 'buildsOn: ["other"],' }),
      other: plugin('other', 'x', { definition: 'uses: ["bad"],' }),
    },
    'register',
    /circular dependency: /,
  ],
  [
    'lacks an option that it requires',
    {
      bad: plugin('bad', 'x', {
        definition: "options: { type: 'object', required: ['key'], properties: { key: { type: 'string' } } },",
      }),
    },
    'options',
    /key/,
  ],
  [
    'claims a section of the core',
    { bad: plugin('bad', 'x', { definition: "section: 'rules'," }) },
    'register',
    /the section rules already belongs to the core/,
  ],
  [
    'claims a section of another plugin',
    { bad: plugin('bad', 'x', { definition: "section: 'alpha'," }), alpha: plugin('alpha', 'x') },
    'register',
    /the section alpha already belongs to the plugin alpha/,
  ],
  [
    'claims a command of the core',
    { bad: plugin('bad', 'x', { definition: "command: { name: 'check', summary: 's', usage: 'u', run() {} }," }) },
    'register',
    /the command check already belongs to the core/,
  ],
  [
    'has an options schema with an unknown type',
    { bad: plugin('bad', 'x', { definition: "options: { type: 'objekt' }," }) },
    'options',
    /options schema.*type must be/,
  ],
  [
    'has an options schema with a broken pattern',
    {
      bad: plugin('bad', 'x', {
        definition: "options: { minProperties: 0, properties: { id: { type: 'string', pattern: '([a-z' } } },",
      }),
    },
    'options',
    /options schema.*Invalid regular expression: \/\(\[a-z\//,
  ],
  [
    'has an options schema with a reference to nothing',
    { bad: plugin('bad', 'x', { definition: "options: { properties: { id: { $ref: '#/$defs/id' } } }," }) },
    'options',
    /options schema.*#\/\$defs\/id/,
  ],
  [
    'has options that are not a schema',
    { bad: plugin('bad', 'x', { definition: "options: 'currency'," }) },
    'options',
    /options schema must be an object/,
  ],
  [
    'offers a point of another plugin',
    { bad: plugin('bad', 'x', { body: 'svc.offer("good.point" as never, 1 as never)' }) },
    'register',
    /named "bad\.<point>"/,
  ],
  [
    'uses a point that its definition does not name',
    { bad: plugin('bad', 'x', { body: 'svc.use("good.point" as never)' }) },
    'register',
    /add \S+ to buildsOn or uses/,
  ],
]

t.test('a broken plugin is reported, and the others run [HOST-1]', async t => {
  for (const [name, sources, phase, message] of BROKEN) {
    t.test(`one that ${name}`, async t => {
      const { folder } = pluginFolder(t, { good: GOOD, ...sources })
      const server = await serve(t, { builtinFolder: folder })
      const record = await recordOf(server.url, 'bad')
      t.equal(record.state, 'failed')
      t.equal(record.error?.phase, phase)
      t.match(record.error?.message, message)
      t.notMatch(record.error?.message, /\n/, 'no stack')
      t.equal(record.routes, 0)
      t.equal(await (await fetch(`${server.url}/good`)).text(), 'good')
    })
  }
})

t.test('a plugin with a broken options schema keeps its last version, and all else is reloaded [HOST-1]', async t => {
  const withOptions = (text: string, schema: string): string =>
    plugin('shop', text, { definition: `options: ${schema},` })
  const VALID = "{ type: 'object', properties: { currency: { type: 'string', default: 'EUR' } } }"
  for (const source of ['builtin', 'directory']) {
    const plugins = pluginFolder(t, { other: plugin('other', 'one'), shop: withOptions('open', VALID) })
    const server = await serve(t, {
      ...(source === 'builtin' ? { builtinFolder: plugins.folder } : { folders: [plugins.folder] }),
      oneProcess: 'it reloads one process',
    })
    plugins.write('shop', withOptions('closed', VALID.replace("'object'", "'objekt'")))
    plugins.write('other', plugin('other', 'two'))
    t.match(await server.reload(), { applied: true, plugins: { reloaded: ['other'], failed: ['shop'] } })
    t.equal(await (await fetch(`${server.url}/other`)).text(), 'two')
    t.equal(await (await fetch(`${server.url}/shop`)).text(), 'open')
    const broken = await recordOf(server.url, 'shop')
    t.match(broken, { state: 'enabled', stale: true, error: { phase: 'options', message: /type must be/ } })
    t.match(server.lines.join('\n'), /plugin failed.*phase=options|phase=options.*plugin failed/)
    plugins.write('shop', withOptions('closed', VALID))
    t.match(await server.reload(), { plugins: { reloaded: ['shop'], failed: [] } })
    t.equal(await (await fetch(`${server.url}/shop`)).text(), 'closed')
  }
})

t.test('a plugin that never finishes registering fails after the time limit [HOST-2]', async t => {
  const { folder } = pluginFolder(t, { good: GOOD, bad: plugin('bad', 'x', { body: 'await new Promise(() => {})' }) })
  const server = await serve(t, { builtinFolder: folder, registerTimes: { warn: 100, timeout: 2000 } })
  const record = await recordOf(server.url, 'bad')
  t.equal(record.state, 'failed')
  t.match(record.error?.message, /longer than 2 s/)
  t.equal(await (await fetch(`${server.url}/good`)).text(), 'good')
})

t.test('a slow plugin is logged and runs [HOST-2]', async t => {
  const { folder } = pluginFolder(t, {
    good: GOOD,
    bad: plugin('bad', 'x', { body: 'await new Promise(resolve => setTimeout(resolve, 500))' }),
  })
  const server = await serve(t, { builtinFolder: folder, registerTimes: { warn: 100, timeout: 60_000 } })
  t.equal((await recordOf(server.url, 'bad')).state, 'enabled')
  t.match(server.lines.join('\n'), /plugin is slow to start.*plugin=bad|plugin=bad.*plugin is slow to start/)
})

t.test('a duplicate name fails the later plugin, in the order of the sources [HOST-3]', async t => {
  const builtin = pluginFolder(t, { good: GOOD })
  const further = pluginFolder(t, {
    good: plugin('good', 'other'),
    'Bad Name': GOOD,
    _hidden: GOOD,
    '.dot': GOOD,
    'node_modules/x/index.ts': GOOD,
  })
  const server = await serve(t, { builtinFolder: builtin.folder, env: { SVC_PLUGINS_DIR: further.folder } })
  const { plugins, counts } = (await (await fetch(`${server.url}/_svc/plugins`)).json()) as {
    plugins: PluginRecord[]
    counts: Record<string, number>
  }
  t.strictSame(
    plugins.map(({ name, source, state }) => [name, source, state]),
    [
      ['Bad Name', 'directory', 'failed'],
      ['good', 'builtin', 'enabled'],
      ['good', 'directory', 'failed'],
    ],
  )
  t.match(plugins[2]!.error, { phase: 'discover', message: /the name "good" is already used by a builtin plugin/ })
  t.match(plugins[0]!.error, { phase: 'discover', message: /not a valid plugin name/ })
  t.strictSame(counts, { enabled: 1, disabled: 0, failed: 2 })
  t.equal(await (await fetch(`${server.url}/good`)).text(), 'good')
})

t.test('a folder that is listed twice is one plugin, and another one with its name is named [HOST-3]', async t => {
  const one = pluginFolder(t, { quotes: plugin('quotes', 'first') })
  const other = pluginFolder(t, { quotes: plugin('quotes', 'second') })
  const builtin = pluginFolder(t, { good: GOOD })
  const server = await serve(t, {
    builtinFolder: builtin.folder,
    yaml: JSON.stringify({ plugins: { dirs: [one.folder, `${one.folder}/quotes`, other.folder] } }),
  })
  t.match(
    server.plugins().map(({ name, state, error }) => [name, state, error?.message ?? null]),
    [
      ['good', 'enabled', null],
      ['quotes', 'enabled', null],
      ['quotes', 'failed', `the name "quotes" is already used by a directory plugin, in ${one.folder}/quotes`],
    ],
  )
})

t.test('a name in uses that is probably misspelled is reported [HOST-6]', async t => {
  const { folder } = pluginFolder(t, {
    good: GOOD,
    bad: plugin('bad', 'x', { definition: 'uses: ["goood", "later"],' }),
  })
  const server = await serve(t, { builtinFolder: folder })
  t.equal((await recordOf(server.url, 'bad')).state, 'enabled')
  t.match(server.problems(), [
    {
      message: 'uses of the plugin bad: unknown plugin "goood" (did you mean "good"?)',
      file: `${folder}/bad/index.ts`,
    },
  ])
  t.equal(server.problems().length, 1)
})

t.test('an error in a timer is logged with its plugin and does not end the process [HOST-4]', async t => {
  const { folder } = pluginFolder(t, {
    bad: plugin('bad', 'still here', { body: 'svc.shared("x", () => 1)' }).replace(
      "async () => 'still here'",
      "async () => { setTimeout(() => { throw new Error('in a timer') }); return 'still here' }",
    ),
  })
  const server = await serve(t, { builtinFolder: folder })
  const caught: unknown[] = []
  const others = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  process.on('uncaughtException', error => caught.push(error))
  t.teardown(() => {
    process.removeAllListeners('uncaughtException')
    for (const listener of others) process.on('uncaughtException', listener)
  })
  t.equal(await (await fetch(`${server.url}/bad`)).text(), 'still here')
  await until(() => caught.length > 0)
  t.equal(server.host.ownerOf(caught[0]), 'bad')
  t.match((caught[0] as Error).stack, /bad\/index\.ts:\d+:\d+/, "the plugin's own file and line")
})

t.test('CommonJS, ES modules, TypeScript and ES-only packages can be loaded [HOST-5]', async t => {
  const { folder } = pluginFolder(t, {
    'cjs/index.js': `const { describe } = require('svc/plugin'); module.exports = { title: 'c', paths: ['/cjs'], register(app) { app.get('/cjs', describe({ summary: 'c', category: 'Test', examples: [] }), async () => __filename.slice(-12)) } }`,
    'esm/index.mjs': `import { describe } from 'svc/plugin'; import { value } from './value.mjs'; export default { title: 'e', paths: ['/esm'], register(app) { app.get('/esm', describe({ summary: 'e', category: 'Test', examples: [] }), async () => value) } }`,
    'esm/value.mjs': `export const value = import.meta.url.slice(0, 5)`,
    ts: plugin('ts', 'x', {
      head: "import { SignJWT } from 'jose'",
      body: 'if (typeof SignJWT !== "function") throw new Error("no jose")',
    }),
  })
  const server = await serve(t, { builtinFolder: folder })
  t.equal(await (await fetch(`${server.url}/cjs`)).text(), 'cjs/index.js')
  t.equal(await (await fetch(`${server.url}/esm`)).text(), 'file:')
  t.equal(await (await fetch(`${server.url}/ts`)).text(), 'x')
})

t.test('failures of all phases are logged with file and line [HOST-4]', async t => {
  const { folder } = pluginFolder(t, {
    good: GOOD,
    'loads/index.ts': "import { make } from './make.ts'\nexport default make()\n",
    'loads/make.ts':
      "\ninterface Text { text: string }\nexport function make(): Text {\n  throw new Error('not made')\n}\n",
    parses: '\nexport default {',
    registers: "export default { title: 'R', paths: ['/r'], async register() {\n  throw new Error('half-way')\n} }\n",
  })
  const server = await serve(t, {
    folders: [folder],
    env: { SVC_LOG_FORMAT: 'json', SVC_LOG_LEVEL: 'warn' },
    oneProcess: 'it reads the log of the process',
  })
  const failures = server.lines
    .map(line => JSON.parse(line) as Record<string, unknown>)
    .filter(({ message }) => message === 'plugin failed')
  t.match(
    failures.map(({ plugin, phase, file, line, error }) => ({ plugin, phase, file, line, error })),
    [
      { plugin: 'loads', phase: 'load', file: `${folder}/loads/make.ts`, line: 4, error: 'not made' },
      { plugin: 'parses', phase: 'load', file: `${folder}/parses/index.ts`, line: 2, error: /./ },
      { plugin: 'registers', phase: 'register', file: `${folder}/registers/index.ts`, line: 2, error: 'half-way' },
    ],
  )
  t.equal(failures.length, 3)
})
