/** The first minute: what is printed after the start, and how the process is ended. Takes long: it starts processes. */
import t from 'tap'
import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { isWelcome, welcomeText } from '../../../core/cli/welcome.ts'
import { plugin, pluginFolder } from '../../support/plugins.ts'
import { startProcess } from '../../support/process.ts'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const ROOT = join(import.meta.dirname, '../../..')
const QUIET_PORTS = { SVC_HOST: '127.0.0.1', SVC_HTTP_PORT: '0', SVC_HTTPS_PORT: '0', SVC_GRPC_PORT: '0' }
const hasScript = spawnSync('script', ['--version']).status === 0

const SKIP = { skip: hasScript ? false : 'needs the program script' }

t.test('on a terminal the pages and three requests are printed, which work as they are [CLI-9]', SKIP, async t => {
  const folder = t.testdir()
  const env = { PATH: process.env.PATH, HOME: folder, NO_COLOR: '1', ...QUIET_PORTS }
  const command = `${process.execPath} ${join(ROOT, 'bin/svc.mjs')}`
  const child = spawn('script', ['-qefc', command, '/dev/null'], { cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'] })
  const exited = new Promise(resolve => child.on('exit', resolve))
  t.teardown(async () => {
    child.stdin.end('\u0003')
    setTimeout(() => child.kill('SIGKILL'), 5000).unref()
    await exited
  })
  let output = ''
  child.stdout.on('data', chunk => {
    output += String(chunk).replaceAll('\r', '')
  })
  await until(() => output.includes('Stop with Ctrl+C'))
  const port = /HTTP listening on 127\.0\.0\.1:(\d+)/.exec(output)![1]!
  const [lines, text] = output.split(/\n(?=svc \d)/) as [string, string]
  t.match(lines, /gRPC listening on/, 'after the lines of all listeners')
  t.match(text, new RegExp(`^ {2}HTTP +http://localhost:${port}$`, 'm'))
  t.match(text, /^ {2}HTTPS +https:\/\/localhost:\d+$/m)
  t.match(text, /^ {2}gRPC +localhost:\d+$/m)
  t.match(text, new RegExp(`^ {2}Console +http://localhost:${port}/ui/$`, 'm'))
  t.match(text, new RegExp(`^ {2}Docs +http://localhost:${port}/docs$`, 'm'))
  t.ok(text.trimEnd().split('\n').length <= 20)
  const commands = text.split('\n').filter(line => line.startsWith('curl '))
  t.equal(commands.length, 3)
  const answers = commands.map(
    line => spawnSync('sh', ['-c', line.replace('curl ', 'curl -s ')], { encoding: 'utf8' }).stdout,
  )
  t.match(answers[0], /hello.*gateway/s)
  t.match(answers[1], /injected fault/)
  t.match(answers[2], /chat\.completion/)
  for (const url of text.match(/http:\/\/\S+(?:\/ui\/|\/docs)$/gm) ?? []) t.equal((await fetch(url)).status, 200, url)
})

t.test('nothing is printed without a terminal, in CI, with JSON logs and with --quiet [CLI-9]', async t => {
  const out = { write: () => true, isTTY: true }
  const usual = { isQuiet: false, logFormat: 'text' } as const
  t.ok(isWelcome({ out, environment: {} }, usual))
  t.ok(isWelcome({ out, environment: { CI: 'false' } }, usual))
  t.notOk(isWelcome({ out, environment: { CI: 'true' } }, usual))
  t.notOk(isWelcome({ out: { ...out, isTTY: false }, environment: {} }, usual))
  t.notOk(isWelcome({ out, environment: {} }, { ...usual, isQuiet: true }))
  t.notOk(isWelcome({ out, environment: {} }, { ...usual, logFormat: 'json' }))
})

t.test('commands are quoted for every shell, bounded, and printed for plugins that run [CLI-9]', async t => {
  const text = welcomeText(
    {
      version: '1.0.0',
      config: { host: '::', basePath: '/base' },
      ports: { http: 8080, https: null, grpc: null },
      steps: [
        { rank: 30, path: '/b', body: '{"a":"it\'s"}' },
        { rank: 10, path: '/a?x=1&y=*' },
        { rank: 20, path: `/${'long'.repeat(40)}` },
        { rank: 5, href: 'page', text: 'Page' },
      ],
    },
    { out: { write: () => true } },
  )
  t.same(
    text.split('\n').filter(line => /curl|Page|HTTP/.test(line)),
    [
      '  HTTP      http://localhost:8080/base',
      '  Page      http://localhost:8080/base/page',
      "curl 'http://localhost:8080/base/a?x=1&y=*'",
      `curl --data-raw '{"a":"it'\\''s"}' http://localhost:8080/base/b`,
    ],
  )
  const { folder } = pluginFolder(t, {
    one: plugin('one', '1', { definition: "firstSteps: [{ rank: 1, path: '/two' }]," }),
  })
  const server = await serve(t, { builtinFolder: folder })
  t.match(server.plugins(), [{ state: 'failed', error: { message: /firstSteps must be a list/ } }])
})

t.test('a signal is logged once [PROC-5]', async t => {
  const server = startProcess(t)
  await server.port('gRPC')
  server.child.kill('SIGTERM')
  await server.exited
  t.equal(server.output().match(/ INFO stopping signal=SIGTERM\n/g)?.length, 1)
})

t.test('the server ends with the npm that started it [PROC-5]', async t => {
  const child = spawn('npm', ['start', '--silent'], {
    cwd: ROOT,
    env: { ...process.env, ...QUIET_PORTS, SVC_TLS_CERT: join(t.testdir(), 'a.crt'), SVC_LOG_LEVEL: 'info' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', chunk => {
    output += chunk
  })
  const closed = new Promise(resolve => child.stdout.on('close', resolve))
  const port = await until(() => /HTTP listening on \S+:(\d+)/.exec(output)?.[1])
  await until(() => output.includes('gRPC listening'))
  t.equal((await fetch(`http://127.0.0.1:${port}/health`)).status, 200)
  child.kill('SIGTERM')
  await closed
  t.match(output, /stopping signal=SIGTERM/)
  await t.rejects(fetch(`http://127.0.0.1:${port}/health`), 'its port is closed')
})
