/** Owns the server `tasks`, whose tools run as tasks. */
import type { McpServers } from '../../mcp/types.ts'
import { taskTools } from './tools.ts'

export function registerTasks(servers: McpServers): void {
  servers.server({
    name: 'tasks',
    title: 'svc MCP tasks',
    description: 'Tools that run as tasks',
    instructions: 'Calls of most tools return a task. Ask for its result with tasks/get.',
  })
  for (const tool of taskTools) servers.tool({ ...tool, servers: ['tasks'], fixture: true })
}
