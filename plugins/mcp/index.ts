/** The plugin `mcp`: Model Context Protocol servers over Streamable HTTP and HTTP+SSE. */
import { definePlugin } from 'svc/plugin'
import { registerPlugin } from './register.ts'
import { type Options, optionsSchema } from './options.ts'
import { variables, type Variables } from './variables.ts'

export default definePlugin<Options, Variables>({
  title: 'MCP servers',
  description:
    'Model Context Protocol servers: open, with an API key, with OAuth, and named ones; stateless and legacy revisions',
  paths: ['/mcp', '/.well-known/oauth-protected-resource', '/_svc/mcp-servers'],
  buildsOn: ['demo-data'],
  uses: ['identity'],
  options: optionsSchema,
  variables,
  area: 'mcp',
  faultKinds: ['mcp'],
  categories: [{ name: 'MCP Server', rank: 140 }],
  exposes: [
    // The specification lists them among the headers of every response.
    { name: 'Mcp-Session-Id', before: 'WWW-Authenticate', always: true },
    { name: 'MCP-Protocol-Version', before: 'WWW-Authenticate', always: true },
    'X-Svc-Mcp-Server',
    'X-Svc-Mcp-Session',
    'X-Svc-Mcp-Method',
    'X-Svc-Mcp-Request-Id',
    'X-Svc-Mcp-Protocol-Version',
    'X-Svc-Mcp-Hostile',
  ],
  register: registerPlugin,
})
