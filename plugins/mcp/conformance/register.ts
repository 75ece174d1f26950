/** Registers the server for the official conformance suite. */
import type { McpServers } from '../types.ts'
import { askingFixtures } from './asking-tools.ts'
import { promptFixtures } from './prompts.ts'
import { resourceFixtures, templateFixture } from './resources.ts'
import { plainFixtures } from './tools.ts'

export function registerConformance(servers: McpServers): void {
  for (const tool of [...plainFixtures, ...askingFixtures]) servers.tool(tool)
  for (const resource of resourceFixtures) servers.resource(resource)
  servers.template(templateFixture)
  for (const prompt of promptFixtures) servers.prompt(prompt)
  // The server selects nothing: its fixtures list it in `servers`.
  servers.server({
    name: 'conformance',
    title: 'svc MCP conformance',
    description: 'Fixtures of the official conformance suite',
  })
}
