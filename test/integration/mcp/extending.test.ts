/** An external plugin adds tools, resources, prompts and servers. */
import t from 'tap'
import type { PluginRecord } from '../../../core/contract/plugin.ts'
import { pluginFolder } from '../../support/plugins.ts'
import { call, callTool, items, openSession, textOf } from '../../support/mcp.ts'
import { serve } from '../../support/server.ts'

// Starting and stopping dozens of servers takes long on a busy machine.
t.setTimeout(600_000)

/** The source of a plugin that uses the extension point; `body` can use `servers`. */
const plugin = (body: string) => `import { definePlugin } from 'svc/plugin'
export default definePlugin({
  title: 'Extension', paths: [], buildsOn: ['mcp'],
  register(app, svc) {
    const servers = svc.use('mcp.servers')
    const text = words => ({ content: [{ type: 'text', text: words }] })
    ${body}
  },
})`

t.test('content of plugins is served like the built-in content [MCP-26]', async t => {
  const { folder } = pluginFolder(t, {
    shop: plugin(`
    const inputSchema = { type: 'object', properties: { sku: { type: 'string', 'x-mcp-header': 'Sku' } }, required: ['sku'], additionalProperties: false }
    servers.tool({ name: 'price_of', title: 'Price', description: 'Price of a product', inputSchema, servers: ['default', 'shop'], call: ({ sku }, context) => { context.progress(1, 1); return text('price of ' + sku) } })
    servers.tool({ name: 'breaks', inputSchema: { type: 'object' }, servers: ['shop'], call() { throw new Error('secret detail') } })
    servers.tool({ name: 'asks', inputSchema: { type: 'object' }, servers: ['shop'], async call(args, context) { const { name } = await context.ask({ name: { method: 'elicitation/create', params: { message: 'Name?', requestedSchema: { type: 'object', properties: {} } } } }); return text(name.action) } })
    servers.resource({ uri: 'shop://terms', name: 'terms', mimeType: 'text/plain', servers: ['shop'], read: () => ({ text: 'no returns' }) })
    servers.template({ uriTemplate: 'shop://products/{sku}', name: 'product', servers: ['shop'], exists: ({ sku }) => sku !== 'none', complete: { sku: ['a1', 'a2'] }, read: ({ sku }) => ({ text: sku }) })
    servers.prompt({ name: 'sell', servers: ['shop'], arguments: [{ name: 'sku', required: true, complete: ['a1'] }], get: ({ sku }) => ({ messages: [{ role: 'user', content: { type: 'text', text: 'Sell ' + sku } }] }) })
    servers.server({ name: 'shop', title: 'Shop', tools: ['echo'] })
    servers.tool({ name: 'touch_terms', inputSchema: { type: 'object' }, servers: ['shop'], call() { servers.updated('shop://terms'); return text('touched') } })
  `),
  })
  const server = await serve(t, { env: { SVC_PLUGINS_DIR: folder } })
  const shop = `${server.url}/mcp/servers/shop`
  t.strictSame(items((await call(shop, 'tools/list')).answer.result?.tools).map(tool => tool.name) as unknown[], [
    'echo',
    'price_of',
    'breaks',
    'asks',
    'touch_terms',
  ])
  t.equal(
    textOf(await callTool(shop, 'price_of', { sku: 'a1' }, { headers: { 'Mcp-Param-Sku': 'a1' } })),
    'price of a1',
  )
  t.equal((await callTool(shop, 'price_of', { sku: 'a1' })).answer.error?.code as unknown, -32020)
  t.match((await callTool(`${server.url}/mcp`, 'price_of', {})).answer.result, { isError: true })
  const broken = await callTool(shop, 'breaks')
  t.strictSame([broken.status, broken.answer.error?.code, broken.answer.error?.message] as unknown[], [
    200,
    -32603,
    'Internal error',
  ])
  t.notMatch(broken.text, /secret/)
  t.match(
    server.lines.find(line => line.includes('secret detail')),
    /\bplugin=shop\b/,
    'the reason is in the log, as an error of the plugin',
  )
  t.match((await call(shop, 'resources/read', { uri: 'shop://terms' })).answer.result?.contents, [
    { uri: 'shop://terms', text: 'no returns' },
  ])
  t.match((await call(shop, 'resources/read', { uri: 'shop://products/a%20b' })).answer.result?.contents, [
    { text: 'a b' },
  ])
  t.equal((await call(shop, 'resources/read', { uri: 'shop://products/none' })).answer.error?.code as unknown, -32602)
  t.match((await call(shop, 'prompts/get', { name: 'sell', arguments: { sku: 'a1' } })).answer.result?.messages, [
    { content: { text: 'Sell a1' } },
  ])
  t.strictSame(
    (
      await call(shop, 'completion/complete', {
        ref: { type: 'ref/resource', uri: 'shop://products/{sku}' },
        argument: { name: 'sku', value: 'A' },
      })
    ).answer.result?.completion?.values as unknown,
    ['a1', 'a2'],
  )
  t.equal(
    (await call(`${server.url}/mcp`, 'resources/read', { uri: 'shop://terms' })).answer.error?.code as unknown,
    -32602,
    'other servers do not show it',
  )
  t.match(
    (await call(shop, 'tools/call', { name: 'asks', arguments: {} }, { capabilities: { elicitation: {} } })).answer
      .result,
    { resultType: 'input_required', inputRequests: { name: {} } },
  )
  const session = await openSession(shop)
  const stream = await session.stream()
  await session.request('resources/subscribe', { uri: 'shop://terms' })
  await session.request('tools/call', { name: 'touch_terms' })
  t.match(await stream.message(), { method: 'notifications/resources/updated', params: { uri: 'shop://terms' } })
  stream.close()
})

t.test('an invalid definition fails only its plugin, and names both plugins [MCP-26, MCP-27]', async t => {
  const tool = (name: string, inputSchema = `{ type: 'object' }`) =>
    `servers.tool({ name: '${name}', inputSchema: ${inputSchema}, call: () => text('x') })`
  const { folder } = pluginFolder(t, {
    thief: plugin(tool('echo')),
    squatter: plugin(`servers.server({ name: 'weather', title: 'x' })`),
    'ext-a': plugin(tool('mine')),
    'ext-b': plugin(tool('mine')),
    schemaless: plugin(tool('s1', `{ type: 'array' }`)),
    routing: plugin(tool('s2', `{ type: 'object', properties: { n: { type: 'number', 'x-mcp-header': 'N' } } }`)),
    late: plugin(`svc.whenRegistered(() => { ${tool('late')} })`),
  })
  const server = await serve(t, { env: { SVC_PLUGINS_DIR: folder } })
  const failure = async (name: string) => {
    const record = (await (await fetch(`${server.url}/_svc/plugins/${name}`)).json()) as PluginRecord
    return `${record.state}: ${record.error?.message}`
  }
  t.match(await failure('thief'), /failed: .*"echo" of plugin thief is already registered by plugin mcp/)
  t.match(await failure('squatter'), /failed: .*"weather" of plugin squatter is already registered by plugin mcp/)
  t.match(await failure('ext-b'), /failed: .*"mine" of plugin ext-b is already registered by plugin ext-a/)
  t.match(await failure('schemaless'), /failed: .*"type": "object"/)
  t.match(await failure('routing'), /failed: .*string, integer or boolean/)
  t.match(await failure('late'), /failed: .*too late/)
  t.match(await failure('ext-a'), /^enabled/)
  t.equal(textOf(await callTool(`${server.url}/mcp`, 'mine')), 'x')
  t.equal(textOf(await callTool(`${server.url}/mcp`, 'echo', { message: 'still there' })), 'still there')
})
