/** Messages of protocol extensions, checked by the official packages. */
import t from 'tap'
import {
  isCreateTaskResultV2,
  isDetailedTaskV2,
  isTaskStatusNotificationV2,
} from '@modelcontextprotocol/ext-tasks/core/v2'
import { call, envelope, type Json, openStream, routing } from '../support/mcp.ts'
import { serve } from '../support/server.ts'

t.setTimeout(180_000)

t.test('the guards of the tasks package accept every message of a task [MCPX-2]', async t => {
  const { url } = await serve(t)
  const server = `${url}/mcp/servers/tasks`
  const capabilities = { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } }
  const request = async (method: string, params: Record<string, unknown>) =>
    (await call(server, method, params, { capabilities })).answer.result as Json
  for (const [name, answers] of [
    ['confirm_delete', true],
    ['failing_job', false],
    ['protocol_error_job', false],
  ] as const) {
    const created = await request('tools/call', { name, arguments: {} })
    t.ok(isCreateTaskResultV2(created), name)
    const stream = await openStream(server, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream', ...routing('subscriptions/listen') },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'subscriptions/listen',
        params: { notifications: { taskIds: [created.taskId] }, _meta: envelope(capabilities) },
      }),
    })
    await stream.message()
    for (;;) {
      const notification = await stream.message()
      t.ok(isTaskStatusNotificationV2(notification), `${name}: ${String(notification?.params?.status)}`)
      const detailed = await request('tasks/get', { taskId: created.taskId })
      t.ok(isDetailedTaskV2(detailed))
      const status: unknown = notification?.params?.status
      if (status === 'completed' || status === 'failed') break
      const [key] = Object.keys(detailed.inputRequests ?? {})
      if (answers && key !== undefined)
        await request('tasks/update', { taskId: created.taskId, inputResponses: { [key]: { action: 'decline' } } })
    }
    stream.close()
  }
})
