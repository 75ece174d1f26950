/** The plugin `mcp-extensions`: MCP servers that show protocol extensions. */
import { definePlugin } from 'svc/plugin'
import { registerApps } from './apps/register.ts'
import { registerEnterprise } from './enterprise/register.ts'
import { registerSkills } from './skills/register.ts'
import { registerTasks } from './tasks/register.ts'

export default definePlugin({
  title: 'MCP extensions',
  description: 'MCP servers that show the extensions for tasks, skills and apps.',
  paths: [],
  buildsOn: ['mcp'],
  register(_app, svc) {
    const servers = svc.use('mcp.servers')
    if (!servers) throw new Error('the plugin mcp-extensions needs the extension point mcp.servers')
    registerTasks(servers)
    registerSkills(servers)
    registerApps(servers)
    registerEnterprise(servers)
  },
})
