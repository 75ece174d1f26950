/** The command line of the official Inspector, unmodified. */
import t from 'tap'
import { commandOf, runWithNode22 } from './support/node-22.ts'
import { items, type Json } from '../support/mcp.ts'
import { serve } from '../support/server.ts'

// Starting and stopping dozens of servers takes long on a busy machine.
t.setTimeout(600_000)

const inspector = commandOf('@modelcontextprotocol/inspector', 'mcp-inspector')

/** The JSON that the Inspector prints. */
async function inspect(url: string, ...args: string[]): Promise<Json> {
  const { code, output, errors } = await runWithNode22(inspector, [
    '--cli',
    url,
    '--transport',
    url.endsWith('/sse') ? 'sse' : 'http',
    '--quiet',
    ...args,
  ])
  if (code !== 0) throw new Error(`exit code ${code}: ${errors}`)
  return JSON.parse(output) as Json
}

t.test('lists, calls, reads and gets in stateless and legacy revisions and over HTTP+SSE [MCP-39]', async t => {
  const { url } = await serve(t)
  for (const [endpoint, ...revision] of [
    [`${url}/mcp`, '--protocol-era', 'modern'], // language: the name of the option
    [`${url}/mcp`, '--protocol-era', 'legacy'], // language: the name of the option
    [`${url}/mcp/sse`],
  ] as const) {
    const name = `${endpoint} ${revision.join(' ')}`
    t.equal(items((await inspect(endpoint, ...revision, '--method', 'tools/list')).tools).length, 18, name)
    t.match(
      await inspect(
        endpoint,
        ...revision,
        '--method',
        'tools/call',
        '--tool-name',
        'get_weather',
        '--tool-arg',
        'city=Lisbon',
      ),
      { structuredContent: { city: 'Lisbon' } },
      name,
    )
    t.match(
      await inspect(endpoint, ...revision, '--method', 'resources/read', '--uri', 'svc://customers/u1'),
      { contents: [{ uri: 'svc://customers/u1' }] },
      name,
    )
    t.match(
      await inspect(
        endpoint,
        ...revision,
        '--method',
        'prompts/get',
        '--prompt-name',
        'summarize',
        '--prompt-args',
        'text=hello',
      ),
      { messages: [{ content: { text: /hello/ } }] },
      name,
    )
  }
})

t.test('finds no tool schema that other clients would reject [MCP-39]', async t => {
  const { url } = await serve(t)
  for (const server of ['/mcp', '/mcp/servers/crm']) {
    const { code, errors } = await runWithNode22(inspector, [
      '--cli',
      url + server,
      '--transport',
      'http',
      '--strict',
      '--method',
      'tools/list',
    ])
    t.equal(code, 0, server)
    t.notMatch(errors, /Warning|Error/)
  }
  t.match(await inspect(`${url}/mcp/apikey`, '--header', 'X-API-Key: k', '--method', 'resources/templates/list'), {
    resourceTemplates: [{ name: 'customer' }, { name: 'weather' }],
  })
})
