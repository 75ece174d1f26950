/** Servers of two replicas: processes, questions, tasks and faults. */
import t from 'tap'
import { createRequire } from 'node:module'
import { launch } from '../../../core/testing/launch.ts'
import { call, callTool, type Json, openSession, openStream, envelope, routing, textOf } from '../../support/mcp.ts'
import { NEEDS_SERVER, startStateServer } from '../../support/state-store.ts'
import { until } from '../../support/until.ts'

t.setTimeout(600_000)

const EVERYTHING = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js')
const YAML = `plugins: { enable: [mcp, mcp-extensions, identity] }
mcp:
  servers:
    - { name: everything, command: ${JSON.stringify(process.execPath)}, args: [${JSON.stringify(EVERYTHING)}, stdio] }
`
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} }, elicitation: {} }

t.test('MCP servers of two replicas', NEEDS_SERVER, async t => {
  const store = await startStateServer(t)
  const start = async (id: string) => {
    const env = { SVC_STATE_STORE: store.url, SVC_STATE_STORE_TIMEOUT_MS: '10000', SVC_INSTANCE_ID: id }
    const server = await launch({ yaml: YAML, env })
    t.teardown(() => server.stop())
    return server
  }
  const one = await start('one')
  const two = await start('two')
  const at = (server: { url: string }, name = 'everything') => `${server.url}/mcp/servers/${name}`
  const statusOf = async ({ url }: { url: string }): Promise<Json> =>
    ((await (await fetch(`${url}/_svc/mcp-servers`)).json()) as { servers: Json[] }).servers.find(
      ({ name }) => String(name) === 'everything',
    )!
  for (const server of [one, two])
    await until(async () => String((await statusOf(server)).state) === 'up', 'the process of the replica')

  await t.test(
    'each replica has its own process, and a session uses that of the replica it reaches [MCPX-28]',
    async t => {
      const [first, second] = await Promise.all([statusOf(one), statusOf(two)])
      t.not(first.pid, second.pid)
      const session = await openSession(at(one), { capabilities: { elicitation: {} } })
      const params = { name: 'echo', arguments: { message: 'hi' } }
      for (const server of [one, two]) {
        const reply = await call(at(server), 'tools/call', params)
        t.match(textOf(reply), /hi/)
        const before = Number((await statusOf(server)).calls)
        const response = await fetch(at(server), {
          method: 'POST',
          headers: {
            'Content-Type': 'application/json',
            Accept: 'application/json, text/event-stream',
            ...session.headers,
          },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
        })
        t.match(await response.text(), /Echo: hi/)
        t.equal(Number((await statusOf(server)).calls), before + 1)
      }
    },
  )

  await t.test('a question of a process is answered at another replica [MCPX-28]', async t => {
    const session = await openSession(at(one), { capabilities: { elicitation: {} } })
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }
    const stream = await openStream(at(two), {
      method: 'POST',
      headers: { ...headers, ...session.headers },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 5,
        method: 'tools/call',
        params: { name: 'trigger-elicitation-request', arguments: {} },
      }),
    })
    const question = (await stream.message())!
    t.equal(String(question.method), 'elicitation/create')
    const answered = await fetch(at(one), {
      method: 'POST',
      headers: { ...headers, ...session.headers },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: question.id,
        result: { action: 'accept', content: { name: 'Ada', check: true } },
      }),
    })
    t.equal(answered.status, 202)
    t.match(await stream.message(), { id: 5, result: { content: [{ text: /provided/ }] } })
    stream.close()
  })

  await t.test('a round begins at one replica and continues at the other [MCPX-28]', async t => {
    const capabilities = { elicitation: {} }
    const params = { name: 'test_tool_with_task', arguments: {} }
    const first = (await call(at(one, 'tasks'), 'tools/call', params, { capabilities: TASKS })).answer.result!
    t.match(first, { resultType: 'input_required' })
    const inputResponses = { user_name: { action: 'accept', content: { name: 'Ada' } } }
    const next = { ...params, requestState: first.requestState, inputResponses }
    t.match((await call(at(two, 'tasks'), 'tools/call', next, { capabilities: TASKS })).answer.result, {
      resultType: 'task',
    })
    const asked = (
      await call(at(one), 'tools/call', { name: 'trigger-elicitation-request', arguments: {} }, { capabilities })
    ).answer.result!
    t.match(asked, { resultType: 'input_required', inputRequests: { q1: {} } })
    const again = {
      name: 'trigger-elicitation-request',
      arguments: {},
      requestState: asked.requestState,
      inputResponses: { q1: { action: 'accept', content: { name: 'Ada', check: true } } },
    }
    t.match((await call(at(two), 'tools/call', again, { capabilities })).answer.result, {
      content: [{ text: /provided/ }],
    })
  })

  await t.test('a task is read, answered, followed and canceled at another replica [MCPX-28]', async t => {
    const tasks = async (server: { url: string }, method: string, params: Record<string, unknown>): Promise<Json> =>
      (await call(at(server, 'tasks'), method, params, { capabilities: TASKS })).answer.result!
    const begin = async (name: string, args: Record<string, unknown>): Promise<string> => {
      const reply = await callTool(at(one, 'tasks'), name, args, { capabilities: TASKS })
      t.match(await tasks(two, 'tasks/get', { taskId: reply.answer.result!.taskId }), { resultType: 'complete' })
      return String(reply.answer.result!.taskId)
    }
    const asking = await begin('confirm_delete', { filename: 'a.txt' })
    const open = await until(async () => {
      const task = await tasks(two, 'tasks/get', { taskId: asking })
      return task.inputRequests ? task : null
    })
    const stream = await openStream(at(two, 'tasks'), {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...routing('subscriptions/listen'),
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 'listen',
        method: 'subscriptions/listen',
        params: { notifications: { taskIds: [asking] }, _meta: envelope(TASKS) },
      }),
    })
    t.match(await stream.message(), { params: { notifications: { taskIds: [asking] } } })
    t.match(await stream.message(), { method: 'notifications/tasks', params: { status: 'input_required' } })
    const [key] = Object.keys(open.inputRequests as object)
    await tasks(two, 'tasks/update', {
      taskId: asking,
      inputResponses: { [key!]: { action: 'accept', content: { confirm: true } } },
    })
    await until(async () => String((await stream.message())?.params?.status) === 'completed', 'the last notification')
    stream.close()
    t.match(await tasks(two, 'tasks/get', { taskId: asking }), { result: { content: [{ text: 'Deleted a.txt.' }] } })
    const slow = await begin('slow_compute', { seconds: 50 })
    await tasks(two, 'tasks/cancel', { taskId: slow })
    await until(async () => String((await tasks(one, 'tasks/get', { taskId: slow })).status) === 'cancelled')
  })

  await t.test('the requests with a fault are counted at all replicas together [MCPX-28]', async t => {
    const headers = { 'X-Svc-Mcp-Fail': 'rpc-error@3', 'X-Svc-Session': 'counted' }
    const outcomes = []
    for (const server of [one, two, one])
      outcomes.push((await call(at(server, 'tasks'), 'tools/list', {}, { headers })).answer.error?.message ?? 'none')
    t.same(outcomes, ['none', 'none', 'injected'])
  })
})
