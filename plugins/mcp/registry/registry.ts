/** Owns the registered tools, resources, templates, prompts and servers; names are unique. */
import { compileInput, compileLater, type RoutedArgument, routedArguments, type Validate } from './schema.ts'
import type {
  McpServers,
  MethodHandler,
  PromptDefinition,
  ResourceDefinition,
  ServerDefinition,
  TemplateDefinition,
  ToolDefinition,
} from '../types.ts'
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

const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/
const SERVER_NAME = /^[a-z][a-z0-9-]{0,63}$/
/** Servers with their own path, not below `/mcp/servers`. */
export const UNNAMED_SERVERS: readonly string[] = ['default', 'protected', 'apikey']

export class Registry {
  readonly tools = new Map<string, Tool>()
  readonly resources = new Map<string, ResourceDefinition>()
  readonly templates = new Map<string, Template>()
  readonly prompts = new Map<string, PromptDefinition>()
  readonly servers = new Map<string, ServerDefinition>()
  /** Methods of protocol extensions, by server and name. */
  readonly methods = new Map<string, Map<string, MethodHandler>>()
  /** The registering plugin, by `<kind> <name>`. */
  readonly #owners = new Map<string, string>()
  #isClosed = false

  /** The extension point for one plugin; `updated` reports changed resources. With `isOwn`, schemas are not checked. */
  registrar(plugin: string, updated: (uri: string) => void, isOwn = false): McpServers {
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
        if (!SERVER_NAME.test(definition.name))
          throw new Error(`invalid MCP server name "${definition.name}" (it must match ${SERVER_NAME.source})`)
        this.#claim('server', definition.name, plugin)
        this.servers.set(definition.name, definition)
      },
      method: (server, name, handler) => {
        this.#claim('method', `${name} of server ${server}`, plugin)
        const methods = this.methods.get(server) ?? new Map<string, MethodHandler>()
        this.methods.set(server, methods.set(name, handler))
      },
      updated,
    }
  }

  /** Rejects later registrations, because the servers are built now. */
  close(): void {
    this.#isClosed = true
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
