/** Owns the registered tools, resources, templates, prompts and servers; names are unique. */
import type { Logger } from 'svc/plugin'
import { basename } from 'node:path'
import { compileInput, compileLater, type RoutedArgument, routedArguments, type Validate } from './schema.ts'
import { WIRE_KINDS } from '../protocol/fault-kinds.ts'
import type {
  McpServers,
  MethodHandler,
  PromptDefinition,
  ResourceDefinition,
  ServerDefinition,
  SdkDefinition,
  SkillDefinition,
  TemplateDefinition,
  ToolDefinition,
} from '../types.ts'
import { readSkillFolder } from '../skills/read-folder.ts'
import { makeSkill, type Skill, type SkillLimits } from '../skills/skill.ts'
import { parseTemplate, type UriTemplate } from './uri-template.ts'

/** A compiled tool. */
export interface Tool {
  readonly definition: ToolDefinition
  readonly validate: Validate
  /** Arguments repeated in headers, by lower-case header name. */
  readonly routed: ReadonlyMap<string, RoutedArgument>
}
export interface Template {
  readonly definition: TemplateDefinition
  readonly pattern: UriTemplate
}

/** What registered content needs of the servers that run. */
export type RegistrarServices = Pick<McpServers, 'updated' | 'count'>

const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/
const SERVER_NAME = /^[a-z][a-z0-9-]{0,63}$/
/** Servers with their own path, not below `/mcp/servers`. */
export const UNNAMED_SERVERS: readonly string[] = ['default', 'protected', 'apikey']

/** What a request uses: a method of a server, and with it a tool, a prompt or a resource. */
export interface RequestedUse {
  server: string
  method: string
  params: Readonly<Record<string, unknown>> | undefined
}

export class Registry {
  readonly tools = new Map<string, Tool>()
  readonly resources = new Map<string, ResourceDefinition>()
  readonly templates = new Map<string, Template>()
  readonly prompts = new Map<string, PromptDefinition>()
  readonly servers = new Map<string, ServerDefinition>()
  /** Methods of protocol extensions, by server and name. */
  readonly methods = new Map<string, Map<string, MethodHandler>>()
  /** Servers of SDKs by name. */
  readonly bridged = new Map<string, SdkDefinition>()
  /** Skills by server. */
  readonly skills = new Map<string, Skill[]>()
  /** The registering plugin, by `<kind> <name>`. */
  readonly #owners = new Map<string, string>()
  /** The loggers of the plugins. */
  readonly #logs = new Map<string, Logger>()
  readonly #limits: SkillLimits
  readonly #report: (message: string) => void
  readonly #added: (definition: ServerDefinition) => void
  #isClosed = false

  /** `report` receives problems of skills, which are left out, and `added` each server. */
  constructor(
    limits: SkillLimits = { skills: 200, fileBytes: 1024 * 1024 },
    report = (message: string): void => {
      throw new Error(message)
    },
    added: (definition: ServerDefinition) => void = () => {},
  ) {
    this.#added = added
    this.#limits = limits
    this.#report = report
  }

  /** The extension point for one plugin, with its logger. With `isOwn`, schemas are not checked. */
  registrar(plugin: string, { updated, count }: RegistrarServices, isOwn = false, log?: Logger): McpServers {
    if (log !== undefined) this.#logs.set(plugin, log)
    return {
      tool: definition => {
        const tool = isOwn ? ownTool(definition) : compileTool(definition)
        this.#claim('tool', definition.name, plugin)
        this.tools.set(definition.name, tool)
      },
      resource: definition => {
        this.#claim('resource', definition.uri, plugin)
        this.resources.set(definition.uri, definition)
      },
      template: definition => {
        const pattern = parseTemplate(definition.uriTemplate)
        this.#claim('resource template', definition.uriTemplate, plugin)
        this.templates.set(definition.uriTemplate, { definition, pattern })
      },
      prompt: definition => {
        this.#claim('prompt', definition.name, plugin)
        this.prompts.set(definition.name, definition)
      },
      server: definition => {
        this.#addServer(definition, plugin)
      },
      sdk: definition => {
        const { server, create, ...own } = definition
        if ((server === undefined) === (create === undefined))
          throw new Error(`the MCP server "${own.name}" needs either "server" or "create"`)
        this.#addServer(own, plugin)
        this.bridged.set(own.name, definition)
      },
      skill: definition => this.#addSkill(definition, plugin),
      method: (server, name, handler) => {
        this.#claim('method', `${name} of server ${server}`, plugin)
        const methods = this.methods.get(server) ?? new Map<string, MethodHandler>()
        this.methods.set(server, methods.set(name, handler))
      },
      updated,
      count,
      wireFaults: WIRE_KINDS,
    }
  }

  /** The plugin that registered a server. */
  ownerOf(server: string): string | undefined {
    return this.#owners.get(`server ${server}`)
  }

  /** The logger of the plugin that registered what a request uses; undefined if it is unknown. */
  logOf({ server, method, params }: RequestedUse): Logger | undefined {
    const owner =
      this.#owners.get(`method ${method} of server ${server}`) ??
      this.ownerOf(server) ??
      this.#ownerOfContent(method, params)
    return owner === undefined ? undefined : this.#logs.get(owner)
  }

  /** The plugin of a tool, a prompt or a resource that open servers share. */
  #ownerOfContent(method: string, { name, uri }: Readonly<Record<string, unknown>> = {}): string | undefined {
    if (method === 'tools/call') return this.#owners.get(`tool ${String(name)}`)
    if (method === 'prompts/get') return this.#owners.get(`prompt ${String(name)}`)
    if (method !== 'resources/read' || typeof uri !== 'string') return undefined
    const template = [...this.templates].find(([, { pattern }]) => pattern.match(uri) !== null)
    return this.#owners.get(`resource ${uri}`) ?? this.#owners.get(`resource template ${template?.[0]}`)
  }

  /** Rejects later registrations, because the servers are built now. */
  close(): void {
    this.#isClosed = true
  }

  #addServer(definition: ServerDefinition, plugin: string): void {
    if (!SERVER_NAME.test(definition.name))
      throw new Error(`invalid MCP server name "${definition.name}" (it must match ${SERVER_NAME.source})`)
    this.#claim('server', definition.name, plugin)
    this.#added(definition)
    this.servers.set(definition.name, definition)
  }

  #addSkill(definition: SkillDefinition, plugin: string): void {
    const { server } = definition
    const name = 'folder' in definition ? basename(definition.folder) : definition.name
    this.#claim('skill', `${name} of server ${server}`, plugin)
    const skills = this.skills.get(server) ?? []
    try {
      if (skills.length >= this.#limits.skills)
        throw new Error(`the server has too many skills (at most ${this.#limits.skills})`)
      const files =
        'folder' in definition
          ? readSkillFolder(definition.folder)
          : new Map(Object.entries(definition.files).map(([path, content]) => [path, Buffer.from(content)]))
      skills.push(makeSkill(name, files, definition, this.#limits))
      this.skills.set(server, skills)
    } catch (error) {
      this.#report(
        `the skill "${name}" of MCP server ${server} (plugin ${plugin}) is left out: ${(error as Error).message}`,
      )
    }
  }

  #claim(kind: string, name: string, plugin: string): void {
    if (this.#isClosed)
      throw new Error(
        `MCP ${kind} "${name}" of plugin ${plugin} was registered too late (expected while the plugin registers)`,
      )
    const key = `${kind} ${name}`
    const owner = this.#owners.get(key)
    if (owner !== undefined)
      throw new Error(`MCP ${kind} "${name}" of plugin ${plugin} is already registered by plugin ${owner}`)
    this.#owners.set(key, plugin)
  }
}

function ownTool(definition: ToolDefinition): Tool {
  return { definition, validate: compileLater(definition.inputSchema), routed: routedArguments(definition.inputSchema) }
}

/** Checks and compiles a definition. Throws an error that names the tool. */
export function compileTool(definition: ToolDefinition): Tool {
  if (!TOOL_NAME.test(definition.name))
    throw new Error(`invalid MCP tool name "${definition.name}" (expected 1 to 128 characters from A-Za-z0-9_.-)`)
  try {
    return {
      definition,
      validate: compileInput(definition.inputSchema),
      routed: routedArguments(definition.inputSchema),
    }
  } catch (error) {
    throw new Error(`MCP tool "${definition.name}": ${(error as Error).message}`, { cause: error })
  }
}
