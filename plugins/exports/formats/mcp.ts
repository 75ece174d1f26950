/** Configuration of MCP clients: all MCP servers of this instance. */
import type { CatalogEndpoint } from 'svc/plugin'
import type { Format } from '../format.ts'

/** Streamable HTTP endpoints: the open server, servers with credentials, and named servers. */
const ENDPOINT = /^\/mcp(?:\/(protected|apikey)|\/servers\/([a-z0-9-]+))?$/

/** In the examples of servers that attack their clients. */
const HOSTILE = '(hostile on purpose)'

export const mcp: Format = {
  id: 'mcp',
  title: 'MCP client configuration',
  description: 'The MCP servers of this instance, in the mcp.json format of MCP clients.',
  file: 'mcp.json',
  mediaType: 'application/json',
  filename: 'mcp.json',
  write: ({ baseUrl, endpoints }) =>
    JSON.stringify({ mcpServers: Object.fromEntries(listServers(endpoints, baseUrl)) }, null, 2),
}

/** Servers are found by the examples of their endpoints. */
function listServers(endpoints: CatalogEndpoint[], baseUrl: string): Map<string, object> {
  const servers = new Map<string, object>()
  for (const { plugin, methods, examples } of endpoints) {
    if (plugin !== 'mcp' || !methods.includes('POST')) continue
    for (const { name: title, path, headers, expect_status: status } of examples) {
      const match = ENDPOINT.exec(path)
      // Nobody wants a server in a client that attacks it.
      if (match === null || title.includes(HOSTILE)) continue
      const name = match[1] ?? match[2]
      const needsKey = headers.some(header => header.name === 'X-API-Key')
      servers.set(name === undefined ? 'svc' : `svc-${name}`, {
        type: 'http',
        url: baseUrl + path,
        // The example has no expected status if a key is configured, which must not be shown.
        ...(needsKey ? { headers: { 'X-API-Key': status === null ? '<api_key>' : 'demo' } } : {}),
      })
    }
  }
  return servers
}
