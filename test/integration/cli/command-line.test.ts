/** The command line: arguments, help and lists. */
import t from 'tap'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { svc, type CommandLineOptions } from '../../support/terminal.ts'
import { plugin } from '../../support/plugins.ts'
import { VERSION } from '../../../core/product.ts'

t.test('serves by default [CLI-1]', async t => {
  for (const args of [[], ['serve']])
    t.match((await svc(args)).outcome, { serve: { options: { environment: {} } } }, args.join(' '))
  t.match((await svc(['serve', '--config', 'a.yaml'], { folder: '/etc' })).outcome, {
    serve: { options: { configArgument: 'a.yaml' } },
  })
  for (const args of [['--config', 'a.yaml'], ['--config=a.yaml'], ['--config', 'a.yaml', 'serve']]) {
    t.match(
      (await svc(args, { folder: '/etc' })).outcome,
      { serve: { options: { environment: { SVC_CONFIG_FILE: '/etc/a.yaml' } } } },
      args.join(' '),
    )
  }
})

t.test('options win over variables, in front of the command and behind it [CLI-14]', async t => {
  const env = { SVC_HTTP_PORT: '1', SVC_HOST: '::' }
  const variables = { SVC_HTTP_PORT: '8080', SVC_HTTPS_PORT: '0', SVC_GRPC_PORT: '50052', SVC_HOST: '127.0.0.1' }
  const options = [
    '--port',
    '8080',
    '--https-port=0',
    '--grpc-port',
    '50052',
    '--host',
    '127.0.0.1',
    '--quiet',
    '--open',
  ]
  for (const args of [options, ['serve', ...options], [...options, 'serve'], ['--port', '9', 'serve', ...options]])
    t.match((await svc(args, { env })).outcome, {
      serve: { options: { environment: variables }, isQuiet: true, opens: true },
    })
  for (const [args, message] of [
    [['--port', '70000'], /^--port needs a port from 0 to 65535, not 70000\n/],
    [['serve', '--https-port', 'x'], /^--https-port needs a port/],
    [['--grpc-port=-1'], /^--grpc-port needs a port/],
    [['--host', 'example.com'], /^--host needs an IPv4 or IPv6 address, or localhost, not example\.com\n/],
    [['--port', '8080', 'check'], /^--port is an option of serve, not of check\n/],
  ] as const)
    t.match(await svc([...args]), { code: 2, output: '', errors: message })
})

t.test('help and version', async t => {
  t.match(await svc(['--version']), { code: 0, output: `${VERSION}\n` })
  for (const args of [['--help'], ['help']]) {
    const { code, output } = await svc(args)
    t.equal(code, 0)
    for (const name of ['serve', 'check', 'plugins', 'routes', 'mock'])
      t.match(output, new RegExp(`^  ${name} +\\w`, 'm'), name)
    t.match(
      output,
      /\nRun\n {2}serve [^]*\nConfigure\n {2}check [^]*\nTest\n {2}demo [^]*\n {2}mock [^]*\nMove from other tools\n {2}import [^]*\n {2}fixtures /,
    )
  }
  for (const name of ['check', 'plugins', 'routes', 'mock'])
    t.match(await svc([name, '--help']), { code: 0, output: new RegExp(`^usage: svc ${name}`) })
})

t.test('invalid arguments are explained [CLI-2]', async t => {
  for (const [args, message] of [
    [['--confg', 'x'], /^unknown option: --confg \(did you mean --config\?\)\n\nusage: svc \[/],
    [['--config'], /^--config needs a file\n/],
    [['--config='], /^--config needs a file\n/],
    [['--help=yes'], /^--help takes no value\n/],
    [['-x'], /^unknown option: -x/],
    [['chekc'], /^unknown command: chekc \(did you mean check\?\)\n\nusage: svc \[/],
    [['mokc'], /^unknown command: mokc \(did you mean mock\?\)/],
    [['qqqqqq'], /^unknown command: qqqqqq \(expected one of serve, help, health, open, check, /],
    [['check', '--jsno'], /^unknown option: --jsno \(did you mean --json\?\)\n\nusage: svc check/],
    [['plugins', 'extra'], /^unexpected argument: extra\n\nusage: svc plugins/],
    [['serve', 'extra'], /^unexpected argument: extra/],
  ] as const) {
    const { code, errors, output } = await svc([...args])
    t.equal(code, 2, args.join(' '))
    t.match(errors, message)
    t.equal(output, '')
  }
})

t.test('only terminals get colors [CLI-3]', async t => {
  const isColored = async (args: string[], options: CommandLineOptions): Promise<boolean> => {
    const { output, errors } = await svc(args, options)
    return (output + errors).includes('\u001b[')
  }
  t.equal(await isColored(['--help'], { isTerminal: true }), true)
  t.equal(await isColored(['--confg'], { isTerminal: true }), true)
  t.equal(await isColored(['--confg'], { isTerminal: false }), false)
  t.equal(await isColored(['--confg'], { isTerminal: true, env: { NO_COLOR: '1' } }), false)
})

t.test('plugins and routes list what would run and write nothing [CLI-4, CLI-5, CLI-7]', async t => {
  const folder = t.testdir()
  mkdirSync(join(folder, 'mine', 'hello'), { recursive: true })
  mkdirSync(join(folder, 'mine', 'broken'), { recursive: true })
  writeFileSync(join(folder, 'mine', 'hello', 'index.ts'), plugin('hello', 'hi'))
  writeFileSync(
    join(folder, 'mine', 'broken', 'index.ts'),
    plugin('broken', 'x', { body: "throw new Error('out of order')" }),
  )
  writeFileSync(join(folder, 'svc.yaml'), 'plugins: { enable: [hello, echo, broken], dirs: [mine] }\n')
  const env = { SVC_USAGE_FILE: join(folder, 'usage.json') }

  const { code, output } = await svc(['plugins'], { folder, env })
  t.equal(code, 0)
  t.match(output, /^PLUGIN +STATE +VERSION +SOURCE +SERVES\n/)
  t.match(output, /^hello +enabled +0\.1\.0 +directory +\/hello$/m)
  t.match(output, /^soap +disabled +\S+ +builtin +disabled by svc\.yaml$/m)
  t.match(output, /^broken +failed +\S+ +directory +register: out of order$/m)
  t.match(output, /\n2 enabled, \d+ disabled, 1 failed\n$/)
  const records = JSON.parse((await svc(['plugins', '--json'], { folder, env })).output) as {
    name: string
    state: string
  }[]
  t.equal(records.find(({ name }) => name === 'hello')?.state, 'enabled')

  const routes = await svc(['routes', 'hel'], { folder, env })
  t.match(routes, { code: 0, output: /^Test\n {2}GET {2}\/hello {2}hello {2}hello\n\n1 route\n$/ })
  const endpoints = JSON.parse((await svc(['routes', '--json'], { folder, env })).output) as { path: string }[]
  t.ok(endpoints.some(({ path }) => path === '/echo'))
  t.notOk(endpoints.some(({ path }) => path === '/soap'))
  t.strictSame(readdirSync(folder).sort(), ['mine', 'svc.yaml'])
})
