/** Owns the server `enterprise`, whose tokens come from an issuer with all ways to get one. */
import type { McpServers } from '../../mcp/types.ts'

export function registerEnterprise(servers: McpServers): void {
  servers.server({
    name: 'enterprise',
    title: 'svc MCP enterprise',
    description: 'Customers and orders, with a token of the issuer full',
    instructions: 'Look up a customer before searching for orders.',
    auth: 'oauth',
    issuer: 'full',
    scopes: ['mcp:tools'],
    dpop: 'optional',
    tools: ['lookup_customer', 'search_orders', 'cancel_order', 'inspect_request'],
  })
}
