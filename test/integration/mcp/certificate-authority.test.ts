/** A bridged server with a certificate of a private authority. */
import t from 'tap'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { call, callTool, items } from '../../support/mcp.ts'
import { serve } from '../../support/server.ts'

t.setTimeout(600_000)

t.test('ca_file makes the certificate of a URL trusted [MCPX-19]', async t => {
  const far = await serve(t, { plugins: ['mcp', 'tls'], env: { SVC_INSTANCE_ID: 'far' } })
  const pem = await (await fetch(`${far.url}/tls/ca.pem`)).text()
  const file = join(t.testdir(), 'ca.pem')
  writeFileSync(file, pem)
  const weather = `${far.httpsUrl}/mcp/servers/weather`
  const near = await serve(t, {
    yaml: `mcp:
  servers:
    - { name: trusted, url: "${weather}", ca_file: "${file}" }
    - { name: untrusted, url: "${weather}" }
`,
  })
  const listed = await call(`${near.url}/mcp/servers/trusted`, 'tools/list')
  t.strictSame(
    items(listed.answer.result?.tools).map(({ name }) => String(name)),
    ['get_weather', 'get_time', 'inspect_request'],
  )
  t.match((await callTool(`${near.url}/mcp/servers/trusted`, 'get_time', {})).answer.result, { content: Array })
  const { servers } = (await (await fetch(`${near.url}/_svc/mcp-servers`)).json()) as {
    servers: { name: string; state: string; last_error?: string | null }[]
  }
  const states = Object.fromEntries(servers.map(server => [server.name, server]))
  t.equal(states.trusted?.state, 'up')
  t.not(states.untrusted?.state, 'up')
  t.match(states.untrusted?.last_error, /certificate|self.signed|issuer/i)
})
