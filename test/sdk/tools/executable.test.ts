/** The executable for this platform: in an empty folder, without Node, a home folder or other files. */
import t from 'tap'
import { execFile, execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { builtPackage } from '../../support/built-package.ts'
import { ROOT } from '../../support/installed.ts'
import { startProcess } from '../../support/process.ts'
import { until } from '../../support/until.ts'

// Builds the package and the executable, which is slow on a busy machine.
t.setTimeout(900_000)

const MIB = 1024 * 1024
const out = mkdtempSync(join(tmpdir(), 'svc-executable-'))
t.teardown(() => rmSync(out, { recursive: true, force: true }))
const build = ['--import', 'tsx', 'packing/build-binary.ts', '--package', await builtPackage(t), '--out', out]
await promisify(execFile)(process.execPath, build, { cwd: ROOT, timeout: 600_000 })
const executable = join(out, process.platform === 'win32' ? 'svc.exe' : 'svc')
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }

interface Plugin {
  name: string
  source: string
  state: string
  error: { message: string } | null
}
const json = async (url: string, init?: RequestInit): Promise<unknown> => (await fetch(url, init)).json()
const pluginsOf = async (url: string): Promise<Plugin[]> =>
  ((await json(`${url}/_svc/plugins`)) as { plugins: Plugin[] }).plugins
const post = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

t.test('one file serves every built-in plugin [PACK-8]', async t => {
  const size = statSync(executable).size / MIB
  t.ok(size < 150, `${size} MiB`)
  const printed = execFileSync(executable, ['--version'], { encoding: 'utf8', env: {}, cwd: t.testdir() })
  t.match(printed, new RegExp(`^${version} \\(executable, node 26\\.\\d+\\.\\d+\\)\\n$`))

  const server = startProcess(t, { executable })
  const url = `http://127.0.0.1:${await server.port('HTTP')}`
  t.strictSame(
    (await pluginsOf(url)).filter(({ state }) => state !== 'enabled'),
    [],
  )
  for (const path of [
    '/',
    '/docs',
    '/docs/swagger-ui-bundle.js',
    '/ui/',
    '/echo',
    '/zstd',
    '/soap?wsdl',
    '/openapi.json',
  ])
    t.equal((await fetch(url + path)).status, 200, path)
  t.match(await (await fetch(`${url}/graphql`, { headers: { accept: 'text/html' } })).text(), /<title>GraphiQL/)
  t.match(await json(`${url}/graphql`, post({ query: '{ __typename }' })), { data: { __typename: String } })
  t.match(
    await json(
      `${url}/ai/openai/v1/chat/completions`,
      post({ model: 'svc-echo', messages: [{ role: 'user', content: 'Hi' }] }),
    ),
    { choices: [{ message: { content: /Hi/ } }] },
  )
  t.ok(await server.port('HTTPS'))
  t.ok(await server.port('gRPC'))
  t.strictSame(readdirSync(server.folder), ['certs'], 'no other files')
  server.child.kill('SIGTERM')
  t.strictSame(await server.exited, { code: 0, signal: null })
})

t.test('it starts itself for workers, and a thread checks documents [PACK-8]', async t => {
  const server = startProcess(t, { executable, env: { SVC_WORKERS: '2' }, args: ['serve', '--quiet'] })
  const url = `http://127.0.0.1:${await server.port('HTTP')}`
  t.equal((await fetch(`${url}/echo`)).status, 200)
  await until(
    () => /listening .*worker=1/.test(server.output()) && /listening .*worker=2/.test(server.output()),
    'both',
  )
  server.child.kill('SIGTERM')
  t.strictSame(await server.exited, { code: 0, signal: null })

  const folder = t.testdir({
    'api.yaml': 'openapi: 3.1.0\ninfo: {title: A, version: "1"}\npaths: {}\n',
    'wiremock.json': '{"request": {"method": "GET", "url": "/a"}, "response": {"status": 204}}',
  })
  const run = (...args: string[]): string => execFileSync(executable, args, { encoding: 'utf8', env: {}, cwd: folder })
  t.match(run('mock', 'check', 'api.yaml'), /deployable/)
  t.match(run('import', 'wiremock.json'), /wiremock: 1 of 1 imported/)
})

t.test('plugins in JavaScript are loaded and reloaded, those in TypeScript are refused [PACK-9]', async t => {
  const folder = t.testdir({
    plugins: {
      typed: { 'index.ts': 'export default {}' },
      lost: { 'index.mjs': "import x from 'no-such-package'\nexport default x\n" },
      bare: { 'index.mjs': 'export const title = 1\n' },
      half: { 'index.mjs': "import x from './half.ts'\nexport default x\n", 'half.ts': 'export default 1\n' },
      old: {
        'index.cjs': `const { definePlugin, describe } = require('svc/plugin')
const { memberAt } = require('svc/toolkit')
const wrap = require('fastify-plugin')
const { text } = require('./text.cjs')
module.exports = definePlugin({ title: 'Old', paths: ['/old'], register(app) {
  app.get('/old', describe({ summary: 'o', category: 'o', examples: [] }), () => ({ text, at: memberAt({ a: [1] }, ['a', '0']), wrap: typeof wrap }))
} })
`,
        'text.cjs': "exports.text = 'one'\n",
      },
    },
  })
  const plugins = join(folder, 'plugins')
  execFileSync(executable, ['new-plugin', 'tide', '--dir', plugins], { env: {}, stdio: 'ignore' })
  t.strictSame(readdirSync(join(plugins, 'tide')), ['index.js', 'package.json'])
  writeFileSync(join(plugins, 'tide', 'word.js'), "export const word = 'Ahoy'\n")
  const tide = join(plugins, 'tide', 'index.js')
  writeFileSync(
    tide,
    `import { word } from './word.js'\n${readFileSync(tide, 'utf8').replace('greeting: svc.options.greeting, count', 'greeting: word, count')}`,
  )

  const server = startProcess(t, { executable, env: { SVC_PLUGINS_DIR: plugins } })
  const url = `http://127.0.0.1:${await server.port('HTTP')}`
  const found = (await pluginsOf(url)).filter(({ source }) => source !== 'builtin')
  t.match(Object.fromEntries(found.map(({ name, state, error }) => [name, error?.message ?? state])), {
    bare: /index\.mjs has no default export/,
    half: /^TypeScript plugins need the npm package or the image \(.*half\.ts\)$/,
    lost: /^the package no-such-package is not installed: run "npm install no-such-package" in /,
    old: 'enabled',
    tide: 'enabled',
    typed: /^TypeScript plugins need the npm package or the image$/,
  })
  t.match(await json(`${url}/tide`), { greeting: 'Ahoy', count: 1 })
  t.strictSame(await json(`${url}/old`), { text: 'one', at: 1, wrap: 'function' })

  writeFileSync(join(plugins, 'tide', 'word.js'), "export const word = 'Moin'\n")
  writeFileSync(join(plugins, 'old', 'text.cjs'), "exports.text = 'two'\n")
  const reloaded = await fetch(`${url}/_svc/reload`, { method: 'POST' })
  t.ok(reloaded.ok, `reload: ${reloaded.status}`)
  t.match(await json(`${url}/tide`), { greeting: 'Moin', count: 2 }, 'a file that the entry imports')
  t.match(await json(`${url}/old`), { text: 'two' }, 'a file that the entry requires')
})

t.test(
  'certificates stay in memory where nothing can be written',
  { skip: process.getuid?.() === undefined },
  async t => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-read-only-'))
    // A file is where the folder of certificates would be, which is like a read-only folder, also for root.
    writeFileSync(join(folder, 'certs'), '')
    const server = startProcess(t, { executable, folder })
    t.ok(await server.port('HTTPS'))
    t.match(server.output() + server.errors(), /the HTTPS certificate is kept in memory/)
    t.strictSame(readdirSync(folder), ['certs'])
  },
)

t.test('a build without a package, or with an older Node, says what is missing', async t => {
  const folder = t.testdir()
  const run = (...args: string[]): Promise<{ code: number; stderr: string }> =>
    promisify(execFile)(process.execPath, [...build.slice(0, 3), ...args], { cwd: ROOT }).then(
      () => ({ code: 0, stderr: '' }),
      (error: { code: number; stderr: string }) => error,
    )
  t.match(await run('--package', folder, '--out', folder), { code: 1, stderr: /run "npm run build" first/ })
  const node = join(folder, 'node')
  copyFileSync(process.execPath, node)
  t.match(await run(...build.slice(3, 5), '--out', folder, '--node', node), {
    code: 1,
    stderr: /can't build an executable, which takes Node\.js 26/,
  })
})
