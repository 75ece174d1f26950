/** Owns the server `skills`. */
import type { McpServers } from '../../mcp/types.ts'
import { DRAFTS, INCIDENT_NOTES, LIVE_PRICES, REFUNDS } from './files.ts'

export function registerSkills(servers: McpServers): void {
  const server = 'skills'
  servers.server({
    name: server,
    title: 'svc MCP skills',
    description: 'Skills: instructions for a model, with files',
    instructions: 'List the skills with skills/list, and read their SKILL.md before you follow them.',
  })
  servers.skill({ server, name: 'refunds', files: REFUNDS })
  servers.skill({ server, name: 'incident-notes', files: INCIDENT_NOTES })
  servers.skill({ server, name: 'live-prices', files: LIVE_PRICES, dynamic: true })
  servers.skill({ server, name: 'drafts', files: DRAFTS, listed: false })
}
