/** Owns the servers from svc.yaml. They are built after all plugins have registered, since they select from all. */
import type { Config } from 'svc/plugin'
import type { ConfiguredServer } from '../options.ts'
import { compileTool, type Registry, type Tool } from '../registry/registry.ts'
import { type Report, select } from '../registry/selection.ts'
import { Server } from '../registry/server.ts'
import { defineDeclaredTool } from './declared-tool.ts'
import { configuredSkills, type SkillSource } from './skills.ts'

export interface ServerContext {
  /** Version of svc. */
  release: string
  config: Config
  skills: SkillSource
}

/** Builds the servers. An invalid tool, resource or prompt, or a server with a name in use, is reported and skipped. */
export function buildConfiguredServers(
  configured: ConfiguredServer[],
  registry: Registry,
  context: ServerContext,
  report: Report,
): Server[] {
  const servers = new Map<string, Server>()
  for (const [index, item] of configured.entries()) {
    const at = `servers[${index}]`
    // Always built, so that all its errors are reported at once.
    const server = buildServer(item, registry, context, (member, message, remedy) =>
      report(`${at}.${member}`, message, remedy),
    )
    if (registry.servers.has(item.name) || servers.has(item.name))
      report(at, `the server name "${item.name}" is already in use`, 'choose another name')
    else servers.set(item.name, server)
  }
  return [...servers.values()]
}

function buildServer(item: ConfiguredServer, registry: Registry, context: ServerContext, report: Report): Server {
  const { name, title = name, description, instructions, auth, api_key = null } = item
  const selection = select(registry, item, report)
  const tools = new Map([...selection.tools, ...declaredTools(item, selection.tools, context.config, report)])
  const skills =
    item.skills === undefined
      ? selection.skills
      : configuredSkills(item.skills, context.skills, (message, remedy) => report('skills', message, remedy))
  const definition = { name, title, description, instructions, auth }
  return new Server(definition, { ...selection, tools, skills }, context.release, api_key)
}

function declaredTools(
  item: ConfiguredServer,
  taken: ReadonlyMap<string, Tool>,
  config: Config,
  report: Report,
): Map<string, Tool> {
  const tools = new Map<string, Tool>()
  for (const [index, declared] of item.tools.entries()) {
    if (typeof declared === 'string') continue
    try {
      if (taken.has(declared.name) || tools.has(declared.name))
        throw new Error(`the tool name "${declared.name}" is already in use`)
      tools.set(declared.name, compileTool(defineDeclaredTool(declared, config.maxDelayMs)))
    } catch (error) {
      report(`tools[${index}]`, (error as Error).message, 'correct or remove the tool')
    }
  }
  return tools
}
