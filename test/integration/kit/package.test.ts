/** svc as npm packs it, in a folder outside the project: the command and the test helper. */
import t from 'tap'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, install } from '../../support/installed.ts'
import { REPORT_FLAGS, YOUNG_SPACE } from '../../support/launcher-flags.ts'
import { until } from '../../support/until.ts'

// Each command is a process of its own; a busy machine takes its time.
t.setTimeout(280_000)

const pack = await install(t)
const packed = await pack.run('npm', ['pack', '--silent', '--pack-destination', pack.folder], { cwd: ROOT })
const tarball = join(pack.folder, packed.output.trim().split('\n').at(-1)!)
const author = await install(t, { tarball, packages: ['tap'] })

t.test('the command runs from any folder, with exit codes and signals of its own [CLI-8]', async t => {
  const home = join(author.folder, 'node_modules', 'svc')
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { version: string }
  t.strictSame(readdirSync(home).filter(name => ['test', 'bench', 'certs'].includes(name)), [], 'nothing beside the product')
  t.ok(statSync(join(home, 'bin', 'svc.mjs')).mode & 0o100, 'can be executed')
  t.match(await author.run('npx', ['--no-install', 'svc', '--version'], { env: { NODE_OPTIONS: REPORT_FLAGS } }), { code: 0, output: `${version}\n`, errors: YOUNG_SPACE })
  t.match(await author.run('svc', ['check']), { code: 0, output: /^no svc\.yaml, defaults: 0 errors/ })
  t.match(await author.run('svc', ['chekc']), { code: 2, errors: /did you mean check/ })

  const server = spawn(join(author.folder, 'node_modules', '.bin', 'svc'), [], {
    cwd: author.folder,
    env: { PATH: process.env.PATH, SVC_HOST: '127.0.0.1', SVC_HTTP_PORT: '0', SVC_HTTPS_PORT: '0', SVC_GRPC_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => server.kill('SIGKILL'))
  let output = ''
  server.stdout.on('data', chunk => { output += chunk })
  const port = await until(() => /HTTP listening on \S+:(\d+)/.exec(output)?.[1], 'the server')
  t.equal((await fetch(`http://127.0.0.1:${port}/echo`)).status, 200)
  const exited = once(server, 'exit')
  server.kill('SIGTERM')
  t.strictSame(await exited, [0, null])
})

t.test('svc/testing serves any test runner [KIT-2, KIT-4]', async t => {
  const acme = join(author.folder, 'node_modules', '@acme', 'svc-plugin-moon')
  mkdirSync(acme, { recursive: true })
  writeFileSync(join(acme, 'package.json'), '{ "name": "@acme/svc-plugin-moon", "version": "2.1.0", "type": "module", "exports": "./door.js" }')
  writeFileSync(join(acme, 'door.js'), "import { definePlugin, describe } from 'svc/plugin'\nexport default definePlugin({ title: 'Moon', paths: ['/moon'], register(app) { app.get('/moon', describe({ summary: 'm', category: 'm', examples: [] }), () => ({ phase: 'full' })) } })\n")
  const use = `import { startTestServer } from 'svc/testing'
const use = async check => {
  const server = await startTestServer({ packages: ['@acme/svc-plugin-moon'], plugins: ['moon', 'echo'] })
  const [moon] = server.plugins().filter(({ name }) => name === 'moon')
  check({ source: moon.source, version: moon.version, ...await (await fetch(server.url + '/moon')).json() }, { source: 'package', version: '2.1.0', phase: 'full' })
  await Promise.all([server.stop(), server.stop()])
  check(await fetch(server.url).catch(() => 'gone'), 'gone')
}\n`
  const runners: Record<string, [source: string, args: string[]]> = {
    'node:test': [`import test from 'node:test'\nimport assert from 'node:assert/strict'\n${use}test('moon', () => use(assert.deepEqual))\n`, ['--test']],
    'tap': [`import t from 'tap'\n${use}t.test('moon', t => use((is, should) => t.strictSame(is, should)))\n`, []],
    CommonJS: [`const assert = require('node:assert/strict')\n${use.replace(/^import (.*) from (.*)$/m, 'const $1 = require($2)')}use(assert.deepEqual).then(() => console.log('ok 1'))\n`, []],
    'none at all': [`import assert from 'node:assert/strict'\n${use}await use(assert.deepEqual)\nconsole.log('ok 1')\n`, []],
  }
  for (const file of ['runner.test.mjs', 'runner.test.cjs']) writeFileSync(join(author.folder, file), '')
  const before = readdirSync(author.folder).sort()
  for (const [name, [source, args]] of Object.entries(runners)) {
    const file = name === 'CommonJS' ? 'runner.test.cjs' : 'runner.test.mjs'
    writeFileSync(join(author.folder, file), source)
    const { code, output, errors } = await author.run('node', [...args, file])
    t.equal(code, 0, `${name}: ${output}${errors}`)
    t.match(output, /\bok 1\b|pass 1\b/, name)
  }
  t.strictSame(readdirSync(author.folder).sort(), before, 'tests leave nothing')
})
