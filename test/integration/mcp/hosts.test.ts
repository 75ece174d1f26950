/** Hosts that an MCP server has for itself. */
import t from 'tap'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

const { url, ports } = await serve(t, {
  settings: {
    mcp: {
      servers: [{ name: 'support', title: 'Support desk', auth: 'oauth', issuer: 'full', tools: ['echo'] }],
      listeners: [{ port: 0, name: 'pool', server: 'support' }],
      hosts: [
        { host: 'mcp.example', server: 'default' },
        { host: 'support.example', server: 'support' },
        { host: 'lost.example', server: 'suport' },
      ],
    },
    identity: { hosts: [{ host: 'login.example', issuer: 'full' }] },
  },
})

function initialize(Host: string, path: string, headers: Record<string, string> = {}) {
  return send(url, path, {
    method: 'POST',
    headers: { Host, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    }),
  })
}

const get = (Host: string, path: string) => send(url, path, { headers: { Host } })

async function portOf(name: string): Promise<number> {
  const { listeners } = (await send(url, '/_svc/status')).json<{ listeners: { name: string; port: number }[] }>()
  return listeners.find(listener => listener.name === name)!.port
}

t.test('a server is at /mcp and at the root of its host', async t => {
  for (const path of ['/mcp', '/']) {
    const reply = await initialize('mcp.example', path)
    t.match(reply, { status: 200, headers: { 'x-svc-mcp-server': 'default' }, text: /"serverInfo"/ }, path)
  }
  t.match(await get('mcp.example', '/messages'), { status: 405, headers: { allow: 'POST' } })
})

t.test('other servers and routes are not on the host', async t => {
  for (const path of ['/mcp/protected', '/mcp/servers/support', '/protected', '/echo', '/mcp/.hosts/default/x'])
    t.equal((await get('mcp.example', path)).status, 404, path)
  t.equal((await get('localhost', '/mcp/.hosts/default')).status, 404)
})

t.test('metadata and challenges name the host', async t => {
  const atRoot = await get('support.example', '/.well-known/oauth-protected-resource')
  t.match(atRoot.json(), { resource: 'http://support.example' })
  const atPath = await get('support.example', '/.well-known/oauth-protected-resource/mcp')
  t.match(atPath.json(), { resource: 'http://support.example/mcp' })
  const refused = await initialize('support.example', '/mcp')
  t.match(refused, {
    status: 401,
    headers: { 'www-authenticate': /"http:\/\/support\.example\/\.well-known\/oauth-protected-resource\/mcp"/ },
  })
  t.match(await initialize('support.example', '/'), {
    status: 401,
    headers: { 'www-authenticate': /"http:\/\/support\.example\/\.well-known\/oauth-protected-resource"/ },
  })
})

t.test('a token for the resource of the host is accepted', async t => {
  const { authorization_servers: servers } = (
    await get('support.example', '/.well-known/oauth-protected-resource/mcp')
  ).json<{ authorization_servers: string[] }>()
  t.same(servers, ['http://support.example/oauth/i/full'])
  const metadata = (await get('support.example', '/.well-known/oauth-authorization-server/oauth/i/full')).json<{
    issuer: string
    token_endpoint: string
  }>()
  t.equal(metadata.issuer, servers[0])
  const token = await send(url, new URL(metadata.token_endpoint).pathname, {
    method: 'POST',
    headers: { Host: 'support.example', 'Content-Type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials&client_id=svc&client_secret=svc-secret&scope=mcp:tools&resource=http%3A%2F%2Fsupport.example%2Fmcp',
  })
  const { access_token: accessToken } = token.json<{ access_token: string }>()
  t.type(accessToken, 'string', token.text)
  const reply = await initialize('support.example', '/mcp', { Authorization: `Bearer ${accessToken}` })
  t.equal(reply.status, 200, reply.text)
})

t.test('the list has the hosts, and a wrong entry is a load error', async t => {
  const { servers } = (await get('localhost', '/mcp/servers')).json<{ servers: { name: string; hosts?: object[] }[] }>()
  const { port } = new URL(url)
  t.match(servers.find(({ name }) => name === 'support')!.hosts, [
    {
      host: 'support.example',
      base_url: `https://support.example:${ports.https}`,
      curl: `curl --resolve support.example:${port}:127.0.0.1 http://support.example:${port}/mcp`,
    },
  ])
  const { load_errors: errors } = (await get('localhost', '/_svc/plugins')).json<{
    load_errors: { at: string; message: string }[]
  }>()
  t.match(errors, [{ at: 'mcp.hosts[2].server', message: /unknown MCP server/ }])
})

t.test('a listener serves its server', async t => {
  const own = `http://127.0.0.1:${await portOf('pool')}`
  t.match((await send(own, '/.well-known/oauth-protected-resource/mcp')).json(), { resource: `${own}/mcp` })
  t.equal((await send(own, '/mcp', { method: 'POST' })).status, 401)
  t.equal((await send(own, '/echo')).status, 404)
})
