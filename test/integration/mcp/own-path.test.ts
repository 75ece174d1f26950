/** Servers of plugins at paths of their own, with content that depends on other plugins. */
import t from 'tap'
import { pluginFolder } from '../../support/plugins.ts'
import { call, callTool, items, openSession } from '../../support/mcp.ts'
import { serve } from '../../support/server.ts'

const LOUNGE = `import { definePlugin } from 'svc/plugin'
export default definePlugin({
  title: 'Lounge', paths: ['/lounge'], buildsOn: ['mcp'],
  register(app, svc) {
    const servers = svc.use('mcp.servers')
    const text = words => ({ content: [{ type: 'text', text: words }] })
    servers.server({
      name: 'lounge', title: 'Lounge', path: '/lounge/mcp', app, auth: 'oauth', issuer: 'full', filterByScope: true, maxSessions: 1,
      callerScopes: request => String(request.headers['x-scopes'] ?? '').split(','),
      complete: own => own.tool({ name: 'late', inputSchema: { type: 'object' }, servers: ['lounge'], call: (_, { http }) => text(svc.http.clientIp(http.request)) }),
    })
    servers.server({ name: 'open-lounge', title: 'Open lounge', path: '/lounge/open', app, tools: ['echo'] })
    servers.tool({ name: 'vip', scope: 'vip', inputSchema: { type: 'object' }, servers: ['lounge'], call: () => text('vip') })
    servers.method('open-lounge', 'tools/call', ({ name }) => text('replaced ' + name))
    let message = ''
    try { servers.server({ name: 'no-app', title: 'No app', path: '/lounge/none' }) } catch (error) { message = error.message }
    app.get('/lounge/refused', () => message)
  },
})`

t.test('a server at a path of its own [MCP-26]', async t => {
  const { folder } = pluginFolder(t, { lounge: LOUNGE })
  const { url } = await serve(t, { folders: [folder] })
  const open = `${url}/lounge/open`
  t.strictSame(
    items((await call(open, 'tools/list')).answer.result?.tools).map(({ name }) => String(name)),
    ['echo'],
  )
  t.match((await callTool(open, 'echo', { message: 'x' })).answer.result, { content: [{ text: 'replaced echo' }] })
  t.match((await openSession(open)).opened.answer.result, { serverInfo: { name: 'svc-mcp-open-lounge' } })
  t.equal((await call(`${url}/mcp/servers/open-lounge`, 'tools/list')).status, 404, 'nowhere else')
  t.match(await (await fetch(`${url}/lounge/refused`)).text(), /needs "app"/)

  const lounge = `${url}/lounge/mcp`
  const missing = await call(lounge, 'tools/list')
  const metadata = `${url}/.well-known/oauth-protected-resource/lounge/mcp`
  t.equal(missing.status, 401)
  t.match(missing.headers.get('www-authenticate'), `resource_metadata="${metadata}"`)
  t.match(await (await fetch(metadata)).json(), { resource: lounge, authorization_servers: [`${url}/oauth/i/full`] })
  const response = await fetch(`${url}/oauth/i/full/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'svc',
      client_secret: 'svc-secret',
      resource: lounge,
    }),
  })
  const { access_token } = (await response.json()) as { access_token: string }
  const headers = { Authorization: `Bearer ${access_token}` }
  const names = async (more: Record<string, string>) =>
    items((await call(lounge, 'tools/list', {}, { headers: { ...headers, ...more } })).answer.result?.tools).map(
      ({ name }) => String(name),
    )
  t.strictSame(await names({}), ['late'])
  t.strictSame(await names({ 'X-Scopes': 'vip' }), ['vip', 'late'])
  t.equal((await callTool(lounge, 'vip', {}, { headers })).status, 403)
  t.match((await callTool(lounge, 'late', {}, { headers })).answer.result, { content: [{ text: '127.0.0.1' }] })
  const first = await openSession(lounge, { headers })
  const second = await openSession(lounge, { headers })
  t.strictSame([(await first.request('ping')).status, (await second.request('ping')).status], [404, 200])

  const { servers } = (await (await fetch(`${url}/mcp/servers`)).json()) as { servers: { name: string; url: string }[] }
  t.equal(servers.find(({ name }) => name === 'lounge')?.url, lounge)
})
