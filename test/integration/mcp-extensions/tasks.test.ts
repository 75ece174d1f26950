/** Tasks: calls that continue after their response. */
import t from 'tap'
import { call, envelope, type Json, openSession, openStream, routing, textOf } from '../../support/mcp.ts'
import { pluginFolder } from '../../support/plugins.ts'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'

t.setTimeout(600_000)

const TASKS = 'io.modelcontextprotocol/tasks'
const extensions = { [TASKS]: {} }
const withTasks = { capabilities: { elicitation: {}, extensions } }

/** A client of one server that supports tasks. */
function client(url: string, options: Parameters<typeof call>[3] = {}) {
  const request = (method: string, params: Record<string, unknown>) =>
    call(url, method, params, { ...withTasks, ...options })
  const callTool = (name: string, args: Record<string, unknown> = {}) =>
    request('tools/call', { name, arguments: args })
  const get = async (taskId: unknown) => (await request('tasks/get', { taskId })).answer.result as Json
  const waitFor = (taskId: unknown, status: string) =>
    until(async () => {
      const task = await get(taskId)
      return (task.status as unknown) === status ? task : null
    }, `the task is ${status}`)
  return { request, callTool, get, waitFor }
}

const accept = (content: object) => ({ action: 'accept', content })

t.test('extensions are offered where the server has them [MCPX-1]', async t => {
  const { url } = await serve(t)
  const offered = async (server: string) =>
    (await call(`${url}${server}`, 'server/discover')).answer.result?.capabilities?.extensions as unknown
  t.strictSame(await offered('/mcp/servers/tasks'), { [TASKS]: {} })
  t.equal(await offered('/mcp'), undefined)
  const session = await openSession(`${url}/mcp/servers/tasks`)
  t.equal(session.opened.answer.result?.capabilities?.extensions as unknown, undefined, 'no tasks in sessions')
  const reply = await call(`${url}/mcp`, 'tasks/get', { taskId: 'x' }, withTasks)
  t.match([reply.status, reply.answer.error], [404, { code: -32601 }])
  for (const method of ['tasks/list', 'tasks/result'])
    t.match((await call(`${url}/mcp/servers/tasks`, method, {}, withTasks)).answer.error, { code: -32601 }, method)
})

t.test('a task is found at once and ends with the result of the tool [MCPX-2]', async t => {
  const { url } = await serve(t)
  const { callTool, get, waitFor } = client(`${url}/mcp/servers/tasks`)
  const started = (await callTool('make_report', { pages: 2, page_ms: 500 })).answer.result as Json
  t.match(started, {
    resultType: 'task',
    taskId: /^tsk_[0-9a-f]{32}$/,
    status: 'working',
    statusMessage: 'page 1 of 2',
    ttlMs: 300_000,
    pollIntervalMs: 500,
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'svc-mcp-tasks' } },
  })
  t.match(await get(started.taskId), { resultType: 'complete', status: 'working', taskId: started.taskId as unknown })
  const done = await waitFor(started.taskId, 'completed')
  t.match(done.result, {
    content: [{ type: 'resource_link' }, { type: 'text', text: 'The report has 2 pages.' }],
    isError: false,
  })
  t.notOk('inputRequests' in done || 'error' in done || 'requestState' in done)
  t.ok(Date.parse(String(done.lastUpdatedAt)) >= Date.parse(String(done.createdAt)))
  const failed = (await callTool('protocol_error_job')).answer.result as Json
  t.match(await waitFor(failed.taskId, 'failed'), { error: { code: -32603, message: 'The job cannot be done' } })
  const instant = (await callTool('slow_compute', { seconds: 0, label: 'x' })).answer.result
  t.match(instant, { resultType: 'complete', structuredContent: { label: 'x', seconds: 0 } })
  t.match((await callTool('slow_compute', { seconds: 61 })).answer.result, { isError: true }, 'arguments are checked')
})

t.test('questions of a task are answered with tasks/update [MCPX-2]', async t => {
  const { url } = await serve(t)
  const { request, callTool, get, waitFor } = client(`${url}/mcp/servers/tasks`)
  const { taskId } = (await callTool('multi_input')).answer.result as Json
  const asked = await waitFor(taskId, 'input_required')
  const keys = Object.keys(asked.inputRequests ?? {})
  t.match(keys, [/^first_name-[0-9a-f]{4}$/, /^last_name-[0-9a-f]{4}$/])
  t.match(asked.inputRequests?.[keys[0]!], { method: 'elicitation/create', params: { mode: 'form' } })
  const update = (inputResponses: unknown) => request('tasks/update', { taskId, inputResponses })
  t.match((await update([])).answer.error, { code: -32602 })
  t.match((await update(undefined)).answer.error, { code: -32602 })
  const acknowledged = await update({ [keys[0]!]: { action: 'what' }, unknown: accept({}) })
  t.strictSame(Object.keys(acknowledged.answer.result ?? {}).sort(), ['_meta', 'resultType'])
  t.equal(Object.keys((await get(taskId)).inputRequests ?? {}).length, 2, 'unusable answers leave a question open')
  await update({ [keys[0]!]: accept({ name: 'Ada' }) })
  t.strictSame(Object.keys((await get(taskId)).inputRequests ?? {}), [keys[1]])
  await update({ [keys[0]!]: accept({ name: 'Eve' }), [keys[1]!]: accept({ name: 'Lovelace' }) })
  const done = await waitFor(taskId, 'completed')
  t.match(done.result, { content: [{ text: 'Hello, Ada Lovelace!' }] }, 'each question is answered once')
  t.match((await update({ [keys[1]!]: accept({}) })).answer.result, { resultType: 'complete' }, 'after the end too')
  const kept = (await callTool('confirm_delete', { filename: 'a.txt' })).answer.result as Json
  const [key] = Object.keys((await waitFor(kept.taskId, 'input_required')).inputRequests ?? {})
  await request('tasks/update', { taskId: kept.taskId, inputResponses: { [key!]: { action: 'decline' } } })
  t.match((await waitFor(kept.taskId, 'completed')).result, { content: [{ text: 'Kept a.txt.' }] })
})

t.test('a task can be canceled at any time [MCPX-2]', async t => {
  const { url } = await serve(t)
  const { request, callTool, waitFor } = client(`${url}/mcp/servers/tasks`)
  for (const [name, args] of [
    ['slow_compute', { seconds: 60 }],
    ['confirm_delete', {}],
  ] as const) {
    const { taskId } = (await callTool(name, args)).answer.result as Json
    t.match((await request('tasks/cancel', { taskId })).answer.result, { resultType: 'complete' })
    const canceled = await waitFor(taskId, 'cancelled')
    t.notOk('result' in canceled || 'error' in canceled)
    t.match((await request('tasks/cancel', { taskId })).answer.result, { resultType: 'complete' }, 'again')
  }
})

t.test('a handler that ignores the cancellation is left behind after two seconds [MCPX-2]', async t => {
  const { folder } = pluginFolder(t, {
    stubborn: `import { definePlugin } from 'svc/plugin'
export default definePlugin({
  title: 'Stubborn', paths: [], buildsOn: ['mcp'],
  register(app, svc) {
    const servers = svc.use('mcp.servers')
    const inputSchema = { type: 'object' }
    servers.server({ name: 'stubborn', title: 'Stubborn' })
    servers.tool({ name: 'never', inputSchema, servers: ['stubborn'], task: 'required', call: () => new Promise(() => {}) })
    servers.tool({ name: 'throws', inputSchema, servers: ['stubborn'], task: 'required', call() { throw new Error('secret detail') } })
    servers.tool({ name: 'large', inputSchema, servers: ['stubborn'], task: 'required', call: () => ({ content: [{ type: 'text', text: 'x'.repeat(1100000) }] }) })
    servers.tool({ name: 'where', inputSchema, servers: ['stubborn'], task: 'optional', async call(args, context) {
      context.status('begun')
      await context.sleep(10)
      return { content: [{ type: 'text', text: JSON.stringify([context.task?.id ?? null, context.session]) }] }
    } })
    servers.method('stubborn', 'svc.test/double', ({ n }) => ({ doubled: 2 * Number(n) }))
  },
})`,
  })
  const server = await serve(t, { env: { SVC_PLUGINS_DIR: folder } })
  const url = `${server.url}/mcp/servers/stubborn`
  const { request, callTool, waitFor } = client(url)
  const { taskId } = (await callTool('never')).answer.result as Json
  const startedAt = Date.now()
  await request('tasks/cancel', { taskId })
  await waitFor(taskId, 'cancelled')
  t.ok(Date.now() - startedAt >= 1900)
  const thrown = (await callTool('throws')).answer.result as Json
  t.match(await waitFor(thrown.taskId, 'failed'), { error: { code: -32603, message: 'Internal error' } })
  t.ok(
    server.lines.some(line => line.includes('secret detail')),
    'the reason is in the log',
  )
  const large = (await callTool('large')).answer.result as Json
  t.match(await waitFor(large.taskId, 'failed'), { error: { message: 'The result is too large' } })
  const where = (await callTool('where')).answer.result as Json
  t.match(where, { statusMessage: 'begun' })
  t.match(textOf({ answer: await waitFor(where.taskId, 'completed') } as never), String(where.taskId))
  t.equal(textOf(await call(url, 'tools/call', { name: 'where', arguments: {} })), '[null,null]', 'without a task')
  t.match((await call(url, 'svc.test/double', { n: 4 })).answer.result, { doubled: 8, resultType: 'complete' })
  t.match((await call(`${server.url}/mcp`, 'svc.test/double', { n: 4 })).answer.error, { code: -32601 })
})

t.test('a call may ask before it becomes a task [MCPX-2]', async t => {
  const { url } = await serve(t)
  const { request, waitFor } = client(`${url}/mcp/servers/tasks`)
  const params = { name: 'test_tool_with_task', arguments: {} }
  const first = (await request('tools/call', params)).answer.result as Json
  t.match(first, { resultType: 'input_required', inputRequests: { user_name: {} } })
  const second = (
    await request('tools/call', {
      ...params,
      requestState: first.requestState,
      inputResponses: { user_name: accept({ name: 'Ada' }) },
    })
  ).answer.result as Json
  t.equal(second.resultType as unknown, 'task')
  t.notOk('requestState' in second || 'inputRequests' in second)
  t.match((await waitFor(second.taskId, 'completed')).result, { content: [{ text: 'Hello, Ada!' }] })
})

t.test('clients without the extension run optional tools at once and get an error for others [MCPX-2]', async t => {
  const { url } = await serve(t)
  const server = `${url}/mcp/servers/tasks`
  const plain = { capabilities: { elicitation: {} } }
  const tool = (name: string) => ({ name, arguments: { pages: 1, page_ms: 0 } })
  t.match((await call(server, 'tools/call', tool('make_report'), plain)).answer.result, {
    resultType: 'complete',
    isError: false,
  })
  for (const [method, params] of [
    ['tools/call', { name: 'failing_job', arguments: {} }],
    ['tools/call', { name: 'test_tool_with_task', arguments: {} }],
    ['tasks/get', { taskId: 'tsk_1' }],
  ] as const) {
    const reply = await call(server, method, params, plain)
    t.match(
      [reply.status, reply.answer.error],
      [400, { code: -32021, data: { requiredCapabilities: { extensions: { [TASKS]: {} } } } }],
      method,
    )
  }
  const declaredWrong = { capabilities: { extensions: { [TASKS]: true } } }
  t.match((await call(server, 'tasks/get', { taskId: 'x' }, declaredWrong)).answer.error, { code: -32021 })
  const session = await openSession(server)
  t.match(await session.request('tools/call', tool('make_report')), { answer: { result: { isError: false } } })
  const refused = await session.request('tools/call', { name: 'failing_job', arguments: {} })
  t.match(refused.answer.result, { isError: true, content: [{ text: /2026-07-28.*io\.modelcontextprotocol\/tasks/ }] })
})

t.test('unknown tasks and those of others are the same error [MCPX-3]', async t => {
  const { folder } = pluginFolder(t, {
    locked: `import { definePlugin } from 'svc/plugin'
export default definePlugin({
  title: 'Locked', paths: [], buildsOn: ['mcp', 'mcp-extensions'],
  register(app, svc) {
    svc.use('mcp.servers').server({ name: 'locked', title: 'Locked', auth: 'apikey', tools: ['slow_compute'] })
  },
})`,
  })
  const { url } = await serve(t, { env: { SVC_PLUGINS_DIR: folder } })
  const locked = (key: string) => client(`${url}/mcp/servers/locked`, { ...withTasks, headers: { 'X-API-Key': key } })
  const { callTool, request } = locked('one')
  const { taskId } = (await callTool('slow_compute', { seconds: 60 })).answer.result as Json
  t.match((await request('tasks/get', { taskId })).answer.result, { status: 'working' })
  const unknown = { code: -32602, message: 'Unknown task', data: { taskId: taskId as unknown } }
  t.match((await locked('two').request('tasks/get', { taskId })).answer.error, unknown, 'another key')
  t.match((await locked('two').request('tasks/cancel', { taskId })).answer.error, unknown)
  const open = client(`${url}/mcp/servers/tasks`)
  t.match((await open.request('tasks/get', { taskId })).answer.error, unknown, 'another server')
  for (const wrong of [undefined, 7, '__proto__', 'x'.repeat(10_000)])
    t.match(
      (await open.request('tasks/get', { taskId: wrong })).answer.error,
      { code: -32602 },
      String(wrong).slice(0, 9),
    )
  const mismatch = await call(
    `${url}/mcp/servers/tasks`,
    'tasks/get',
    { taskId },
    {
      ...withTasks,
      headers: { 'Mcp-Name': 'tsk_other' },
    },
  )
  t.match([mismatch.status, mismatch.answer.error], [400, { code: -32020 }])
  await request('tasks/cancel', { taskId })
})

t.test('a subscriber gets every change of a task [MCPX-5]', async t => {
  const { url } = await serve(t)
  const server = `${url}/mcp/servers/tasks`
  const { callTool, request } = client(server)
  const { taskId } = (await callTool('confirm_delete', { filename: 'b.txt' })).answer.result as Json
  const stream = await openStream(server, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream', ...routing('subscriptions/listen') },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 'watch',
      method: 'subscriptions/listen',
      params: { notifications: { taskIds: [taskId, taskId, 'tsk_none', 7] }, _meta: envelope(withTasks.capabilities) },
    }),
  })
  t.match(await stream.message(), {
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: { taskIds: [taskId as unknown] } },
  })
  const first = await stream.message()
  t.match(first, {
    method: 'notifications/tasks',
    params: {
      taskId: taskId as unknown,
      status: 'input_required',
      _meta: { 'io.modelcontextprotocol/subscriptionId': 'watch' },
    },
  })
  t.notOk('resultType' in (first?.params ?? {}))
  const [key] = Object.keys(first?.params?.inputRequests ?? {})
  await request('tasks/update', { taskId, inputResponses: { [key!]: accept({ confirm: true }) } })
  t.match(await stream.message(), { params: { status: 'working' } })
  t.match(await stream.message(), {
    params: { status: 'completed', result: { content: [{ text: 'Deleted b.txt.' }] } },
  })
  stream.close()
})

t.test('the number and life of tasks are limited [MCPX-4]', async t => {
  const { url } = await serve(t, { env: { SVC_PUBLIC_MODE: 'true' } })
  const { callTool, get } = client(`${url}/mcp/servers/tasks`)
  const start = async (name: string) => (await callTool(name, name === 'slow_compute' ? { seconds: 60 } : {})).answer
  const first = (await start('confirm_delete')).result as Json
  t.equal(first.ttlMs as unknown, 60_000)
  for (let count = 1; count < 20; count++) await start('slow_compute')
  t.match((await start('slow_compute')).error, { code: -32603, message: 'too many tasks' })
  t.match(await get(first.taskId), { status: 'input_required' }, 'no task that runs was dropped')
})
