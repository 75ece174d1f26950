/** Registers the built-in content, through the same extension point as other plugins. */
import type { DemoRecords } from '../../demo-data/types.ts'
import type { Bounds } from '../bounds.ts'
import type { McpServers } from '../types.ts'
import { Crm } from './crm.ts'
import { demoPrompts } from './prompts.ts'
import { demoResources, demoTemplates } from './resources.ts'
import { demoServers } from './servers.ts'
import { basicTools } from './tools/basics.ts'
import { behaviorTools } from './tools/behavior.ts'
import { contentTools } from './tools/contents.ts'
import { customerTools } from './tools/customers.ts'
import { inspectionTools } from './tools/inspect-request.ts'
import { questionTools } from './tools/questions.ts'
import { weatherAndTimeTools } from './tools/weather-and-time.ts'

export function registerDemo(servers: McpServers, records: DemoRecords, bounds: Bounds): void {
  const crm = new Crm(records)
  const tools = [
    ...basicTools,
    ...weatherAndTimeTools,
    ...customerTools(crm),
    ...behaviorTools(bounds),
    ...contentTools,
    ...questionTools,
    ...inspectionTools,
  ]
  for (const tool of tools) servers.tool(tool)
  for (const resource of demoResources(crm)) servers.resource(resource)
  for (const template of demoTemplates(crm)) servers.template(template)
  for (const prompt of demoPrompts) servers.prompt(prompt)
  for (const server of demoServers) servers.server(server)
}
