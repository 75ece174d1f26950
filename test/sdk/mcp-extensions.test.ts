/** Messages of protocol extensions, checked by the official packages. */
import t, { type Test } from 'tap'
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills'
import { getToolUiResourceUri, RESOURCE_MIME_TYPE } from '@modelcontextprotocol/ext-apps/app-bridge'
import {
  isCreateTaskResultV2,
  isDetailedTaskV2,
  isTaskStatusNotificationV2,
} from '@modelcontextprotocol/ext-tasks/core/v2'
import { call, envelope, type Json, openStream, routing } from '../support/mcp.ts'
import { serve } from '../support/server.ts'

t.setTimeout(600_000)

t.test('the guards of the tasks package accept every message of a task [MCPX-11]', async t => {
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

/** The official client 2.x, in the stateless or in a legacy revision. */
async function connect(t: Test, url: string, versionNegotiation: ClientOptions['versionNegotiation']): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  t.teardown(() => client.close())
  return client
}

for (const mode of ['auto', 'legacy'] as const) {
  t.test(`the skills client verifies every file, ${mode} [MCPX-11]`, async t => {
    const { url } = await serve(t)
    const skills = new SkillsClient(await connect(t, `${url}/mcp/servers/skills`, { mode }))
    t.ok(skills.supported && skills.directoryRead)
    const { skills: entries } = await skills.list()
    t.equal(entries.length, 3)
    for (const entry of entries) {
      const { frontmatter, verified } = await skills.read(entry)
      t.strictSame([frontmatter, verified], [entry.frontmatter, entry.resources !== 'dynamic'], entry.uri)
    }
    t.ok((await skills.read(entries[0]!, 'scripts/check.py')).verified)
    t.equal((await skills.get('skill://drafts/SKILL.md')).skill.frontmatter.name, 'drafts')
    t.equal((await skills.readDirectory('skill://refunds')).resources.length, 3)
  })

  t.test(`the apps package finds the page of a tool, ${mode} [MCPX-11]`, async t => {
    const { url } = await serve(t)
    const client = await connect(t, `${url}/mcp/servers/apps`, { mode })
    const { tools } = await client.listTools()
    const uri = getToolUiResourceUri(tools[0] as Parameters<typeof getToolUiResourceUri>[0])
    t.equal(uri, 'ui://weather/view.html')
    const { contents } = await client.readResource({ uri: uri! })
    t.equal(contents[0]?.mimeType, RESOURCE_MIME_TYPE)
    const { structuredContent } = await client.callTool({ name: 'show_weather', arguments: { city: 'Oslo' } })
    t.match(structuredContent, { city: 'Oslo' })
  })
}
