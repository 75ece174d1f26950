/** Owns the servers from svc.yaml. They are built after all plugins have registered, since they select from all. */
import type { Config, StepBudget } from 'svc/plugin'
import type { InputProblem } from 'svc/toolkit'
import type { Bridge } from '../bridge/bridge.ts'
import type { ConfiguredServer } from '../options.ts'
import { compileTool, type Registry, type Tool } from '../registry/registry.ts'
import type { ServerDefinition } from '../types.ts'
import { type Report, select } from '../registry/selection.ts'
import { Server } from '../servers/server.ts'
import { isBridged } from './bridges.ts'
import { defineDeclaredTool } from './declared-tool.ts'
import { configuredSkills, type SkillSource } from './skills.ts'

export interface ServerContext {
  /** Name of this plugin. */
  plugin: string
  /** Version of svc. */
  release: string
  config: Config
  /** The budget of the conditions of one call. */
  evaluation(): StepBudget
  skills: SkillSource
  /** The bridge of an entry that is a process or a URL; null if the entry is invalid. */
  bridgeOf(item: ConfiguredServer, report: Report): Bridge | null
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
    const owner = registry.ownerOf(item.name)
    if (servers.has(item.name)) report(at, `the server name "${item.name}" is already in use`, 'choose another name')
    else if (owner !== undefined)
      report(
        at,
        `the server name "${item.name}" is already in use by the plugin ${owner}`,
        owner === context.plugin ? 'choose another name' : `choose another name, or disable the plugin ${owner}`,
      )
    else if (server) servers.set(item.name, server)
  }
  return [...servers.values()]
}

function buildServer(
  item: ConfiguredServer,
  registry: Registry,
  context: ServerContext,
  report: Report,
): Server | null {
  const { name, info_name: infoName, title = name, description, instructions, auth, api_key = null } = item
  const definition = { name, infoName, title, description, instructions, auth, ...oauthMembers(item, report) }
  const selection = select(registry, item, report)
  if (isBridged(item)) {
    const bridge = context.bridgeOf(item, report)
    return (
      bridge && new Server(definition, selection, context.release, { apiKey: api_key, bridge, source: bridge.kind })
    )
  }
  const tools = new Map([...selection.tools, ...declaredTools(item, selection.tools, context, report)])
  const skills =
    item.skills === undefined
      ? selection.skills
      : configuredSkills(item.skills, context.skills, (message, remedy) => report('skills', message, remedy))
  return new Server(definition, { ...selection, tools, skills }, context.release, { apiKey: api_key, source: 'config' })
}

/** Members without effect on servers without OAuth are reported. */
function oauthMembers(item: ConfiguredServer, report: Report): Partial<ServerDefinition> {
  const { issuer, scopes, dpop, filter_by_scope } = item
  if (item.auth === 'oauth') return { issuer, scopes, dpop, filterByScope: filter_by_scope }
  for (const member of ['issuer', 'scopes', 'dpop', 'filter_by_scope'] as const)
    if (item[member] !== undefined)
      report(member, `"${member}" has no effect on a server without "auth: oauth"`, 'remove it')
  return {}
}

function declaredTools(
  item: ConfiguredServer,
  taken: ReadonlyMap<string, Tool>,
  { config, evaluation }: ServerContext,
  report: Report,
): Map<string, Tool> {
  const tools = new Map<string, Tool>()
  for (const [index, declared] of item.tools.entries()) {
    if (typeof declared === 'string') continue
    try {
      if (taken.has(declared.name) || tools.has(declared.name))
        throw new Error(`the tool name "${declared.name}" is already in use`)
      const { maxDelayMs } = config
      tools.set(declared.name, compileTool(defineDeclaredTool(declared, { maxDelayMs, evaluation })))
    } catch (error) {
      const { at, message, remedy } = error as Partial<InputProblem> & Error
      report(`tools[${index}]${at === undefined ? '' : `.${at}`}`, message, remedy ?? 'correct or remove the tool')
    }
  }
  return tools
}
