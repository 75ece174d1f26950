/** The official client 2.x, unmodified: stateless and legacy revisions, detected and pinned. */
import t from 'tap'
import { Client, StreamableHTTPClientTransport, type ClientOptions } from '@modelcontextprotocol/client'
import { ELICITED, SAMPLED, tour, type TourClient } from '../support/mcp-tour.ts'
import { serve } from '../support/server.ts'

// Starting and stopping dozens of servers takes long on a busy machine.
t.setTimeout(600_000)

async function connect(url: string, options: ClientOptions = {}): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities: { elicitation: {}, sampling: {}, roots: {} }, ...options },
  )
  client.setRequestHandler('elicitation/create', () => ELICITED)
  client.setRequestHandler('sampling/createMessage', () => SAMPLED)
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///work' }] }))
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  return client
}

function guide(client: Client): TourClient {
  return {
    version: client.getNegotiatedProtocolVersion() ?? '',
    list: what =>
      ({
        tools: () => client.listTools(),
        prompts: () => client.listPrompts(),
        resources: () => client.listResources(),
        resourceTemplates: () => client.listResourceTemplates(),
      })[what](),
    callTool: (name, args, options) => client.callTool({ name, arguments: args }, options),
    readResource: uri => client.readResource({ uri }),
    getPrompt: (name, args) => client.getPrompt({ name, arguments: args }),
    complete: params => client.complete(params),
  }
}

t.test('uses the stateless revision, detected and pinned [MCP-38]', async t => {
  const { url } = await serve(t)
  for (const mode of ['auto', { pin: '2026-07-28' }] as const) {
    const client = await connect(`${url}/mcp`, { versionNegotiation: { mode } })
    t.equal(client.getNegotiatedProtocolVersion(), '2026-07-28')
    t.equal(client.getServerVersion()?.name, 'svc-mcp')
    await tour(t, guide(client))
    await client.close()
  }
})

t.test('uses a legacy revision [MCP-38]', async t => {
  const { url } = await serve(t)
  const client = await connect(`${url}/mcp`, { versionNegotiation: { mode: 'legacy' } })
  t.equal(client.getNegotiatedProtocolVersion(), '2025-11-25')
  await tour(t, guide(client))
  await client.close()
})

t.test('answers questions over several rounds, and listens [MCP-10, MCP-11, MCP-38]', async t => {
  const server = await serve(t, { env: { SVC_MCP_CLOCK_TICK_SECS: '1' } })
  const client = await connect(`${server.url}/mcp/servers/conformance`, { versionNegotiation: { mode: 'auto' } })
  t.match(await client.callTool({ name: 'test_input_required_result_multi_round', arguments: {} }), {
    content: [{ text: /likes/ }],
  })
  t.match(await client.callTool({ name: 'test_input_required_result_multiple_inputs', arguments: {} }), {
    content: [{ text: /Paris .* roots: file:\/\/\/work/ }],
  })
  t.match(await client.getPrompt({ name: 'test_input_required_result_prompt', arguments: {} }), {
    messages: [{ content: { text: /context/ } }],
  })
  t.match(
    await client.callTool({ name: 'test_header_routed', arguments: { region: 'Zürich' } }),
    { content: [{ text: 'Routed to Zürich.' }] },
    'the client mirrors arguments into headers',
  )
  const changed = new Promise<true>(resolve =>
    client.setNotificationHandler('notifications/tools/list_changed', () => resolve(true)),
  )
  const subscription = await client.listen({ toolsListChanged: true })
  t.strictSame(subscription.honoredFilter, { toolsListChanged: true })
  await client.callTool({ name: 'test_trigger_tool_change', arguments: {} })
  t.ok(await changed)
  await subscription.close()
  t.equal(await subscription.closed, 'local')

  const watcher = await connect(`${server.url}/mcp`, { versionNegotiation: { mode: 'auto' } })
  const updated = new Promise(resolve =>
    watcher.setNotificationHandler('notifications/resources/updated', ({ params }) => resolve(params.uri)),
  )
  const clock = await watcher.listen({ resourceSubscriptions: ['svc://clock'] })
  t.equal(await updated, 'svc://clock')
  await server.stop()
  t.equal(await clock.closed, 'graceful', 'the stream ends with a result')
  await Promise.all([client.close(), watcher.close()])
})

t.test('a client without a capability gets the error that names it [MCP-6, MCP-38]', async t => {
  const { url } = await serve(t)
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)))
  await t.rejects(client.callTool({ name: 'sample_llm', arguments: { prompt: 'x', require: true } }), { code: -32021 })
  t.match(await client.callTool({ name: 'sample_llm', arguments: { prompt: 'x' } }), {
    isError: false,
    content: [{ text: /sampling/ }],
  })
  await client.close()
})
