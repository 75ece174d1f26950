/** Commands that use a running instance, or look at the machine: health, open, doctor. Takes long: it starts processes. */
import t from 'tap'
import { chmodSync, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { VERSION } from '../../../core/product.ts'
import { browserCommand } from '../../../core/cli/browser.ts'
import { isAtLeast } from '../../../core/cli/doctor-checks.ts'
import { serve } from '../../support/server.ts'
import { svc } from '../../support/terminal.ts'
import { until } from '../../support/until.ts'

interface Doctor {
  ok: boolean
  checks: { name: string; status: string; message: string; remedy: string | null }[]
}

async function doctor(env: Record<string, string>, folder: string): Promise<Doctor & { code: number | null }> {
  const { code, output } = await svc(['doctor', '--json'], { folder, env })
  return { code, ...(JSON.parse(output) as Doctor) }
}

/** A server that is not svc. */
async function other(t: { teardown(callback: () => unknown): unknown }, status: number, body: string): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(status).end(body))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

t.test('health tells whether an instance is ready [CLI-10]', async t => {
  const { url, ports } = await serve(t, { oneProcess: 'the command asks one address' })
  const ready = { code: 0, output: 'ready\n', errors: '' }
  t.match(await svc(['health', '--url', url]), ready)
  t.match(await svc(['health', '--url', `${url}/`, '--timeout', '0.5']), ready)
  t.match(await svc(['health'], { env: { SVC_HTTP_PORT: String(ports.http), SVC_HOST: '127.0.0.1' } }), ready)

  const gone = await other(t, 503, 'no')
  t.match(await svc(['health', '--url', gone]), { code: 1, output: '', errors: /\/_svc\/ready responded with 503\n/ })
  const unrelated = await other(t, 200, '{}')
  t.match(await svc(['health', '--url', unrelated]), { code: 1, errors: /responded with 200, but not as svc does/ })
  const closed = 'http://127.0.0.1:2'
  t.match(await svc(['health', '--url', closed]), { code: 1, errors: `${closed}: ECONNREFUSED\n` })
  for (const args of [['--timeout', '0'], ['--timeout', '601'], ['--timeout', 'soon'], ['--url', 'localhost'], ['x']])
    t.match(await svc(['health', ...args]), { code: 2, output: '', errors: /usage: svc health/ }, args.join(' '))
})

t.test('open prints the address of a page and opens it [CLI-11]', async t => {
  const { url } = await serve(t, { oneProcess: 'the command asks one address' })
  const shown = url.replace('127.0.0.1', 'localhost')
  for (const [args, path] of [
    [[], '/ui/'],
    [['console'], '/ui/'],
    [['docs'], '/docs'],
    [['catalog'], '/'],
    [['/mcp'], '/mcp'],
  ] as const)
    t.match(await svc(['open', ...args, '--url', url, '--print']), { code: 0, output: `${shown}${path}\n` })

  const folder = t.testdir()
  const browser = join(folder, 'browser')
  writeFileSync(browser, `#!/bin/sh\nprintf '%s' "$1" > '${join(folder, 'opened')}'\n`)
  chmodSync(browser, 0o755)
  t.match(
    await svc(['open', 'docs', '--url', url], { env: { BROWSER: `${browser}:other`, PATH: process.env.PATH! } }),
    {
      code: 0,
    },
  )
  t.equal(
    await until(() => existsSync(join(folder, 'opened')) && readFileSync(join(folder, 'opened'), 'utf8')),
    `${shown}/docs`,
  )
  t.match(await svc(['open', '--url', url], { env: { BROWSER: join(folder, 'none') } }), {
    code: 1,
    output: `${shown}/ui/\n`,
    errors: /no browser could be opened/,
  })
  t.match(await svc(['open', '--url', 'http://127.0.0.1:1']), { code: 1, errors: /start one with: svc --port 8080\n$/ })
  t.match(await svc(['open', 'dcos']), { code: 2, errors: /unknown page: dcos \(did you mean docs\?\)/ })
})

t.test('the browser is BROWSER, else the program of the system [CLI-11]', async t => {
  t.same(browserCommand('http://a', { BROWSER: 'ff --new %s' }), ['ff', '--new', 'http://a'])
  t.same(browserCommand('http://a', {}, 'darwin'), ['open', 'http://a'])
  t.same(browserCommand('http://a', {}, 'linux'), ['xdg-open', 'http://a'])
  t.same(browserCommand('http://a?b&c', {}, 'win32').slice(0, 3), ['cmd', '/c', 'start'])
})

t.test('doctor checks the machine, and changes nothing [CLI-12]', async t => {
  const folder = t.testdir()
  const free = { SVC_HTTP_PORT: '0', SVC_HTTPS_PORT: '0', SVC_GRPC_PORT: '0', PATH: process.env.PATH! }
  const sound = await doctor(free, folder)
  t.match(sound, { ok: true, code: 0 })
  const names = sound.checks.map(({ name }) => name)
  for (const name of [
    'node',
    'configuration',
    'port_http',
    'certificates',
    'data_folder',
    'state_store',
    'openssl',
    'instance',
  ])
    t.ok(names.includes(name), name)
  t.same(readdirSync(folder), [])
  t.match(await svc(['doctor'], { folder, env: free }), {
    code: 0,
    output: /^ok {4}Node \d+.*\n[^]*\n0 failures, \d+ warnings?\n$/,
  })

  const { ports } = await serve(t, { oneProcess: 'its port is checked', env: { SVC_INSTANCE_ID: 'two' } })
  const used = await doctor({ ...free, SVC_HTTP_PORT: String(ports.http), SVC_HOST: '127.0.0.1' }, folder)
  t.match(
    used.checks.find(({ name }) => name === 'port_http'),
    { status: 'warn', message: `port ${ports.http} (HTTP) is used by svc ${VERSION} (instance two)` },
  )
  t.match(
    used.checks.find(({ name }) => name === 'instance'),
    { status: 'ok', message: `svc ${VERSION} is running at http://127.0.0.1:${ports.http}` },
  )

  const foreign = new URL(await other(t, 200, 'hi')).port
  writeFileSync(join(folder, 'svc.yaml'), 'plugins: { disable: [sope] }\n')
  writeFileSync(join(folder, 'a.crt'), 'no certificate')
  writeFileSync(join(folder, 'a.key'), 'no key')
  const broken = await doctor(
    { ...free, PATH: '', SVC_HTTP_PORT: foreign, SVC_HOST: '127.0.0.1', SVC_TLS_CERT: 'a.crt', SVC_TLS_KEY: 'a.key' },
    folder,
  )
  t.match(broken, { ok: false, code: 1 })
  const failed = new Map(broken.checks.map(check => [check.name, check]))
  t.match(failed.get('configuration'), { status: 'fail', message: /1 error/, remedy: /svc check/ })
  t.match(failed.get('certificates'), { status: 'fail' })
  t.match(failed.get('port_http'), {
    status: 'fail',
    message: new RegExp(`port ${foreign} .* (?:in use|used by process)`),
  })
  t.match(failed.get('openssl'), { status: 'warn', message: /not in PATH/ })
  t.match(await doctor({ ...free, SVC_STATE_STORE: 'redis://127.0.0.1:1' }, t.testdir()), {
    ok: false,
    checks: sound.checks.map(({ name }) =>
      name === 'state_store' ? { name, status: 'fail', remedy: /start the store/ } : { name },
    ),
  })
})

t.test('versions are compared by their numbers [CLI-12]', async t => {
  for (const [version, floor, expected] of [
    ['20.19.0', '20.19', true],
    ['20.9.0', '20.19', false],
    ['22.0.0', '20.19', true],
    ['18.20.0', '20.19', false],
  ] as const)
    t.equal(isAtLeast(version, floor), expected, version)
})
