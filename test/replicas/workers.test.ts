/**
 * Several processes behind one set of ports.
 * Runs alone: starts processes that use both cores.
 */
import t from 'tap'
import { startProcess } from '../support/process.ts'
import { NEEDS_SERVER } from '../support/state-store.ts'

const YAML = 'plugins:\n  enable: [echo, reliability]\n'

async function replicasOf(url: string, requests: number): Promise<Set<string | null>> {
  const seen = new Set<string | null>()
  // Each on its own connection, since a connection belongs to one worker.
  for (let index = 0; index < requests; index++)
    seen.add((await fetch(`${url}/echo`, { headers: { connection: 'close' } })).headers.get('x-svc-replica'))
  return seen
}

t.test('workers share a local store, ports and metrics, and end together [STATE-39]', NEEDS_SERVER, async t => {
  const env = { SVC_WORKERS: '2', SVC_STATE_STORE: 'local', SVC_INSTANCE_ID: 'box', SVC_LOG_LEVEL: 'warn' }
  const { child, exited, port, output } = startProcess(t, { env, yaml: YAML })
  const url = `http://127.0.0.1:${await port('HTTP')}`
  const seen = new Set<string | null>()
  while (seen.size < 2) for (const replica of await replicasOf(url, 4)) seen.add(replica)
  t.same([...seen].sort(), ['box-1', 'box-2'])
  const answers: number[] = []
  for (let index = 0; index < 4; index++)
    answers.push((await fetch(`${url}/flaky/recover/2`, { headers: { connection: 'close' } })).status)
  t.same(answers, [503, 503, 200, 200], 'a counter of both')
  const replicas = (await (await fetch(`${url}/_svc/replicas`)).json()) as { count: number; store: object }
  t.match(replicas, { count: 2, store: { up: true } })
  const metrics = await (await fetch(`${url}/_svc/metrics`)).text()
  const count = Number(
    /svc_requests_total\{route="\/flaky\/recover\/\{n\}",method="GET",status_class="5xx"\} (\d+)/.exec(metrics)?.[1],
  )
  t.equal(count, 2, 'of all workers')
  t.match(metrics, /^svc_replicas 2$/m)
  t.match(metrics, /^svc_state_store_up 1$/m)
  child.kill('SIGTERM')
  t.same(await exited, { code: 0, signal: null })
  t.notMatch(output(), /ERROR/)
})

t.test('without a store each worker has its own state, and says so [STATE-39]', async t => {
  const { child, exited, port, output } = startProcess(t, { env: { SVC_WORKERS: '2' }, yaml: YAML })
  const url = `http://127.0.0.1:${await port('HTTP')}`
  t.match(output(), /WARN each worker has its own state/)
  const [replica] = await replicasOf(url, 1)
  t.match(replica, /-[12]$/)
  t.match(await (await fetch(`${url}/_svc/status`)).json(), { state: 'per process', state_store: null, replicas: 1 })
  child.kill('SIGTERM')
  t.same(await exited, { code: 0, signal: null })
})

t.test('a port that is in use ends all workers [STATE-39]', async t => {
  const first = startProcess(t, { yaml: YAML })
  const env = { SVC_WORKERS: '2', SVC_HTTP_PORT: String(await first.port('HTTP')) }
  const { exited, errors } = startProcess(t, { env, yaml: YAML })
  t.equal((await exited).code, 1)
  t.match(errors(), /can't listen on/)
})
