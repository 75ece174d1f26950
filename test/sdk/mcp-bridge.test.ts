/** Servers made with the official SDKs, mounted by a plugin. */
import t, { type Test } from 'tap'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { McpServer as McpServer2 } from '@modelcontextprotocol/server'
import type { SdkDefinition } from '../../plugins/mcp/types.ts'
import { call, callTool, items, type Json, openSession, openStream, envelope, routing, textOf } from '../support/mcp.ts'
import { pluginFolder } from '../support/plugins.ts'
import { serve } from '../support/server.ts'
import { until } from '../support/until.ts'

t.setTimeout(600_000)

/** Plugins whose packages are installed in their folders. */
function installed(t: Test, plugins: Record<string, string>): string {
  const { folder } = pluginFolder(t, plugins)
  for (const name of Object.keys(plugins))
    symlinkSync(join(import.meta.dirname, 'node_modules'), join(folder, name, 'node_modules'))
  return folder
}

/** The servers of both SDKs fit the type of the extension point. */
const definitions: SdkDefinition[] = [
  { name: 'one', title: 'One', create: () => new McpServer({ name: 'one', version: '1' }) },
  { name: 'two', title: 'Two', server: new McpServer2({ name: 'two', version: '1' }) },
]

/** A plugin that mounts a server; `body` fills it. */
const plugin = (body: string, mount = "{ name: 'notes', title: 'Notes', create: makeServer }") => `
import { definePlugin } from 'svc/plugin'
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js'
import { SubscribeRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
let count = 0
function makeServer(session) {
  const number = ++count
  const server = new McpServer({ name: 'my-notes', version: '3.1.0' }, { instructions: 'Write notes.', capabilities: { logging: {}, resources: { subscribe: true } } })
  const text = words => ({ content: [{ type: 'text', text: String(words) }] })
  ${body}
  return server
}
export default definePlugin({
  title: 'Notes', paths: [], buildsOn: ['mcp'],
  register(app, svc) { svc.use('mcp.servers').sdk(${mount}) },
})`

async function serveNotes(t: Test, body: string, mount?: string) {
  const folder = installed(t, { notes: plugin(body, mount) })
  const server = await serve(t, { env: { SVC_PLUGINS_DIR: folder } })
  return { server, url: `${server.url}/mcp/servers/notes` }
}

async function loadErrors(url: string): Promise<string[]> {
  const { load_errors: errors } = (await (await fetch(`${url}/_svc/plugins`)).json()) as {
    load_errors: { message: string }[]
  }
  return errors.map(({ message }) => message)
}

const ADD = `server.registerTool('add', { description: 'Adds', inputSchema: { a: z.number(), b: z.number() }, outputSchema: { sum: z.number() } },
    ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }], structuredContent: { sum: a + b }, _meta: { own: 1 } }))`

t.test('the types of both SDKs fit [MCPX-12]', async t => {
  t.equal(definitions.length, 2)
})

t.test('tools, resources and prompts of an SDK server are served in all revisions [MCPX-12]', async t => {
  const { url } = await serveNotes(
    t,
    `${ADD}
    server.registerTool('breaks', {}, () => { throw new Error('no luck') })
    server.registerResource('all', 'notes://all', { mimeType: 'text/plain' }, uri => ({ contents: [{ uri: uri.href, text: 'one' }, { uri: 'notes://2', text: 'two' }] }))
    server.registerResource('note', new ResourceTemplate('notes://note/{id}', { list: undefined, complete: { id: () => ['n1', 'n2'] } }), {}, (uri, { id }) => ({ contents: [{ uri: uri.href, text: 'note ' + id }] }))
    server.registerPrompt('summary', { argsSchema: { topic: z.string() } }, ({ topic }) => ({ messages: [{ role: 'user', content: { type: 'text', text: 'On ' + topic } }] }))`,
  )
  const discovered = (await call(url, 'server/discover')).answer.result as Json
  t.match(discovered, {
    instructions: 'Write notes.',
    capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'my-notes', version: '3.1.0' } },
  })
  const added = (await callTool(url, 'add', { a: 2, b: 3 })).answer.result as Json
  t.match(added, { structuredContent: { sum: 5 }, resultType: 'complete', _meta: { own: 1 } })
  t.match(added._meta, { 'io.modelcontextprotocol/serverInfo': { name: 'my-notes' } })
  t.match((await callTool(url, 'add', { a: 'x' })).answer.result, { isError: true }, 'the answer of the server')
  t.match((await callTool(url, 'breaks')).answer.result, { isError: true, content: [{ text: 'no luck' }] })
  t.match((await callTool(url, 'nope')).answer.error, { code: -32602, message: 'Unknown tool: nope' })
  const read = (await call(url, 'resources/read', { uri: 'notes://all' })).answer.result
  t.match(read, { contents: [{ text: 'one' }, { text: 'two' }], ttlMs: 0, cacheScope: 'private' })
  t.match((await call(url, 'resources/read', { uri: 'notes://note/n7' })).answer.result, {
    contents: [{ text: 'note n7' }],
  })
  t.ok((await call(url, 'resources/read', { uri: 'notes://none' })).answer.error, 'the error of the server')
  t.match((await call(url, 'prompts/get', { name: 'summary', arguments: { topic: 'tests' } })).answer.result, {
    messages: [{ content: { text: 'On tests' } }],
  })
  const ref = { type: 'ref/resource', uri: 'notes://note/{id}' }
  t.match((await call(url, 'completion/complete', { ref, argument: { name: 'id', value: '' } })).answer.result, {
    completion: { values: ['n1', 'n2'] },
  })
  t.equal(items((await call(url, 'resources/templates/list')).answer.result?.resourceTemplates).length, 1)
  for (const version of ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']) {
    const session = await openSession(url, { version })
    t.match(session.opened.answer.result, { serverInfo: { name: 'my-notes' } }, version)
    const result = (await session.request('tools/call', { name: 'add', arguments: { a: 1, b: 1 } })).answer.result
    t.equal('structuredContent' in (result ?? {}), version >= '2025-06-18', version)
    const [tool] = items((await session.request('tools/list')).answer.result?.tools)
    t.equal('outputSchema' in (tool ?? {}), version >= '2025-06-18', version)
  }
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  t.teardown(() => client.close())
  t.match(await client.callTool({ name: 'add', arguments: { a: 20, b: 22 } }), { structuredContent: { sum: 42 } })
})

t.test('each session has its own object, which ends with it [MCPX-12]', async t => {
  const { url } = await serveNotes(
    t,
    `let calls = 0
    globalThis.endedNotes ??= []
    const close = server.close.bind(server)
    server.close = async () => { globalThis.endedNotes.push(session); await close() }
    server.registerTool('count', {}, () => text(number + ':' + ++calls))`,
  )
  const ended = () => (globalThis as unknown as { endedNotes: (string | null)[] }).endedNotes
  const count = async (session: Awaited<ReturnType<typeof openSession>>) =>
    textOf(await session.request('tools/call', { name: 'count', arguments: {} }))
  t.strictSame([textOf(await callTool(url, 'count')), textOf(await callTool(url, 'count'))], ['1:1', '1:2'])
  const [first, second] = [await openSession(url), await openSession(url)]
  t.strictSame([await count(first), await count(first), await count(second)], ['2:1', '2:2', '3:1'])
  await fetch(url, { method: 'DELETE', headers: first.headers })
  await until(() => ended().includes(first.id), 'the object was closed')
  t.notOk(ended().includes(second.id))
})

t.test('one object can serve all clients [MCPX-12]', async t => {
  const { url } = await serveNotes(
    t,
    `let calls = 0
    server.registerTool('count', {}, () => text(++calls))`,
    "{ name: 'notes', title: 'Notes', server: makeServer(null) }",
  )
  const session = await openSession(url)
  t.equal(textOf(await callTool(url, 'count')), '1')
  t.equal(textOf(await session.request('tools/call', { name: 'count', arguments: {} })), '2')
})

t.test('questions, progress and log messages reach the client of the call [MCPX-13]', async t => {
  const { url } = await serveNotes(
    t,
    `const ask = async field => (await server.server.elicitInput({ message: field + '?', requestedSchema: { type: 'object', properties: { [field]: { type: 'string' } } } })).content?.[field]
    server.registerTool('ask', {}, async () => text([await ask('first'), await ask('last')].join(' ')))
    server.registerTool('report', {}, async extra => {
      await server.server.sendLoggingMessage({ level: 'info', data: 'working' })
      await extra.sendNotification({ method: 'notifications/progress', params: { progressToken: extra._meta.progressToken, progress: 1, total: 2, message: 'half' } })
      return text('done')
    })`,
  )
  const capabilities = { elicitation: {} }
  const answer = (field: string, value: string) => ({ action: 'accept', content: { [field]: value } })
  const params = { name: 'ask', arguments: {} }
  const round = async (more: Record<string, unknown>) =>
    (await call(url, 'tools/call', { ...params, ...more }, { capabilities })).answer.result as Json
  const first = await round({})
  t.match(first, { resultType: 'input_required', inputRequests: { q1: { params: { message: 'first?' } } } })
  const second = await round({ requestState: first.requestState, inputResponses: { q1: answer('first', 'Ada') } })
  t.match(second, { inputRequests: { q2: { params: { message: 'last?' } } } })
  const third = await round({ requestState: second.requestState, inputResponses: { q2: answer('last', 'Lovelace') } })
  t.match(third, { content: [{ text: 'Ada Lovelace' }] })
  t.match((await call(url, 'tools/call', params)).answer.error, { code: -32021 }, 'without the capability')

  const client = new Client({ name: 'test', version: '1' }, { capabilities })
  client.setRequestHandler(ElicitRequestSchema, ({ params: { message } }) => ({
    action: 'accept',
    content: { [message.slice(0, -1)]: message.toUpperCase() },
  }))
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  t.teardown(() => client.close())
  t.match(await client.callTool(params), { content: [{ text: 'FIRST? LAST?' }] })

  const reported = await call(
    url,
    'tools/call',
    { name: 'report', arguments: {} },
    {
      headers: { Accept: 'application/json, text/event-stream' },
      meta: { progressToken: 'p', 'io.modelcontextprotocol/logLevel': 'info' },
    },
  )
  t.match(reported.messages, [
    { method: 'notifications/message', params: { level: 'info', data: 'working' } },
    { method: 'notifications/progress', params: { progressToken: 'p', progress: 1, total: 2, message: 'half' } },
    { result: { content: [{ text: 'done' }] } },
  ])
})

t.test('a canceled call is canceled at the server [MCPX-13]', async t => {
  const { url } = await serveNotes(
    t,
    `server.registerTool('wait', {}, async extra => new Promise(resolve => {
      globalThis.waitingNotes = true
      extra.signal.addEventListener('abort', () => { globalThis.canceledNotes = true; resolve(text('late')) })
    }))`,
  )
  const state = globalThis as { waitingNotes?: boolean; canceledNotes?: boolean }
  const session = await openSession(url)
  const running = session.request('tools/call', { name: 'wait', arguments: {} }, { id: 'w' })
  await until(() => state.waitingNotes === true, 'the tool runs')
  await session.notify('notifications/cancelled', { requestId: 'w' })
  await running
  await until(() => state.canceledNotes === true, 'the server knows')
})

t.test('changes of lists and resources are announced [MCPX-13]', async t => {
  const { url } = await serveNotes(
    t,
    `server.registerTool('grow', {}, async () => {
      server.registerTool('grown', {}, () => text('new'))
      await server.server.sendResourceUpdated({ uri: 'notes://all' })
      return text('ok')
    })
    server.server.setRequestHandler(SubscribeRequestSchema, ({ params }) => {
      if (params.uri !== 'notes://all') throw new Error('unknown resource')
      return {}
    })
    server.registerResource('all', 'notes://all', {}, uri => ({ contents: [{ uri: uri.href, text: 'x' }] }))`,
    "{ name: 'notes', title: 'Notes', server: makeServer(null) }",
  )
  const stream = await openStream(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream', ...routing('subscriptions/listen') },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: {
        notifications: { toolsListChanged: true, resourceSubscriptions: ['notes://all', 'notes://none'] },
        _meta: envelope(),
      },
    }),
  })
  t.strictSame((await stream.message())?.params?.notifications as unknown, {
    toolsListChanged: true,
    resourceSubscriptions: ['notes://all'],
  })
  await callTool(url, 'grow')
  const methods = [(await stream.message())?.method, (await stream.message())?.method] as unknown[]
  t.strictSame(methods.sort(), ['notifications/resources/updated', 'notifications/tools/list_changed'])
  stream.close()
  t.equal(textOf(await callTool(url, 'grown')), 'new')
})

t.test("what a session's own server adds is listed in that session only [MCPX-13]", async t => {
  const { url } = await serveNotes(
    t,
    `server.registerTool('grow', {}, async () => {
      server.registerTool('grown', {}, () => text('new in ' + number))
      return text('ok')
    })`,
  )
  const [one, other] = [await openSession(url), await openSession(url)]
  const names = async (session: typeof one): Promise<unknown[]> =>
    items((await session.request('tools/list', {})).answer.result?.tools).map(tool => tool.name)
  await one.request('tools/call', { name: 'grow', arguments: {} })
  await until(async () => (await names(one)).includes('grown'), 'the tool is listed')
  t.strictSame(await names(one), ['grow', 'grown'])
  t.strictSame(await names(other), ['grow'])
  t.strictSame(items((await call(url, 'tools/list')).answer.result?.tools).map(tool => tool.name) as unknown[], [
    'grow',
  ])
  t.match(textOf(await one.request('tools/call', { name: 'grown', arguments: {} })), /^new in /)
  t.match((await other.request('tools/call', { name: 'grown', arguments: {} })).answer.error, {
    message: /Unknown tool: grown/,
  })
})

t.test('a server that fails to start is a load error, and its name is unknown [MCPX-12]', async t => {
  const { server, url } = await serveNotes(t, "throw new Error('no disk')")
  t.match(await loadErrors(server.url), ["the MCP server notes can't be started: no disk"])
  t.equal((await call(url, 'tools/list')).status, 404)
  t.equal((await call(`${server.url}/mcp`, 'tools/list')).status, 200)
})

t.test('a server of the SDK 2.x works the same, behind an API key [MCPX-12]', async t => {
  const folder = installed(t, {
    modern: `
import { definePlugin } from 'svc/plugin'
import { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
export default definePlugin({
  title: 'Modern', paths: [], buildsOn: ['mcp'],
  register(app, svc) {
    svc.use('mcp.servers').sdk({ name: 'modern', title: 'Modern', auth: 'apikey', create() {
      const server = new McpServer({ name: 'modern', version: '1.0.0' })
      server.registerTool('greet', { inputSchema: z.object({ name: z.string() }) }, ({ name }) => ({ content: [{ type: 'text', text: 'Hello, ' + name }] }))
      return server
    } })
  },
})`,
  })
  const { url } = await serve(t, { env: { SVC_PLUGINS_DIR: folder } })
  const modern = `${url}/mcp/servers/modern`
  t.equal((await callTool(modern, 'greet', { name: 'Ada' })).status, 401)
  const headers = { 'X-API-Key': 'k' }
  t.equal(textOf(await callTool(modern, 'greet', { name: 'Ada' }, { headers })), 'Hello, Ada')
  const session = await openSession(modern, { headers })
  t.equal(textOf(await session.request('tools/call', { name: 'greet', arguments: { name: 'Eve' } })), 'Hello, Eve')
})

t.test('ten lines mount a server, with OAuth, faults, the inspector and metrics around it [MCPX-12]', async t => {
  const lines = `import { definePlugin } from 'svc/plugin'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
export default definePlugin({
  title: 'Ten', paths: [], buildsOn: ['mcp'],
  register(app, svc) {
    const server = new McpServer({ name: 'ten', version: '1.0.0' })
    server.registerTool('ping', { description: 'Pings' }, () => ({ content: [{ type: 'text', text: 'pong' }] }))
    svc.use('mcp.servers').sdk({ name: 'ten', title: 'Ten', auth: 'oauth', scopes: ['ten:use'], server })
  },
})`
  t.equal(lines.split('\n').length, 10)
  const folder = installed(t, { ten: lines })
  const { url } = await serve(t, { env: { SVC_PLUGINS_DIR: folder } })
  const ten = `${url}/mcp/servers/ten`
  const ping = (headers: Record<string, string> = {}) =>
    callTool(ten, 'ping', {}, { headers: { 'X-Svc-Session': 'ten', ...headers } })
  const refused = await ping()
  t.equal(refused.status, 401)
  const challenge = refused.headers.get('www-authenticate')!
  t.match(challenge, /scope="ten:use"/)
  const metadata = (await (await fetch(/resource_metadata="([^"]+)"/.exec(challenge)![1]!)).json()) as Json
  t.equal(String(metadata.resource), ten)
  const tokenFor = async (scope: string): Promise<string> => {
    const response = await fetch(`${url}/oauth/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${Buffer.from('svc:svc-secret').toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', resource: ten, scope }),
    })
    return `Bearer ${((await response.json()) as { access_token: string }).access_token}`
  }
  const authorized = { Authorization: await tokenFor('ten:use') }
  t.equal((await ping({ Authorization: await tokenFor('profile') })).status, 403, 'without the scope')
  t.equal(textOf(await ping(authorized)), 'pong')
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(ten), { requestInit: { headers: authorized } }))
  t.match(await client.callTool({ name: 'ping', arguments: {} }), { content: [{ text: 'pong' }] })
  await client.close()

  t.match((await ping({ ...authorized, 'X-Svc-Mcp-Fail': 'wrong-id' })).answer, { id: 1001 })
  t.equal((await ping({ ...authorized, 'X-Svc-Fail': '503' })).status, 503)
  const captured = await until(async () => {
    const { requests } = (await (await fetch(`${url}/_svc/requests?session=ten`)).json()) as { requests: Json[] }
    return requests.length >= 5 ? requests : null
  })
  t.ok(captured.every(request => String(request.path) === '/mcp/servers/ten'))
  const metrics = await (await fetch(`${url}/_svc/metrics`)).text()
  t.match(metrics, /svc_mcp_bridge_calls_total\{server="ten",outcome="ok"\} [1-9]/)
  t.match(metrics, /svc_faults_injected_total\{[^}]*kind="mcp"[^}]*\} 1/)
})
