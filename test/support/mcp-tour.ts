/** Uses everything that a server offers, with an official client of any major version, protocol version and transport. */
import type { Test } from 'tap'
import { type Json, items } from './mcp.ts'

/** The common interface of the clients; results are checked as JSON. */
export interface TourClient {
  /** Negotiated protocol version. */
  version: string
  /** The client drops the progress handler of a call before it reads progress that arrived in the same packet as the response. */
  missesLastProgress?: boolean
  list(what: 'tools' | 'prompts' | 'resources' | 'resourceTemplates'): Promise<unknown>
  callTool(
    name: string,
    args: Record<string, unknown>,
    options?: { onprogress?: (progress: { progress: number; total?: number }) => void; signal?: AbortSignal },
  ): Promise<unknown>
  readResource(uri: string): Promise<unknown>
  getPrompt(name: string, args: Record<string, string>): Promise<unknown>
  complete(params: {
    ref: { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string }
    argument: { name: string; value: string }
  }): Promise<unknown>
}

/** Arguments that make every tool succeed. */
const TOOL_ARGUMENTS: [string, Record<string, unknown>, object][] = [
  ['echo', { message: 'hi' }, { content: [{ type: 'text', text: 'hi' }] }],
  ['add', { a: 2, b: 3 }, { content: [{ text: '5' }] }],
  ['calculate', { expression: '2*(3+4)' }, { content: [{ text: '2*(3+4) = 14' }] }],
  ['get_weather', { city: 'São Paulo' }, { content: [{ text: /São Paulo/ }] }],
  ['get_time', { timezone: 'Europe/Lisbon' }, { content: [{ text: /Europe\/Lisbon/ }] }],
  ['lookup_customer', { customer_id: 'u3' }, { content: [{ text: /Carol/ }] }],
  ['search_orders', { status: 'shipped' }, { content: [{ text: /^o2/ }] }],
  ['cancel_order', { order_id: 'o8' }, { content: [{ text: /o8/ }] }],
  ['slow_task', { duration_ms: 5, steps: 2 }, { content: [{ text: /2 steps/ }] }],
  ['large_output', { kb: 1 }, { content: [{ type: 'text' }] }],
  ['generate_image', { prompt: 'x' }, { content: [{ type: 'image', mimeType: 'image/png' }, { type: 'text' }] }],
  ['prompt_injection_demo', {}, { content: [{ text: /svc test data/ }, { text: /Ignore/ }] }],
  ['sample_llm', { prompt: 'capital?' }, { content: [{ text: 'Client LLM (test-model) answered: Paris' }] }],
  ['inspect_request', {}, { content: [{ text: /clientIp/ }] }],
]

/** Handlers for the server's requests to the client. */
export const ELICITED = { action: 'accept' as const, content: { confirm: true, comment: 'go' } }
export const SAMPLED = {
  role: 'assistant' as const,
  model: 'test-model',
  content: { type: 'text' as const, text: 'Paris' },
}

/** Lists, calls, reads, gets and completes everything; the client validates structured results and shapes. */
export async function tour(t: Test, client: TourClient): Promise<void> {
  const { version } = client
  const names = async (what: Parameters<TourClient['list']>[0], member = 'name') =>
    items(((await client.list(what)) as Json)[what]).map(item => String(item[member]))
  const tools = await names('tools')
  t.equal(tools.length, 18)
  for (const [name, args, result] of TOOL_ARGUMENTS)
    t.match(await client.callTool(name, args), result, `${version} ${name}`)
  t.match(
    await client.callTool('elicit_confirmation', {}),
    {
      content: [
        { text: version >= '2025-06-18' ? 'User confirmed: deploy to production. Comment: go' : /elicitation/ },
      ],
    },
    version,
  )
  t.match(await client.callTool('fail', {}), { isError: true })
  t.match(await client.callTool('fetch_resource_link', {}), {
    content: [{ type: 'text' }, { type: version >= '2025-06-18' ? 'resource_link' : 'resource' }],
  })
  await t.rejects(client.callTool('throw', { code: -32050, message: 'as asked' }), { code: -32050 })
  await t.rejects(client.callTool('nothing', {}), { code: -32602 })
  t.match(await client.callTool('add', { a: 'x' }), { isError: true })

  for (const uri of [...(await names('resources', 'uri')), 'svc://customers/u1', 'svc://weather/Tokyo'])
    t.match(await client.readResource(uri), { contents: [{ uri }] }, uri)
  t.strictSame(await names('resourceTemplates', 'uriTemplate'), ['svc://customers/{id}', 'svc://weather/{city}'])
  // One client version reports the older code as the newer one.
  await t.rejects(client.readResource('svc://nothing'), { message: /Resource not found: svc:\/\/nothing/ })

  t.strictSame(await names('prompts'), ['summarize', 'code_review', 'incident_report'])
  t.match(await client.getPrompt('summarize', { text: 'a' }), { messages: [{ role: 'user' }] })
  t.match(await client.getPrompt('code_review', { code: 'a' }), { messages: [{ role: 'user' }, { role: 'assistant' }] })
  t.match(await client.getPrompt('incident_report', { service: 'a' }), {
    messages: [{ role: 'user' }, { content: { type: 'resource' } }],
  })

  if (version >= '2025-03-26') {
    t.match(
      await client.complete({
        ref: { type: 'ref/prompt', name: 'code_review' },
        argument: { name: 'language', value: 'py' },
      }),
      { completion: { values: ['python'] } },
    )
    t.match(
      await client.complete({
        ref: { type: 'ref/resource', uri: 'svc://weather/{city}' },
        argument: { name: 'city', value: 'be' },
      }),
      { completion: { values: ['Berlin'] } },
    )
  }

  const progress: number[] = []
  await client.callTool(
    'slow_task',
    { duration_ms: 20, steps: 3 },
    { onprogress: step => progress.push(step.progress) },
  )
  t.strictSame(
    client.missesLastProgress ? progress.slice(0, 2) : progress,
    client.missesLastProgress ? [1, 2] : [1, 2, 3],
    `${version} progress`,
  )
  const cancel = new AbortController()
  await t.rejects(
    client.callTool(
      'slow_task',
      { duration_ms: 60_000, steps: 1000 / 10 },
      { signal: cancel.signal, onprogress: () => cancel.abort() },
    ),
  )
  t.match(
    await client.callTool('echo', { message: 'after' }),
    { content: [{ text: 'after' }] },
    'a cancelled call leaves the rest alone',
  )
}
