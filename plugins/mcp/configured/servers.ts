/** Owns the servers that svc.yaml adds: built when all plugins have registered, since they select from all of them. */
import type { Config } from 'svc/plugin'
import type { ConfiguredServer } from '../options.ts'
import { compileTool, type Registry, type Tool } from '../registry.ts'
import { select, Server } from '../server.ts'
import type { ServerDefinition } from '../types.ts'
import { defineDeclaredTool } from './declared-tool.ts'

/** Reports what is wrong with an item; `at` is its path in the section, such as `servers[0].tools[1]`. */
export type Report = (at: string, message: string) => void

/** The configured servers. A wrong tool, resource or prompt is reported and left out, a taken name loses its server. */
export function buildConfiguredServers(configured: ConfiguredServer[], registry: Registry, release: string, config: Config, report: Report): Server[] {
  const servers = new Map<string, Server>()
  for (const [index, item] of configured.entries()) {
    const at = `servers[${index}]`
    if (registry.servers.has(item.name) || servers.has(item.name)) report(at, `the server name "${item.name}" is taken`)
    else servers.set(item.name, buildServer(item, registry, release, config, (member, message) => report(`${at}.${member}`, message)))
  }
  return [...servers.values()]
}

function buildServer(item: ConfiguredServer, registry: Registry, release: string, config: Config, report: Report): Server {
  const definition: ServerDefinition = {
    name: item.name,
    title: item.title ?? item.name,
    description: item.description,
    instructions: item.instructions,
    auth: item.auth,
    tools: known(item.tools, 'tools', 'tool', registry.tools, report),
    resources: known(item.resources, 'resources', 'resource', new Map<string, unknown>([...registry.resources, ...registry.templates]), report),
    prompts: known(item.prompts, 'prompts', 'prompt', registry.prompts, report),
  }
  const selection = select(registry, definition)
  const tools = new Map([...selection.tools, ...declaredTools(item, selection.tools, config, report)])
  return new Server(definition, { ...selection, tools }, release, item.api_key)
}

/** The names among the items that the registry has. */
function known(items: readonly unknown[], member: string, kind: string, registered: ReadonlyMap<string, unknown>, report: Report): string[] {
  return items.filter((name, index): name is string => {
    if (typeof name !== 'string') return false
    const isKnown = name === '*' || registered.has(name)
    if (!isKnown) report(`${member}[${index}]`, `unknown ${kind} "${name}"`)
    return isKnown
  })
}

function declaredTools(item: ConfiguredServer, taken: ReadonlyMap<string, Tool>, config: Config, report: Report): Map<string, Tool> {
  const tools = new Map<string, Tool>()
  for (const [index, declared] of item.tools.entries()) {
    if (typeof declared === 'string') continue
    try {
      if (taken.has(declared.name) || tools.has(declared.name)) throw new Error(`the tool name "${declared.name}" is taken`)
      tools.set(declared.name, compileTool(defineDeclaredTool(declared, config.maxDelayMs)))
    } catch (error) {
      report(`tools[${index}]`, (error as Error).message)
    }
  }
  return tools
}
