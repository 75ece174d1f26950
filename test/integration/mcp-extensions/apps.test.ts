/** Apps: tools with a page that a host can show. */
import t from 'tap'
import { createContext, runInContext } from 'node:vm'
import { call, callTool, items, type Json, openSession } from '../../support/mcp.ts'
import { pluginFolder } from '../../support/plugins.ts'
import { serve } from '../../support/server.ts'

t.setTimeout(600_000)

const UI = 'io.modelcontextprotocol/ui'
const PAGE = 'ui://weather/view.html'

t.test('tools name their page, which is a resource [MCPX-10]', async t => {
  const { url } = await serve(t)
  const server = `${url}/mcp/servers/apps`
  t.match((await call(server, 'server/discover')).answer.result?.capabilities, { extensions: { [UI]: {} } })
  const session = await openSession(server)
  t.match(session.opened.answer.result?.capabilities, { extensions: { [UI]: {} } })
  const tools = items((await call(server, 'tools/list')).answer.result?.tools)
  t.strictSame(
    tools.map(({ name, _meta }) => [name, _meta] as unknown),
    [
      ['show_weather', { ui: { resourceUri: PAGE, visibility: ['model', 'app'] }, 'ui/resourceUri': PAGE }],
      ['refresh_weather', { ui: { resourceUri: PAGE, visibility: ['app'] }, 'ui/resourceUri': PAGE }],
    ],
  )
  const ui = { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true }
  const [resource] = items((await call(server, 'resources/list')).answer.result?.resources)
  t.match(resource, { uri: PAGE, mimeType: 'text/html;profile=mcp-app', _meta: { ui } })
  const [contents] = items((await call(server, 'resources/read', { uri: PAGE })).answer.result?.contents)
  t.match(contents, { uri: PAGE, mimeType: 'text/html;profile=mcp-app', _meta: { ui } })
  t.equal(Buffer.byteLength(String(contents?.text)), resource?.size as unknown)
  t.notMatch(String(contents?.text), /https?:|src=|@import|url\(/, 'the page loads nothing')
  const shown = (await callTool(server, 'show_weather', { city: 'Utrecht' }, noRouting)).answer.result as Json
  t.match(shown, { structuredContent: { city: 'Utrecht', unit: 'C' }, content: [{ type: 'text', text: /^Utrecht: / }] })
  t.match((await callTool(server, 'refresh_weather', { city: 'Utrecht' }, noRouting)).answer.result, { isError: false })
  const old = await openSession(server, { version: '2025-03-26' })
  t.notOk('_meta' in (items((await old.request('tools/list')).answer.result?.tools)[0] ?? {}), 'older revisions')
})

/** The argument `city` has no header here. */
const noRouting = { headers: {} }

t.test('the page talks to its host as the extension says [MCPX-10]', async t => {
  const { url } = await serve(t)
  const [contents] = items(
    (await call(`${url}/mcp/servers/apps`, 'resources/read', { uri: PAGE })).answer.result?.contents,
  )
  const [, script = ''] = /<script>([\s\S]*)<\/script>/.exec(String(contents?.text)) ?? []
  const sent: Json[] = []
  const host = { postMessage: (message: Json) => void sent.push(message) }
  const listeners: Record<string, (event: unknown) => void> = {}
  const elements: Record<string, { textContent?: string; disabled?: boolean; click?: () => void }> = {}
  const element = (id: string) =>
    (elements[id] ??= {
      addEventListener: (_: string, listener: () => void) => Object.assign(elements[id]!, { click: listener }),
    } as object)
  const document = { getElementById: element, documentElement: { scrollWidth: 300, scrollHeight: 200 } }
  const window = { parent: host, addEventListener: (name: string, run: () => void) => (listeners[name] = run) }
  runInContext(script, createContext({ window, document }))
  const receive = (data: unknown, source: unknown = host) => listeners.message!({ data, source })
  t.match(sent[0], { id: 1, method: 'ui/initialize', params: { appInfo: {}, appCapabilities: {} } })
  receive({ jsonrpc: '2.0', id: 1, result: {} }, {})
  await Promise.resolve()
  t.equal(sent.length, 1, 'messages of other windows are ignored')
  receive({ jsonrpc: '2.0', id: 1, result: { protocolVersion: '2026-01-26' } })
  await new Promise(resolve => setImmediate(resolve))
  t.match(sent[1], { method: 'ui/notifications/initialized' })
  receive({ jsonrpc: '2.0', method: 'ui/notifications/tool-input', params: { arguments: { city: 'Oslo' } } })
  t.equal(elements.city?.textContent, 'Oslo')
  const structuredContent = { city: 'Oslo', temperature: 4, unit: 'C', conditions: 'windy' }
  receive({ jsonrpc: '2.0', method: 'ui/notifications/tool-result', params: { structuredContent } })
  t.match([elements.temperature?.textContent, elements.conditions?.textContent], ['4 °C', 'windy'])
  t.match(sent[2], { method: 'ui/notifications/size-changed', params: { width: 300, height: 200 } })
  elements.refresh?.click?.()
  t.match(sent[3], { method: 'tools/call', params: { name: 'refresh_weather', arguments: { city: 'Oslo' } } })
  receive({ jsonrpc: '2.0', id: sent[3]?.id, result: { structuredContent: { ...structuredContent, temperature: 5 } } })
  await new Promise(resolve => setImmediate(resolve))
  t.equal(elements.temperature?.textContent, '5 °C')
  receive({ jsonrpc: '2.0', id: 'p', method: 'ping' })
  t.match(sent.at(-1), { id: 'p', result: {} })
})

t.test('a tool whose page is missing is a load error [MCPX-10]', async t => {
  const { folder } = pluginFolder(t, {
    lost: `import { definePlugin } from 'svc/plugin'
export default definePlugin({
  title: 'Lost', paths: [], buildsOn: ['mcp'],
  register(app, svc) {
    const mcp = svc.use('mcp.servers')
    mcp.server({ name: 'lost', title: 'Lost' })
    mcp.tool({ name: 'lost_page', inputSchema: { type: 'object' }, servers: ['lost'], meta: { ui: { resourceUri: 'ui://none' } }, call: () => ({ content: [] }) })
  },
})`,
  })
  const { url } = await serve(t, { env: { SVC_PLUGINS_DIR: folder } })
  const { load_errors: errors } = (await (await fetch(`${url}/_svc/plugins`)).json()) as {
    load_errors: { message: string }[]
  }
  t.match(
    errors.map(({ message }) => message),
    ['the tool lost_page of the MCP server lost names a page that the server does not have'],
  )
})
