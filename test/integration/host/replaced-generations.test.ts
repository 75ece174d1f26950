/** Replaced generations are garbage-collected, whatever was opened in them. Takes long: many reloads. */
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { usedBytes } from '../../support/heap.ts'
import { serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { echoClient } from '../protocols/grpc-client.ts'
import { Metadata } from '@grpc/grpc-js'

/** The running generation, a draining one, and some that are not collected yet. */
const MAX_IN_MEMORY = 3

/** An action that starts and ends in a generation, and may leave references in state that survives reloads. */
type Visit = (server: TestServer) => Promise<void>
/** Plugins without which an action is not possible. */
const PLUGINS: [beginning: string, plugins: string[]][] = [
  ['an MCP session', ['mcp']],
  ['a legacy MCP session', ['mcp']],
  ['a streamed A2A task', ['a2a']],
  ['a WebSocket', ['websocket']],
  ['a gRPC stream', ['grpc']],
  ['a feed of the inspector', ['echo']],
  ['a feed of a bin', ['bins']],
  ['a completion', ['llm-openai']],
  ['a GraphQL subscription', ['graphql']],
]

const json = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  body: JSON.stringify(body),
  headers: { 'Content-Type': 'application/json', ...headers },
})

/** Opens an event stream, reads its head and disconnects. */
async function readAndLeave(url: string, init: RequestInit = {}): Promise<void> {
  const leaving = new AbortController()
  const response = await fetch(url, {
    ...init,
    signal: leaving.signal,
    headers: { Accept: 'text/event-stream', ...(init.headers as Record<string, string>) },
  })
  await response.body?.getReader().read()
  leaving.abort()
}

async function mcpSession(server: TestServer): Promise<string> {
  const init = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
  }
  const response = await fetch(`${server.url}/mcp`, json(init, { Accept: 'application/json, text/event-stream' }))
  await response.text()
  return response.headers.get('mcp-session-id')!
}

const VISITS: Record<string, Visit> = {
  'an MCP session whose GET stream was closed': async server => {
    const session = await mcpSession(server)
    await readAndLeave(`${server.url}/mcp`, {
      headers: { 'Mcp-Session-Id': session, 'MCP-Protocol-Version': '2025-11-25' },
    })
  },
  'an MCP session that called a tool on a stream': async server => {
    const session = await mcpSession(server)
    const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: 2 } } }
    await (
      await fetch(
        `${server.url}/mcp`,
        json(call, {
          Accept: 'text/event-stream, application/json',
          'Mcp-Session-Id': session,
          'MCP-Protocol-Version': '2025-11-25',
        }),
      )
    ).text()
  },
  'a legacy MCP session': server => readAndLeave(`${server.url}/mcp/sse`),
  'a streamed A2A task': async server => {
    const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'hello' }] }
    await readAndLeave(
      `${server.url}/a2a/echo`,
      json({ jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage', params: { message } }, { 'A2A-Version': '1.0' }),
    )
  },
  'a WebSocket': server =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws`)
      socket
        .on('open', () => socket.send('hello'))
        .on('message', () => socket.close())
        .on('close', () => resolve())
        .on('error', reject)
    }),
  'a gRPC stream': server =>
    new Promise(resolve => {
      const client = echoClient(server.grpcAddress)
      const stream = client.BidiStream(new Metadata())
      stream
        .on('data', () => stream.cancel())
        .on('error', () => {})
        .on('status', () => {
          client.close()
          resolve()
        })
      stream.write({ message: 'hello' })
    }),
  'a feed of the inspector': server => readAndLeave(`${server.url}/_svc/requests/stream`),
  'a feed of a bin': async server => {
    const { id } = (await (await fetch(`${server.url}/bin`, { method: 'POST' })).json()) as { id: string }
    await fetch(`${server.url}/bin/${id}`)
    await readAndLeave(`${server.url}/bin/${id}/stream`)
  },
  'a completion that streams': async server => {
    await (
      await fetch(
        `${server.url}/ai/v1/chat/completions`,
        json({ model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: 'hello' }] }),
      )
    ).text()
  },
  'a GraphQL subscription': server =>
    readAndLeave(`${server.url}/graphql`, json({ query: 'subscription { countdown(from: 3) }' })),
}

async function generationsInMemory(server: TestServer): Promise<number> {
  usedBytes()
  await new Promise(setImmediate)
  usedBytes()
  return server.host.generationCounts.inMemory
}

/** Reloads six times, with visits before each, and looks at what is left. */
async function expectCollected(t: Test, server: TestServer, visits: readonly Visit[]): Promise<void> {
  for (let round = 0; round < 6; round++) {
    for (const visit of visits) await visit(server)
    await server.host.reload({ force: true })
  }
  await until(
    async () => (await generationsInMemory(server)) <= MAX_IN_MEMORY && server.host.generationCounts.open === 1,
    'replaced generations are collected',
  ).catch(() => {})
  const { open, inMemory } = server.host.generationCounts
  t.equal(open, 1, 'all others have drained')
  t.ok(inMemory <= MAX_IN_MEMORY, `${inMemory} generations in memory after 6 reloads`)
  const status = await (await fetch(`${server.url}/_svc/status`)).json()
  t.match(status, { plugins: { generation: 7, generations_open: 1, generations_in_memory: Number } })
}

for (const [what, visit] of Object.entries(VISITS)) {
  t.test(`${what} does not keep a generation in memory [SEC-6]`, async t => {
    const [, plugins] = PLUGINS.find(([beginning]) => what.startsWith(beginning))!
    await expectCollected(t, await serve(t, { plugins, env: { SVC_LOG_LEVEL: 'off' } }), [visit])
  })
}

t.test('nothing of all plugins together keeps a generation in memory [SEC-6]', async t => {
  await expectCollected(t, await serve(t, { env: { SVC_LOG_LEVEL: 'off' } }), Object.values(VISITS))
})
