/** The plugin `control-mcp`: the control plane as an MCP server. */
import { definePlugin } from 'svc/plugin'
import type {} from '../mcp/types.ts'
import { addCoreTools } from './core-tools.ts'
import { PATH, registerServer } from './server.ts'

export default definePlugin({
  title: 'Control plane over MCP',
  description: 'An MCP server whose tools are the operations of the control plane',
  paths: [PATH],
  buildsOn: ['mcp'],
  register(app, svc) {
    const servers = svc.use('mcp.servers')
    const tools = svc.use('control.tools')
    if (!servers || !tools) throw new Error('the plugin control-mcp needs the extension point mcp.servers')
    addCoreTools(tools)
    registerServer(app, servers, tools, svc)
  },
})
