/** Bridged servers in svc.yaml: wrong entries, and the lists of servers. The official servers are in test/sdk. */
import t from 'tap'
import { call } from '../../support/mcp.ts'
import { serve } from '../../support/server.ts'

t.setTimeout(600_000)

interface LoadError {
  at: string
  line: number
  message: string
  remedy: string
}

t.test('wrong entries are reported with line and remedy, and left out [MCPX-19]', async t => {
  const server = await serve(t, {
    yaml: `mcp:
  servers:
    - { name: both, command: node, url: "http://127.0.0.1:1/" }
    - { name: own-tools, command: node, tools: [echo], skills: ./skills }
    - { name: mixed, url: "http://127.0.0.1:1/", cwd: "." }
    - { name: ftp, url: "ftp://files" }
    - { name: user, url: "http://a:b@127.0.0.1/" }
    - { name: unset, url: "http://127.0.0.1:1/", headers: { X-Token: "\${NOT_SET}" } }
    - { name: reserved, url: "http://127.0.0.1:1/", headers: { Mcp-Session-Id: x }, forward: [Host] }
    - { name: no-ca, url: "https://127.0.0.1:1/", ca_file: ./none.pem }
    - { name: text, command: node, args: "a b" }
    - { name: variable, command: node, env: { "A-B": x } }
    - { name: weather, command: node }
    - { name: tasks, command: node }
    - { name: twice, tools: [echo] }
    - { name: twice, tools: [echo] }
`,
  })
  const errors = (await (await fetch(`${server.url}/_svc/plugins`)).json()) as { load_errors: LoadError[] }
  const shown = errors.load_errors.map(({ at, line, message, remedy }) => `${at}:${line}: ${message} (${remedy})`)
  t.strictSame(shown.sort(), [
    'mcp.servers[0].url:3: a server has either "command" or "url" (remove one of them)',
    'mcp.servers[10]:13: the server name "weather" is already in use by the plugin mcp (choose another name)',
    'mcp.servers[11]:14: the server name "tasks" is already in use by the plugin mcp-extensions (choose another name, or disable the plugin mcp-extensions)',
    'mcp.servers[13]:16: the server name "twice" is already in use (choose another name)',
    'mcp.servers[1].skills:4: a server with "command" has its own skills (remove skills)',
    'mcp.servers[1].tools:4: a server with "command" has its own tools (remove tools)',
    'mcp.servers[2].cwd:5: "cwd" has no effect on a server with "url" (remove it)',
    'mcp.servers[3].url:6: expected an http or https URL without credentials and fragment (send credentials with headers)',
    'mcp.servers[4].url:7: expected an http or https URL without credentials and fragment (send credentials with headers)',
    'mcp.servers[5].headers:8: the variable NOT_SET is not set (set it in the environment of svc)',
    'mcp.servers[6].forward:9: the header "host" can\'t be forwarded (remove it)',
    'mcp.servers[6].headers:9: the header "Mcp-Session-Id" can\'t be set: it is reserved, or its value is not printable ASCII (remove it)',
    "mcp.servers[7].ca_file:10: the file can't be read (ENOENT) (correct the path, which is relative to svc.yaml)",
    'mcp.servers[8].args:11: expected array, got string (write a list: "- item" lines, or [a, b])',
    'mcp.servers[9].env:12: "A-B" is not the name of a variable (correct the name)',
  ])
  t.equal((await call(`${server.url}/mcp/servers/both`, 'tools/list')).status, 404)
  t.equal((await call(`${server.url}/mcp/servers/twice`, 'tools/list')).status, 200)
})

t.test('processes are off in public mode, and their number is limited [MCPX-19]', async t => {
  const remote = (index: number) => `{ name: r${index}, url: "http://127.0.0.1:1/" }`
  const server = await serve(t, {
    yaml: `mcp: { servers: [{ name: files, command: node }, ${Array.from({ length: 11 }, (_, index) => remote(index)).join()}] }`,
    env: { SVC_PUBLIC_MODE: 'true' },
  })
  t.match(
    server.problems().map(({ message }) => message),
    ['off in public mode', 'too many bridged servers (at most 10)'],
  )
})

t.test('the servers are listed with their state; only bridged ones can be restarted [MCPX-20]', async t => {
  const server = await serve(t, {
    yaml: 'mcp: { servers: [{ name: own, auth: apikey, tools: [echo] }, { name: gone, url: "http://127.0.0.1:1/mcp" }] }',
    env: { SVC_ADMIN_TOKEN: 'secret' },
  })
  const read = async (path: string) =>
    (
      (await (await fetch(server.url + path, { headers: { 'X-Svc-Admin-Token': 'secret' } })).json()) as {
        servers: Record<string, unknown>[]
      }
    ).servers
  const servers = await read('/mcp/servers')
  t.strictSame(
    servers.slice(0, 4).map(({ name }) => name),
    ['default', 'protected', 'apikey', 'weather'],
  )
  t.strictSame(
    servers.find(({ name }) => name === 'tasks'),
    {
      name: 'tasks',
      title: 'svc MCP tasks',
      url: `${server.url}/mcp/servers/tasks`,
      auth: 'open',
      source: 'builtin',
      hostile: false,
      extensions: ['io.modelcontextprotocol/tasks'],
      tools: 8,
      state: 'up',
    },
  )
  t.match(
    servers.find(({ name }) => name === 'own'),
    { source: 'config', auth: 'apikey', tools: 1 },
  )
  const gone = (await read('/_svc/mcp-servers')).find(({ name }) => name === 'gone')
  t.match(gone, { source: 'remote', sessions: 0, calls: 0, in_flight: 0, last_exit: null })
  const restart = (name: string, headers = {}) =>
    fetch(`${server.url}/_svc/mcp-servers/${name}/restart`, { method: 'POST', headers })
  const admin = { 'X-Svc-Admin-Token': 'secret' }
  t.equal((await restart('gone')).status, 401)
  t.equal((await restart('gone', admin)).status, 202)
  t.match(await (await restart('weather', admin)).json(), { error: 'not_bridged' })
  const unknown = await restart('gon', admin)
  t.equal(unknown.status, 404)
  t.match(await unknown.json(), { error: 'unknown_server', details: /gone/ })
})
