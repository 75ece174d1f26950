/** The official client 1.x, unmodified: every legacy revision, both transports. */
import t from 'tap'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { HANDSHAKE_VERSIONS } from '../support/mcp.ts'
import { ELICITED, SAMPLED, tour, type TourClient } from '../support/mcp-tour.ts'
import { serve } from '../support/server.ts'
import { until } from '../support/until.ts'

// Starting and stopping dozens of servers takes long on a busy machine.
t.setTimeout(600_000)

/** The client requests its newest revision; this replaces it by another in the request. */
function asking(version: string): typeof fetch {
  return (input, init) =>
    fetch(
      input,
      typeof init?.body === 'string' && init.body.includes('"initialize"')
        ? { ...init, body: init.body.replace(/"protocolVersion":"[^"]+"/, `"protocolVersion":"${version}"`) }
        : init,
    )
}

async function connect(transport: Transport): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities: { elicitation: {}, sampling: {}, roots: {} } },
  )
  client.setRequestHandler(ElicitRequestSchema, () => ELICITED)
  client.setRequestHandler(CreateMessageRequestSchema, () => SAMPLED)
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///work' }] }))
  await client.connect(transport)
  return client
}

function guide(client: Client, version: string): TourClient {
  return {
    version,
    list: what =>
      ({
        tools: () => client.listTools(),
        prompts: () => client.listPrompts(),
        resources: () => client.listResources(),
        resourceTemplates: () => client.listResourceTemplates(),
      })[what](),
    callTool: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options),
    readResource: uri => client.readResource({ uri }),
    getPrompt: (name, args) => client.getPrompt({ name, arguments: args }),
    complete: params => client.complete(params),
  }
}

t.test('uses every legacy revision over Streamable HTTP [MCP-17, MCP-37]', async t => {
  const { url } = await serve(t)
  for (const version of HANDSHAKE_VERSIONS) {
    const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { fetch: asking(version) })
    const client = await connect(transport)
    t.equal(transport.protocolVersion, version)
    t.equal(client.getServerVersion()?.name, 'svc-mcp')
    await tour(t, guide(client, version))
    const { sessionId } = transport
    await transport.terminateSession()
    t.equal(
      (await fetch(`${url}/mcp`, { method: 'DELETE', headers: { 'Mcp-Session-Id': sessionId ?? '' } })).status,
      404,
      'the session has ended',
    )
    await client.close()
  }
})

t.test('uses HTTP+SSE [MCP-16, MCP-37]', async t => {
  const { url } = await serve(t)
  for (const version of ['2024-11-05', '2025-11-25']) {
    const client = await connect(new SSEClientTransport(new URL(`${url}/mcp/sse`), { fetch: asking(version) }))
    await tour(t, { ...guide(client, version), missesLastProgress: true })
    await client.close()
  }
})

t.test('subscribes, is notified of changes, sets the log level, pings [MCP-37]', async t => {
  const { url } = await serve(t, { env: { SVC_MCP_CLOCK_TICK_SECS: '1' } })
  const transports: [string, () => Transport][] = [
    ['http', () => new StreamableHTTPClientTransport(new URL(`${url}/mcp`))],
    ['legacy', () => new SSEClientTransport(new URL(`${url}/mcp/sse`))],
  ]
  for (const [name, make] of transports) {
    const client = await connect(make())
    const logs: unknown[] = []
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logs.push(params.level))
    const updated = new Promise(resolve =>
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => resolve(params.uri)),
    )
    await client.ping()
    await client.setLoggingLevel('info')
    await client.callTool({ name: 'slow_task', arguments: { duration_ms: 1, steps: 2 } })
    t.strictSame(logs, ['info', 'info', 'info'], name)
    await client.subscribeResource({ uri: 'svc://clock' })
    t.equal(await updated, 'svc://clock', name)
    await client.unsubscribeResource({ uri: 'svc://clock' })
    await client.close()
  }
  const client = await connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp/servers/conformance`)))
  let changes = 0
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void changes++)
  // The client opens its notification stream asynchronously, without an event.
  await until(async () => {
    await client.callTool({ name: 'test_trigger_tool_change' })
    return changes > 0
  }, 'the news of a changed list')
  t.match(await client.callTool({ name: 'test_input_required_result_list_roots' }), {
    content: [{ text: 'Roots: file:///work' }],
  })
  t.match(
    await client.callTool({ name: 'test_reconnection' }),
    { isError: false },
    'the client comes back for the answer by itself',
  )
  await client.close()
})

t.test('uses the API-key and named servers [MCP-25, MCP-31, MCP-37]', async t => {
  const { url } = await serve(t)
  const keyed = await connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp/apikey`), { requestInit: { headers: { 'X-API-Key': 'k' } } }),
  )
  t.match(await keyed.callTool({ name: 'inspect_request' }), {
    structuredContent: { server: 'apikey', tokenClaims: { sub: 'api-key-client' } },
  })
  await keyed.close()
  for (const name of ['weather', 'crm', 'devtools']) {
    const client = await connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp/servers/${name}`)))
    t.equal(client.getServerVersion()?.name, `svc-mcp-${name}`)
    t.match(await client.callTool({ name: 'inspect_request' }), { structuredContent: { server: name } })
    await client.close()
  }
})
