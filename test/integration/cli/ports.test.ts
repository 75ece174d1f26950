/** Ports that are not set give way, and ports that are set do not. Takes long: it starts processes. */
import t from 'tap'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { VERSION } from '../../../core/product.ts'
import { startProcess } from '../../support/process.ts'

/** An address of this machine that nothing else uses. */
const HOST = '127.83.86.67'
const UNSET = { SVC_HOST: HOST, SVC_HTTP_PORT: '', SVC_HTTPS_PORT: '', SVC_GRPC_PORT: '', SVC_LOG_LEVEL: 'warn' }
const YAML = 'plugins:\n  enable: [echo]\n'
const LINUX = { skip: process.platform === 'linux' ? false : 'needs the addresses 127.0.0.0/8' }

/** Occupies ports until the test ends. One that needs a privilege is not free for svc either. */
async function occupy(t: { teardown(callback: () => unknown): unknown }, ports: readonly number[]): Promise<void> {
  for (const port of ports) {
    const server = createServer()
    server.listen(port, HOST)
    const isOpen = await Promise.race([
      once(server, 'listening').then(() => true),
      once(server, 'error').then(() => false),
    ])
    if (isOpen) t.teardown(() => server.close())
  }
}

t.test('unset ports that are taken give way to the first free one, with one warning each [PROC-10]', LINUX, async t => {
  const https = Array.from({ length: 10 }, (_, index) => 8443 + index)
  await occupy(t, [80, 443, 50051, 8080, 8081, ...https])
  const one = startProcess(t, { env: UNSET, yaml: YAML })
  t.equal(await one.port('HTTP'), 8082)
  t.equal(await one.port('gRPC'), 50052)
  t.match(one.output(), /WARN port 80 can't be used \((?:EADDRINUSE|EACCES)\); HTTP is on 8082\n/)
  t.match(one.output(), /WARN port 50051 can't be used \(EADDRINUSE\); gRPC is on 50052\n/)
  t.match(one.output(), /WARN the HTTPS listener did not start: .*(?:EADDRINUSE|EACCES).*:443/)
  t.equal(one.output().match(/can't be used/g)?.length, 2)

  const workers = startProcess(t, { env: { ...UNSET, SVC_WORKERS: '2' }, yaml: YAML })
  t.equal(await workers.port('HTTP'), 8083)
  t.match(workers.output(), /port 80 can't be used \(\w+\); HTTP is on 8083/)
  workers.child.kill('SIGTERM')
  t.equal((await workers.exited).code, 0)
  t.equal(workers.output().match(/HTTP is on/g)?.length, 1, 'the first process chooses for all')
  t.same([...new Set(workers.output().match(/HTTP listening on \S+/g))], [`HTTP listening on ${HOST}:8083`])
})

t.test('a port that is set does not give way, and its owner is named [PROC-2, PROC-10]', LINUX, async t => {
  await occupy(t, [9123])
  const options = { env: { ...UNSET, SVC_HTTP_PORT: '9123' }, yaml: YAML }
  const byVariable = startProcess(t, options)
  t.equal((await byVariable.exited).code, 1)
  t.match(byVariable.errors(), `can't listen on ${HOST}:9123 (EADDRINUSE): used by process ${process.pid} (`)

  const running = startProcess(t, { env: { ...UNSET, SVC_INSTANCE_ID: 'one', SVC_HTTP_PORT: '0' }, yaml: YAML })
  const port = String(await running.port('HTTP'))
  const byOption = startProcess(t, { env: { ...UNSET, SVC_HTTP_PORT: '9123' }, args: ['--port', port], yaml: YAML })
  t.equal((await byOption.exited).code, 1, 'the option wins over the variable')
  t.equal(
    byOption.errors(),
    `can't listen on ${HOST}:${port} (EADDRINUSE): used by svc ${VERSION} (instance one); set SVC_HTTP_PORT to another port\n`,
  )
})

t.test('with SVC_PARENT_PIPE the end of standard input ends the process [PROC-11]', async t => {
  for (const workers of ['1', '2']) {
    const { child, exited, port } = startProcess(t, {
      env: { SVC_PARENT_PIPE: 'true', SVC_WORKERS: workers },
      yaml: YAML,
      hasInput: true,
    })
    await port('HTTP')
    child.stdin!.end()
    t.same(await exited, { code: 0, signal: null }, `${workers} workers`)
  }
})
