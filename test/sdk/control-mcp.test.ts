/** Agents that know nothing but `/_svc/mcp`: scripted official clients set up a fault, verify what happened, and reset. */
import t from 'tap'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { serve } from '../support/server.ts'

/** The part of both clients that the agent uses. */
interface Agent {
  listTools(): Promise<{ tools: { name: string }[] }>
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>
  getPrompt(prompt: { name: string; arguments: Record<string, string> }): Promise<{ messages: unknown[] }>
  close(): Promise<void>
}

/** Connects an agent to the control plane at this URL. */
const AGENTS: Record<string, (url: string) => Promise<Agent>> = {
  async 'client 2.x, stateless'(url) {
    const client = new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
    await client.connect(new StreamableHTTPClientTransport(new URL(url)))
    return client
  },
  async 'client 1.x, in a session'(url) {
    const client = new OlderClient({ name: 'agent', version: '1' })
    await client.connect(new OlderTransport(new URL(url)))
    return client
  },
}

for (const [name, connect] of Object.entries(AGENTS)) {
  t.test(`an agent tests a gateway by tools alone: ${name} [MCPX-25]`, async t => {
    const { url } = await serve(t)
    const agent = await connect(`${url}/_svc/mcp`)
    const session = 'agent-run'
    const run = async (tool: string, args: Record<string, unknown> = {}) => {
      const result = (await agent.callTool({ name: tool, arguments: args })) as {
        isError?: boolean
        structuredContent: { status: number; body: Record<string, unknown> }
      }
      return { ...result.structuredContent, isError: result.isError === true }
    }
    const send = () =>
      fetch(`${url}/echo/orders`, { headers: { 'X-Svc-Session': session } }).then(({ status }) => status)

    t.ok((await agent.listTools()).tools.some(tool => tool.name === 'put_rule'))
    t.equal((await agent.getPrompt({ name: 'diagnose_gateway', arguments: { session } })).messages.length, 1)
    t.match(await run('get_status'), { status: 200, body: { healthy: true } })

    const rule = { session, name: 'fail-once', match: { path: '/echo/orders' }, then: [{ fail: 503, times: 1 }] }
    t.match(await run('put_rule', rule), { status: 201, isError: false })
    t.strictSame([await send(), await send()], [503, 200], 'traffic meets the fault')

    const match = { path: '/echo/orders' }
    t.match(await run('verify_requests', { session, match, exactly: 2 }), {
      status: 200,
      body: { verified: true, count: 2 },
    })
    t.match(await run('verify_requests', { session, match, exactly: 3 }), {
      status: 409,
      isError: true,
      body: { verified: false, count: 2 },
    })
    t.match(await run('list_requests', { session, rule: 'fail-once', wait_for: 1 }), {
      body: { count: 1, satisfied: true, requests: [{ status: 503 }] },
    })

    t.match(await run('reset', { session }), {
      status: 200,
      body: { scope: 'session', removed: { rules: 1, requests: 2 } },
    })
    t.match(await run('list_rules', { session }), { body: { count: 0 } })
    t.equal(await send(), 200)
    await agent.close()
  })
}
