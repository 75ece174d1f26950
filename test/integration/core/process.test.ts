/** The process: arguments, exit codes, signals, graceful shutdown. Takes long: it starts processes. */
import t from 'tap'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { Agent, request } from 'node:http'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startProcess } from '../../support/process.ts'
import { plugin } from '../../support/plugins.ts'
import { until } from '../../support/until.ts'

/** A plugin whose routes keep connections in every state. */
const HOLDING = `import { definePlugin, describe } from 'svc/plugin'
export default definePlugin({ title: 'hold', paths: ['/hold'], register(app, svc) {
  const examples = []
  app.get('/hold/slow', describe({ summary: 's', category: 'Test', examples }), async () => { await new Promise(resolve => setTimeout(resolve, 400)); return 'done' })
  app.get('/hold/forever', describe({ summary: 'f', category: 'Test', examples }), async () => { await new Promise(() => {}) })
  app.get('/hold/endless', describe({ summary: 'e', category: 'Test', protocol: 'sse', endless: true, examples }), (request, reply) => { svc.streams.sse(request, reply, { endless: true })?.send({ data: 'x' }) })
  app.get('/hold/counted', describe({ summary: 'c', category: 'Test', protocol: 'sse', examples }), async (request, reply) => {
    const stream = svc.streams.sse(request, reply)
    for (let n = 1; n <= 5; n++) { stream.send({ data: n }); await new Promise(resolve => setTimeout(resolve, 60)) }
    stream.end()
  })
  svc.whenStopped(() => console.log('closing work done'))
} })`

async function startHolding(
  t: Test & { teardown(callback: () => unknown): unknown },
  env: Record<string, string> = {},
) {
  const server = startProcess(t, { yaml: 'plugins: { dirs: [plugins], enable: [hold] }', env })
  mkdirSync(join(server.folder, 'plugins', 'hold'), { recursive: true })
  writeFileSync(join(server.folder, 'plugins', 'hold', 'index.ts'), HOLDING)
  const port = await server.port('HTTP')
  return { ...server, port, url: `http://127.0.0.1:${port}` }
}
interface Test {
  equal: typeof t.equal
}

t.test('prints the bound ports at every log level [PROC-1]', async t => {
  for (const format of ['text', 'json']) {
    const server = startProcess(t, { env: { SVC_LOG_LEVEL: 'off', SVC_LOG_FORMAT: format } })
    const http = await server.port('HTTP')
    t.equal((await fetch(`http://127.0.0.1:${http}/_svc/ready`)).status, 200)
    t.ok(await server.port('HTTPS'))
    t.ok(await server.port('gRPC'))
    t.equal(server.output().trim().split('\n').length, 3, 'nothing else')
  }
})

t.test('if the HTTP port is in use, it prints one line and exits with 1 [PROC-2]', async t => {
  const other = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => other.once('listening', resolve))
  t.teardown(() => other.close())
  const { port } = other.address() as AddressInfo
  const server = startProcess(t, { env: { SVC_HTTP_PORT: String(port) } })
  t.strictSame(await server.exited, { code: 1, signal: null })
  t.match(server.errors(), new RegExp(`127\\.0\\.0\\.1.*${port}.*EADDRINUSE.*SVC_HTTP_PORT`))
  t.equal(server.errors().trim().split('\n').length, 1)
})

t.test('if the HTTPS or gRPC port is in use, it logs a warning and serves HTTP [PROC-3]', async t => {
  const other = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => other.once('listening', resolve))
  t.teardown(() => other.close())
  const { port } = other.address() as AddressInfo
  const server = startProcess(t, { env: { SVC_HTTPS_PORT: String(port), SVC_GRPC_PORT: String(port) } })
  const http = await server.port('HTTP')
  const status = (await (await fetch(`http://127.0.0.1:${http}/_svc/status`)).json()) as { ports: object }
  t.strictSame(status.ports, { http, https: null, grpc: null })
  t.match(server.output(), /the HTTPS listener did not start: .*EADDRINUSE/)
  t.match(server.output(), /the gRPC listener did not start: .*EADDRINUSE/)
})

t.test('an invalid command line prints the usage and exits with 2 [PROC-4]', async t => {
  for (const [args, code, stream] of [
    [['--help'], 0, /usage: svc/],
    [['--version'], 0, /^\d+\.\d+\.\d+\n$/],
    [['--bogus'], 2, /--bogus[^]*usage/],
    [['--config'], 2, /--config[^]*usage/],
    [['--config='], 2, /--config[^]*usage/],
    [['what'], 2, /what[^]*usage/],
  ] as const) {
    const server = startProcess(t, { args: [...args] })
    t.equal((await server.exited).code, code, args.join(' '))
    await until(() => stream.test(code === 0 ? server.output() : server.errors()))
  }
})

t.test('without open requests, SIGTERM and SIGINT stop it at once with code 0 [PROC-5]', async t => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const server = await startHolding(t)
    const agent = new Agent({ keepAlive: true })
    await new Promise(resolve =>
      request(`${server.url}/_svc/ready`, { agent }, response => response.on('end', resolve).resume()).end(),
    )
    const fresh = connect(server.port, '127.0.0.1')
    await new Promise(resolve => fresh.once('connect', resolve))
    fresh.on('error', () => {})
    server.child.kill(signal)
    server.child.kill(signal)
    t.strictSame(
      await server.exited,
      { code: 0, signal: null },
      'idle and fresh connections hold nothing up, a doubled signal neither',
    )
    t.match(server.output(), /closing work done/)
    agent.destroy()
  }
})

t.test('requests in flight and finite streams finish, endless streams end at once [PROC-6]', async t => {
  const server = await startHolding(t)
  const slow = fetch(`${server.url}/hold/slow`)
  const counted = fetch(`${server.url}/hold/counted`).then(response => response.text())
  const endless = await fetch(`${server.url}/hold/endless`)
  await fetch(`${server.url}/_svc/ready`)
  server.child.kill('SIGTERM')
  t.equal(await endless.text(), 'data: x\n\n', 'ends cleanly')
  const response = await slow
  t.equal(response.headers.get('connection'), 'close')
  t.equal(await response.text(), 'done')
  t.match(await counted, /data: 5\n\n$/)
  t.strictSame(await server.exited, { code: 0, signal: null })
})

t.test('during the drain new connections are refused; a later signal cuts it short [PROC-7]', async t => {
  const server = await startHolding(t)
  const forever = fetch(`${server.url}/hold/forever`).then(
    () => 'answered',
    () => 'cut',
  )
  await until(async () => (await fetch(`${server.url}/_svc/status`)).ok)
  server.child.kill('SIGTERM')
  await until(
    () =>
      new Promise(resolve => {
        const socket: Socket = connect(server.port, '127.0.0.1')
          .on('error', () => resolve(true))
          .on('connect', () => {
            socket.destroy()
            resolve(false)
          })
      }),
    'connections being refused',
  )
  await new Promise(resolve => setTimeout(resolve, 1_050))
  server.child.kill('SIGTERM')
  t.strictSame(await server.exited, { code: 0, signal: null })
  t.equal(await forever, 'cut')
})

t.test('signals during the start take effect after it [PROC-8]', async t => {
  const slow = `import { definePlugin } from 'svc/plugin'
  export default definePlugin({ title: 'slow', paths: ['/slow'], async register() {
    process.stdout.write('registering\\n')
    await new Promise(resolve => setTimeout(resolve, 300))
  } })`
  const starting = async () => {
    const server = startProcess(t, { yaml: 'plugins: { dirs: [plugins], enable: [slow] }' })
    mkdirSync(join(server.folder, 'plugins', 'slow'), { recursive: true })
    writeFileSync(join(server.folder, 'plugins', 'slow', 'index.ts'), slow)
    await until(() => server.output().includes('registering'), 'the plugin registers')
    return server
  }
  const reloaded = await starting()
  reloaded.child.kill('SIGHUP')
  const port = await reloaded.port('HTTP')
  t.equal((await fetch(`http://127.0.0.1:${port}/_svc/ready`)).status, 200, 'it serves')
  const stopped = await starting()
  stopped.child.kill('SIGTERM')
  t.strictSame(await stopped.exited, { code: 0, signal: null }, 'it starts, and stops as always')
})

t.test('SIGHUP and a changed file cause a reload and do not stop the server [PROC-8]', async t => {
  const server = startProcess(t, { yaml: 'plugins: { dirs: [plugins] }' })
  const url = `http://127.0.0.1:${await server.port('HTTP')}`
  const status = async (path: string): Promise<number> => (await fetch(url + path)).status
  t.equal(await status('/late'), 404)
  mkdirSync(join(server.folder, 'plugins', 'late'), { recursive: true })
  writeFileSync(join(server.folder, 'plugins', 'late', 'index.ts'), plugin('late', '1'))
  server.child.kill('SIGHUP')
  await until(async () => (await status('/late')) === 200, 'SIGHUP')
  writeFileSync(join(server.folder, 'plugins', 'late', 'index.ts'), plugin('late', '2'))
  await until(async () => (await (await fetch(`${url}/late`)).text()) === '2', 'the edit')
  writeFileSync(join(server.folder, 'svc.yaml'), 'plugins: { dirs: [plugins], disable: [late] }')
  await until(async () => (await status('/late')) === 404, 'svc.yaml')
  t.match(await (await fetch(`${url}/late`)).json(), { plugin: 'late', plugin_state: 'disabled' })
  const logged = server.output().matchAll(/ INFO (reload.*?)(?: took_ms=\d+)?\n/g)
  t.strictSame(
    [...logged].map(([, line]) => line),
    [
      'reloading signal=SIGHUP',
      'reloaded generation=2 added=late',
      'reloaded generation=3 reloaded=late',
      'reloaded generation=4 removed=late',
    ],
    'the log says so',
  )
})

t.test('an uncaught exception is logged with its plugin and does not stop the server [PROC-9]', async t => {
  const server = startProcess(t, { yaml: 'plugins: { dirs: [plugins] }', env: { SVC_LOG_FORMAT: 'json' } })
  const url = `http://127.0.0.1:${await server.port('HTTP')}`
  mkdirSync(join(server.folder, 'plugins', 'bomb'), { recursive: true })
  writeFileSync(
    join(server.folder, 'plugins', 'bomb', 'index.ts'),
    plugin('bomb', 'lit', {
      body: 'setTimeout(() => { throw new Error("boom") }, 10); setTimeout(() => void Promise.reject(new Error("bang")), 10)',
    }),
  )
  server.child.kill('SIGHUP')
  await until(() => server.output().includes('boom') && server.output().includes('bang'))
  await until(async () => (await (await fetch(`${url}/bomb`)).text()) === 'lit', 'the plugin serves')
  const lines = server
    .output()
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as { level: string; plugin?: string; message: string })
  t.strictSame(
    lines.filter(line => line.level === 'error').map(line => line.plugin),
    ['bomb', 'bomb'],
  )
})
