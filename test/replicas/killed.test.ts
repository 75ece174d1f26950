/** Three processes: one is killed, one is suspended, and all are replaced under load. */
import t from 'tap'
import { startBalancer } from '../support/balancer.ts'
import { startProcess } from '../support/process.ts'
import { NEEDS_SERVER, startStateServer } from '../support/state-store.ts'
import { until } from '../support/until.ts'

const YAML = 'plugins: { enable: [echo, bins, reliability, mcp, a2a, identity] }\n'
const GONE_MS = 15_000

type Json = ReturnType<typeof JSON.parse>

async function rpc(
  url: string,
  method: string,
  params: object,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }),
  })
}

const V1 = { 'A2A-Version': '1.0' }
const message = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'hello' }], metadata: { stepDelayMs: 60_000 } }
const INITIALIZE = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } }

t.test('a cluster of processes', NEEDS_SERVER, async t => {
  const store = await startStateServer(t)
  const start = async (id: string) => {
    const env = { SVC_STATE_STORE: store.url, SVC_INSTANCE_ID: id, SVC_LOG_LEVEL: 'warn' }
    const started = startProcess(t, { yaml: YAML, env })
    const port = await started.port('HTTP')
    return { ...started, number: port, url: `http://127.0.0.1:${port}` }
  }
  const know = (url: string, count: number) =>
    until(
      async () => ((await (await fetch(`${url}/_svc/replicas`)).json()) as Json).count === count,
      `${count} replicas`,
    )
  // One after the other: all at once take long on a busy machine.
  const one = await start('one')
  const two = await start('two')
  const three = await start('three')
  await know(two.url, 3)

  await t.test('what a killed replica worked on fails in the words of its protocol [STATE-41]', async t => {
    const bin = (await (await fetch(`${one.url}/bin`, { method: 'POST' })).json()) as Json
    await fetch(`${one.url}/bin/${bin.id}/x`)
    const sent = (await (
      await rpc(`${one.url}/a2a/echo`, 'SendMessage', { message, configuration: { returnImmediately: true } }, V1)
    ).json()) as Json
    const { id } = sent.result.task
    const getTask = async (): Promise<Json> =>
      ((await (await rpc(`${two.url}/a2a/echo`, 'GetTask', { id }, V1)).json()) as Json).result
    t.match((await getTask()).status.state, /SUBMITTED|WORKING/)

    const opened = await rpc(`${one.url}/mcp`, 'initialize', INITIALIZE)
    const session = { 'Mcp-Session-Id': opened.headers.get('mcp-session-id')!, 'MCP-Protocol-Version': '2025-06-18' }
    const params = {
      name: 'slow_task',
      arguments: { duration_ms: 60_000, steps: 100 },
      _meta: { progressToken: 1 },
    }
    const call = await rpc(`${one.url}/mcp`, 'tools/call', params, session)
    const reader = call.body!.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    await until(async () => {
      text += (await reader.read()).value ?? ''
      // Later events came: the store has the first one.
      return text.split('notifications/progress').length > 3
    })
    const lastId = /^id: (\S+)/m.exec(text)![1]!

    const killedAt = performance.now()
    one.child.kill('SIGKILL')
    await one.exited
    await reader.cancel().catch(() => {})
    const resumed = await fetch(`${two.url}/mcp`, {
      headers: { Accept: 'text/event-stream', 'Last-Event-ID': lastId, ...session },
      signal: AbortSignal.timeout(25_000),
    })
    t.equal(resumed.status, 200)
    const rest = await resumed.text()
    t.match(rest, /"code":-32603/)
    t.match(rest, /The replica that worked on this request is gone/)
    t.match(rest, /"retry":true/)
    const failed = await until(async () => {
      const found = await getTask()
      return found.status.state === 'TASK_STATE_FAILED' ? found : null
    })
    t.ok(performance.now() - killedAt < GONE_MS, 'within fifteen seconds')
    t.match(failed.status.message.parts, [{ text: 'The replica that worked on this task is gone.' }])
    t.equal((await rpc(`${three.url}/mcp`, 'tools/list', {}, session)).status, 200, 'the session continues')
    t.match(await (await fetch(`${three.url}/bin/${bin.id}/requests`)).json(), { count: 1 })
    await know(two.url, 2)
  })

  await t.test('a suspended replica takes its place again, and its runs stay ended [STATE-41]', async t => {
    const sent = (await (
      await rpc(
        `${three.url}/a2a/echo`,
        'SendMessage',
        { message: { ...message, metadata: { stepDelayMs: 14_000 } }, configuration: { returnImmediately: true } },
        V1,
      )
    ).json()) as Json
    const { id } = sent.result.task
    three.child.kill('SIGSTOP')
    const state = async (): Promise<string> =>
      ((await (await rpc(`${two.url}/a2a/echo`, 'GetTask', { id }, V1)).json()) as Json).result.status.state
    await until(async () => (await state()) === 'TASK_STATE_FAILED', 'the end of the run')
    three.child.kill('SIGCONT')
    await know(two.url, 2)
    await know(three.url, 2)
    t.equal((await fetch(`${three.url}/flaky/recover/0`)).status, 200)
    await new Promise(resolve => setTimeout(resolve, 3_000))
    t.equal(await state(), 'TASK_STATE_FAILED', 'the run does not continue')
  })

  await t.test('a rolling update fails no request [STATE-42]', async t => {
    const running = [two, three]
    const ports = running.map(({ number }) => number)
    const balancer = await startBalancer(ports)
    t.teardown(() => balancer.stop())
    const bin = (await (await fetch(`${balancer.url}/bin`, { method: 'POST' })).json()) as Json
    const opened = await rpc(`${balancer.url}/mcp`, 'initialize', INITIALIZE)
    const session = { 'Mcp-Session-Id': opened.headers.get('mcp-session-id')!, 'MCP-Protocol-Version': '2025-06-18' }
    const failures: string[] = []
    let isOver = false
    let requests = 0
    const client = async (what: string, send: () => Promise<Response>): Promise<void> => {
      while (!isOver) {
        const outcome = await send().then(
          async response => (await response.text(), response.status),
          error => String(error),
        )
        requests++
        if (outcome !== 200) failures.push(`${what}: ${outcome}`)
      }
    }
    const clients = [
      client('echo', () => fetch(`${balancer.url}/echo`)),
      client('bin', () => fetch(`${balancer.url}/bin/${bin.id}/load`)),
      client('mcp', () => rpc(`${balancer.url}/mcp`, 'tools/list', {}, session)),
      client('a2a', () =>
        rpc(`${balancer.url}/a2a/echo`, 'SendMessage', { message: { ...message, metadata: {} } }, V1),
      ),
    ]
    for (const [index, old] of running.entries()) {
      const next = await start(`next-${index}`)
      ports.push(next.number)
      ports.splice(ports.indexOf(old.number), 1)
      // As the pause before the signal in the manifest: requests on their way arrive first.
      await new Promise(resolve => setTimeout(resolve, 500))
      old.child.kill('SIGTERM')
      t.same(await old.exited, { code: 0, signal: null })
    }
    isOver = true
    await Promise.all(clients)
    t.same(failures, [])
    t.ok(requests > 100, `${requests} requests`)
    t.match(await (await rpc(`${balancer.url}/mcp`, 'tools/list', {}, session)).json(), { result: { tools: [] } })
  })
})
