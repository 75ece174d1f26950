/** The npm package of svc, installed outside the project: the command and the test helper. */
import t from 'tap'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { isAllowed } from '../../../packing/allowed-licenses.ts'
import { componentsOf } from '../../../packing/components.ts'
import { builtPackage } from '../../support/built-package.ts'
import { ROOT, install } from '../../support/installed.ts'
import { REPORT_FLAGS, SEMI_SPACE_FLAG } from '../../support/launcher-flags.ts'
import { megabytesOf } from '../../support/locked-packages.ts'
import { startProcess } from '../../support/process.ts'
import { until } from '../../support/until.ts'

// Each command starts a process, which is slow on a busy machine.
t.setTimeout(600_000)

const pack = await install(t)
const packed = await pack.run('npm', ['pack', await builtPackage(t), '--silent', '--pack-destination', pack.folder])
const tarball = join(pack.folder, packed.output.trim().split('\n').at(-1)!)
const author = await install(t, { tarball, packages: ['tap'] })
const alone = await install(t, { tarball, isAlone: true })
const home = join(alone.folder, 'node_modules', 'svc')
const main = join(home, 'bin', 'svc.mjs')
/** Replaces esbuild, so that all bundling fails. */
const WITHOUT_BUNDLER = { ESBUILD_BINARY_PATH: process.execPath }

t.test('the command runs from any folder and passes on exit codes and signals [CLI-8]', async t => {
  const installed = join(author.folder, 'node_modules', 'svc')
  const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as { version: string }
  t.strictSame(
    readdirSync(installed).filter(name => ['test', 'bench', 'certs'].includes(name)),
    [],
    'no other files',
  )
  t.ok(statSync(join(installed, 'bin', 'svc.mjs')).mode & 0o100, 'can be executed')
  t.match(await author.run('npx', ['--no-install', 'svc', '--version'], { env: { NODE_OPTIONS: REPORT_FLAGS } }), {
    code: 0,
    output: `${version}\n`,
    errors: SEMI_SPACE_FLAG,
  })
  t.match(await author.run('svc', ['check']), { code: 0, output: /^no svc\.yaml, using defaults: 0 errors/ })
  t.match(await author.run('svc', ['chekc']), { code: 2, errors: /did you mean check/ })

  const server = spawn(join(author.folder, 'node_modules', '.bin', 'svc'), [], {
    cwd: author.folder,
    env: { PATH: process.env.PATH, SVC_HOST: '127.0.0.1', SVC_HTTP_PORT: '0', SVC_HTTPS_PORT: '0', SVC_GRPC_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => server.kill('SIGKILL'))
  let output = ''
  server.stdout.on('data', chunk => {
    output += chunk
  })
  const port = await until(() => /HTTP listening on \S+:(\d+)/.exec(output)?.[1], 'the server')
  t.equal((await fetch(`http://127.0.0.1:${port}/echo`)).status, 200)
  const exited = once(server, 'exit')
  server.kill('SIGTERM')
  t.strictSame(await exited, [0, null])
})

t.test('svc/testing works with any test runner [KIT-2, KIT-4]', async t => {
  const acme = join(author.folder, 'node_modules', '@acme', 'svc-plugin-moon')
  mkdirSync(acme, { recursive: true })
  writeFileSync(
    join(acme, 'package.json'),
    '{ "name": "@acme/svc-plugin-moon", "version": "2.1.0", "type": "module", "exports": "./definition.js" }',
  )
  writeFileSync(
    join(acme, 'definition.js'),
    "import { definePlugin, describe } from 'svc/plugin'\nimport { memberAt } from 'svc/toolkit'\nexport default definePlugin({ title: 'Moon', paths: ['/moon'], register(app) { app.get('/moon', describe({ summary: 'm', category: 'm', examples: [] }), () => ({ phase: memberAt({ phases: ['full'] }, ['phases', '0']) })) } })\n",
  )
  const use = `import { startTestServer } from 'svc/testing'
const use = async check => {
  const server = await startTestServer({ packages: ['@acme/svc-plugin-moon'], plugins: ['moon', 'echo'] })
  const [moon] = server.plugins().filter(({ name }) => name === 'moon')
  check({ source: moon.source, version: moon.version, ...await (await fetch(server.url + '/moon')).json() }, { source: 'package', version: '2.1.0', phase: 'full' })
  await Promise.all([server.stop(), server.stop()])
  check(await fetch(server.url).catch(() => 'gone'), 'gone')
}\n`
  const runners: Record<string, [source: string, args: string[]]> = {
    'node:test': [
      `import test from 'node:test'\nimport assert from 'node:assert/strict'\n${use}test('moon', () => use(assert.deepEqual))\n`,
      ['--test'],
    ],
    tap: [`import t from 'tap'\n${use}t.test('moon', t => use((is, should) => t.strictSame(is, should)))\n`, []],
    CommonJS: [
      `const assert = require('node:assert/strict')\n${use.replace(/^import (.*) from (.*)$/m, 'const $1 = require($2)')}use(assert.deepEqual).then(() => console.log('ok 1'))\n`,
      [],
    ],
    'none at all': [
      `import assert from 'node:assert/strict'\n${use}await use(assert.deepEqual)\nconsole.log('ok 1')\n`,
      [],
    ],
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

t.test('the package starts and serves without esbuild [PACK-1]', async t => {
  const server = startProcess(t, { main, env: { ...WITHOUT_BUNDLER, SVC_PLUGINS_DIR: folderWithPlugin(t).folder } })
  const url = `http://127.0.0.1:${await server.port('HTTP')}`
  const { plugins } = (await (await fetch(`${url}/_svc/plugins`)).json()) as {
    plugins: { name: string; state: string; error: { message: string } | null }[]
  }
  t.strictSame(
    plugins.filter(({ state }) => state !== 'enabled').map(({ name }) => name),
    ['tide'],
    'only what is not packed needs the bundler',
  )

  const page = await (await fetch(`${url}/ui/`)).text()
  const assets = [...page.matchAll(/(?:src|href)="(assets\/[^"]+)"/g)].map(([, path]) => `/ui/${path}`)
  t.ok(assets.length >= 3, 'script, style and icon of the console')
  for (const path of [
    '/',
    '/docs',
    '/docs/swagger-ui-bundle.js',
    '/docs/swagger-ui.css',
    '/docs/favicon-32x32.png',
    '/echo',
    '/zstd',
    '/soap?wsdl',
    ...assets,
  ]) {
    const response = await fetch(url + path, { headers: { accept: '*/*' } })
    t.equal(response.status, 200, path)
    t.ok((await response.arrayBuffer()).byteLength > 0, path)
  }
  t.match(await (await fetch(`${url}/graphql`, { headers: { accept: 'text/html' } })).text(), /<title>GraphiQL/)
  const post = async (path: string, body: object): Promise<unknown> =>
    (
      await fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    ).json()
  t.match(
    await post('/ai/openai/v1/chat/completions', { model: 'svc-echo', messages: [{ role: 'user', content: 'Hi' }] }),
    { choices: [{ message: { content: /Hi/ } }] },
  )
  t.match(await post('/graphql', { query: '{ __typename }' }), { data: { __typename: String } })
  t.ok(await server.port('gRPC'))
  t.ok(await server.port('HTTPS'))
})

t.test('commands find what plugins add to them, without the sources [PACK-1]', async t => {
  const folder = t.testdir({
    'wiremock.json': '{"request": {"method": "GET", "url": "/a"}, "response": {"status": 204}}',
    'har.json':
      '{"log": {"entries": [{"request": {"method": "GET", "url": "http://a.example/", "headers": []}, "response": {"status": 204, "headers": [], "content": {}}}]}}',
  })
  t.match(await author.run('svc', ['import', 'wiremock.json', 'har.json'], { cwd: folder }), {
    code: 0,
    output: /wiremock: 1 of 1 imported[^]*har: 1 of 1 imported|har: 1 of 1 imported[^]*wiremock: 1 of 1 imported/,
  })
})

t.test('a start reads no package that it does not use [PACK-1]', async t => {
  const copy = join(t.testdir(), 'svc')
  cpSync(home, copy, { recursive: true, filter: path => !/packages[/\\][^/\\]+\.cjs$/.test(path) })
  t.strictSame(readdirSync(join(copy, 'dist', 'packages')), ['data'], 'all packages but those of a start are gone')
  const server = startProcess(t, { main: join(copy, 'bin', 'svc.mjs'), env: WITHOUT_BUNDLER })
  const url = `http://127.0.0.1:${await server.port('HTTP')}`
  const { plugins } = (await (await fetch(`${url}/_svc/plugins`)).json()) as { plugins: { state: string }[] }
  t.ok(plugins.length > 20)
  t.ok(plugins.every(({ state }) => state === 'enabled'))
  t.ok(await server.port('HTTPS'), 'certificates')
  t.equal((await fetch(`${url}/echo`)).status, 200)
})

t.test('scripts of a start have one byte for each character in memory [PACK-1]', t => {
  for (const file of ['core.js', 'packages.cjs', 'packages/grpc.cjs'])
    t.equal(wideIn(readFileSync(join(home, 'dist', file), 'utf8')), undefined, `${file} in memory`)
  t.end()
})

t.test('the package is small and contains all licenses [PACK-2]', async t => {
  const megabytes = megabytesOf(join(alone.folder, 'node_modules'))
  t.comment(`${alone.packages.length + 1} packages, ${megabytes.toFixed(1)} MB`)
  t.ok(
    alone.packages.length + 1 <= 8,
    `${alone.packages.length + 1} packages; INSTALLED in packing/published.ts lists them`,
  )
  t.ok(megabytes < 48, `${megabytes} MB`)
  const tarballMegabytes = statSync(tarball).size / 1e6
  t.ok(tarballMegabytes < 7.2, `${tarballMegabytes} MB are downloaded`)
  const files = readdirSync(home, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => relative(home, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
    .sort()
  t.ok(files.length < 900, `${files.length} files`)
  t.strictSame(
    files.filter(file => /^(core|plugins|backends|bin)\/.*\.tsx?$|lock\.json$|^(docs|test)\//.test(file)),
    [],
    'no sources of the core and the plugins',
  )
  const here = realpathSync(ROOT)
  t.strictSame(
    files.filter(file => readFileSync(join(home, file), 'latin1').includes(here)),
    [],
    'no path of this machine',
  )
})

t.test('the licenses and the bill of materials name what is bundled or installed [PACK-2, PACK-7]', async t => {
  const licenses = readFileSync(join(home, 'THIRD-PARTY-LICENSES.txt'), 'utf8')
  const headings = licenses
    .split(`\n\n${'-'.repeat(80)}\n\n`)
    .map(text => /^(\S+) (\S+) \(/.exec(text.split('\n', 1)[0]!)!)
    .map(([, name, version]) => `${name}@${version}`)
  const bill = JSON.parse(readFileSync(join(home, 'sbom.cdx.json'), 'utf8')) as Bill
  t.match(bill, {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    metadata: { component: { group: '@svc-upstream', name: 'svc' } },
  })
  const named = bill.components.map(
    ({ group, name, version }) => `${group === undefined ? '' : `${group}/`}${name}@${version}`,
  )
  t.strictSame([...named].sort(), [...headings].sort(), 'the same packages in both')
  const purls = bill.components.map(({ purl }) => purl)
  t.strictSame(purls, [...purls].sort(), 'in the order of package URLs')
  t.equal(new Set(purls).size, purls.length)
  for (const component of bill.components) {
    t.match(component.purl, /^pkg:npm\/(%40[^/@]+\/)?[^/@]+@\d/, component.name)
    t.match(component.hashes, [{ alg: 'SHA-512', content: /^[0-9a-f]{128}$/ }], component.name)
  }
  const isBundled = (purl: RegExp): string | undefined =>
    bill.components.find(component => purl.test(component.purl))?.properties[0]?.value
  t.equal(isBundled(/npm\/fastify@/), 'true')
  t.equal(isBundled(/npm\/swagger-ui-dist@/), 'true', 'files of the browser')
  t.equal(isBundled(/npm\/tsx@/), 'false')
  t.equal(isBundled(/npm\/(tap|typescript|oxlint)@/), undefined, 'no development package')
  for (const place of alone.packages)
    t.ok(
      named.some(one => one.startsWith(`${place.slice(place.lastIndexOf('node_modules/') + 13)}@`)),
      `${place} is listed`,
    )
})

interface Bill {
  components: {
    group?: string
    name: string
    version: string
    purl: string
    hashes: object[]
    properties: { name: string; value: string }[]
  }[]
}

t.test("a license that is not on the list can't be packed [PACK-8]", async t => {
  for (const [expression, is] of [
    ['MIT', true],
    ['(MIT OR GPL-3.0-only)', true],
    ['MIT AND GPL-3.0-only', false],
    ['(GPL-2.0-only OR (MIT AND ISC))', true],
    ['SEE LICENSE IN LICENSE', false],
    ['', false],
  ] as const)
    t.equal(isAllowed(expression), is, expression)
  const folder = mkdtempSync(join(tmpdir(), 'svc-license-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'node_modules'))
  const packages = { 'node_modules/odd': { version: '1.2.3', license: 'AGPL-3.0-only' } }
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages }))
  t.throws(() => componentsOf(folder, [], ['odd']), { message: /odd 1\.2\.3 .*AGPL-3\.0-only/ })
})

t.test('packages that only some installations need are part of the package [PACK-3]', async t => {
  const server = startProcess(t, {
    main,
    env: {
      SVC_SHARED_MODE: 'true',
      SVC_QUOTA_STORE: 'redis://127.0.0.1:1',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    },
  })
  const url = `http://127.0.0.1:${await server.port('HTTP')}`
  t.equal((await fetch(`${url}/echo`, { headers: { 'X-Svc-Key': 'svc-shared-key' } })).status, 200)
  t.match(await (await fetch(`${url}/_svc/keys/usage`)).json(), { quota_store: { configured: true, up: false } })
  t.notMatch(server.output(), /npm install|spans are not exported|is not used/)
  t.equal(server.errors(), '')
})

t.test('third-party plugins run from their sources, with the packages that the host shares [PACK-4]', async t => {
  const own = folderWithPlugin(t)
  const write = (file: string, text: string): void => {
    mkdirSync(join(own.folder, file, '..'), { recursive: true })
    writeFileSync(join(own.folder, file), text)
  }
  write(
    'shared/index.cjs',
    `const fp = require('fastify-plugin')
require('@fastify/websocket')
module.exports = require('svc/plugin').definePlugin({ title: 'Shared', paths: ['/shared'], register(app) { app.get('/shared', () => ({ fp: typeof fp })) } })
`,
  )
  write('needy/index.js', "import 'left-out/part'\nexport default {}\n")
  const server = startProcess(t, { main, env: { SVC_PLUGINS_DIR: own.folder } })
  const url = `http://127.0.0.1:${await server.port('HTTP')}`
  t.match(await (await fetch(`${url}/tide`)).json(), { level: 1 })
  t.match(await (await fetch(`${url}/shared`)).json(), { fp: 'function' })
  t.match(await (await fetch(`${url}/_svc/plugins/needy`)).json(), {
    state: 'failed',
    error: {
      phase: 'load',
      message: `the package left-out is not installed: run "npm install left-out" in ${join(own.folder, 'needy')}`,
    },
  })
  own.write(2)
  await until(
    async () => ((await (await fetch(`${url}/tide`)).json()) as { level: number }).level === 2,
    'the new code',
  )
})

t.test('without the development dependencies, the build tells what to install [PACK-5]', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-unbuildable-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['packing', 'core', 'package.json'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  cpSync(join(alone.folder, 'node_modules'), join(folder, 'node_modules'), { recursive: true, verbatimSymlinks: true })
  t.match(await alone.run(process.execPath, ['--import', 'tsx', 'packing/build.ts'], { cwd: folder }), {
    code: 1,
    errors: /run "npm ci" \(without --omit=dev\)/,
  })
})

t.test('the checkout is not packed [PACK-6]', async t => {
  t.match(await pack.run('npm', ['pack', '--silent', '--dry-run'], { cwd: ROOT }), {
    code: 1,
    errors: /npm run build.*npm pack \.\/dist\/package/s,
  })
})

/** The first character that makes V8 keep a text with two bytes for each. */
function wideIn(text: string): string | undefined {
  return [...text].find(character => character.codePointAt(0)! > 0xff)
}

/** A plugin folder. `write` changes its response. */
function folderWithPlugin(t: { teardown(callback: () => unknown): unknown }): {
  folder: string
  write(level: number): void
} {
  const folder = mkdtempSync(join(tmpdir(), 'svc-tide-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'tide'))
  const write = (level: number): void =>
    writeFileSync(
      join(folder, 'tide', 'index.ts'),
      `import { definePlugin, describe } from 'svc/plugin'
export default definePlugin({ title: 'Tide', paths: ['/tide'], register(app) { app.get('/tide', describe({ summary: 't', category: 'c', examples: [] }), () => ({ level: ${level} })) } })
`,
    )
  write(1)
  return { folder, write }
}
