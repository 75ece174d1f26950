/** Owns a server: its name, authentication and selection from the registry. */
import { isRecord } from 'svc/toolkit'
import { type ListPages, Lists } from '../registry/lists.ts'
import { type Template, type Tool, UNNAMED_SERVERS } from '../registry/registry.ts'
import type { Selection } from '../registry/selection.ts'
import type { Skill } from '../skills/skill.ts'
import { CLIENT_CREDENTIALS, ENTERPRISE, SKILLS, TASKS, UI } from '../extensions.ts'
import { STATELESS, type Version } from '../protocol/versions.ts'
import type { ServerBridge } from './server-bridge.ts'
import { serverInfo } from './server-info.ts'
import type {
  JsonObject,
  MethodHandler,
  PromptDefinition,
  ResourceDefinition,
  ServerDefinition,
  TemplateDefinition,
} from '../types.ts'

/** A resource found by its URI. */
export type FoundResource =
  | { definition: ResourceDefinition; variables: null }
  | { definition: TemplateDefinition; variables: Record<string, string> }

/** Where a server comes from: svc.yaml, a plugin, a plugin with an SDK, a process or a URL. */
export type ServerSource = 'config' | 'plugin' | 'sdk' | 'stdio' | 'remote'

export interface ServerParts {
  apiKey?: string | null
  bridge?: ServerBridge | null
  source?: ServerSource
  /** The plugin that registered it. */
  plugin?: string | null
}

export class Server implements Selection {
  readonly name: string
  /** Whether the server is below `/mcp/servers`. */
  readonly isNamed: boolean
  /** Whether the server is part of the control plane. */
  readonly isControl: boolean
  readonly definition: ServerDefinition
  readonly auth: 'open' | 'apikey' | 'oauth'
  /** The accepted API key; null: that of `SVC_MCP_API_KEY`. */
  readonly apiKey: string | null
  /** Version of svc, sent as `serverInfo.version`. */
  readonly release: string
  readonly tools: ReadonlyMap<string, Tool>
  readonly resources: ReadonlyMap<string, ResourceDefinition>
  readonly templates: readonly Template[]
  readonly prompts: ReadonlyMap<string, PromptDefinition>
  readonly skills: readonly Skill[]
  /** Files of the skills by URI; `resources/list` does not show them. */
  readonly #skillFiles: ReadonlyMap<string, ResourceDefinition>
  readonly methods: ReadonlyMap<string, MethodHandler>
  /** Whether a tool may run as a task. */
  readonly hasTasks: boolean
  readonly lists: ListPages
  /** The grants of the issuer of a server with `auth: oauth`. */
  grants: readonly string[] = []
  /** The server of an SDK that works for this one. */
  readonly bridge: ServerBridge | null
  readonly source: ServerSource
  /** The plugin that registered the server; null if it is from svc.yaml. */
  readonly plugin: string | null
  /** `serverInfo` as JSON text, which is part of every stateless result. */
  readonly #infoText: string | null

  constructor(
    definition: ServerDefinition,
    selection: Selection,
    release: string,
    { apiKey = null, bridge = null, source = 'plugin', plugin = null }: ServerParts = {},
  ) {
    this.name = definition.name
    this.isNamed = !UNNAMED_SERVERS.includes(definition.name) && definition.path === undefined
    this.isControl = isBelowControl(definition.path)
    this.definition = definition
    this.auth = definition.auth ?? 'open'
    this.apiKey = apiKey
    this.release = release
    this.bridge = bridge
    this.tools = bridge?.tools ?? selection.tools
    this.resources = selection.resources
    this.templates = selection.templates
    this.prompts = selection.prompts
    this.skills = selection.skills
    this.#skillFiles = new Map(selection.skills.flatMap(({ files }) => files.map(file => [file.uri, file])))
    this.methods = selection.methods
    this.hasTasks = [...selection.tools.values()].some(({ definition }) => definition.task !== undefined)
    this.lists = bridge?.lists ?? new Lists(this)
    this.source = source
    this.plugin = plugin
    this.#infoText = bridge === null ? JSON.stringify(serverInfo(this, STATELESS)) : null
  }

  /** That of a bridged server may change when it starts again. */
  get infoText(): string {
    return this.#infoText ?? JSON.stringify(serverInfo(this, STATELESS))
  }

  /** The lists that a session sees; null: those of stateless calls. */
  listsOf(session: string | null): ListPages {
    return this.bridge?.listsOf(session) ?? this.lists
  }

  get instructions(): string | undefined {
    return this.definition.instructions ?? this.bridge?.instructions
  }

  get hasPrompts(): boolean {
    return this.bridge?.has('prompts') ?? (this.prompts.size > 0 || this.methods.has('prompts/list'))
  }

  get hasResources(): boolean {
    if (this.bridge) return this.bridge.has('resources')
    return (
      this.resources.size > 0 ||
      this.templates.length > 0 ||
      this.skills.length > 0 ||
      this.methods.has('resources/list')
    )
  }

  /** The protocol extensions that the server offers, with their settings. Tasks exist only in the stateless revision. */
  extensions(version: Version): Record<string, JsonObject> {
    const hasPages = [...this.resources.keys()].some(uri => uri.startsWith('ui://'))
    return {
      ...(this.hasTasks && version.isStateless ? { [TASKS]: {} } : {}),
      ...(this.skills.length > 0 ? { [SKILLS]: { directoryRead: true } } : {}),
      ...(hasPages ? { [UI]: {} } : {}),
      ...(this.grants.includes('client_credentials') ? { [CLIENT_CREDENTIALS]: {} } : {}),
      ...(this.grants.includes('id-jag') ? { [ENTERPRISE]: {} } : {}),
      ...this.definition.extensions,
      ...(isRecord(this.bridge?.capabilities.extensions) ? settingsOf(this.bridge.capabilities.extensions) : {}),
    }
  }

  get hasCompletions(): boolean {
    if (this.bridge) return this.bridge.has('completions')
    return this.prompts.size > 0 || this.templates.length > 0
  }

  /** The resource with this URI, if the server selects it and it exists. */
  findResource(uri: string): FoundResource | null {
    if (this.bridge) return foreignResource(uri)
    const resource = this.resources.get(uri) ?? this.#skillFiles.get(uri)
    if (resource) return { definition: resource, variables: null }
    for (const template of this.templates) {
      const variables = template.pattern.match(uri)
      if (variables && template.definition.exists(variables)) return { definition: template.definition, variables }
    }
    return null
  }
}

function isBelowControl(path: string | undefined): boolean {
  return path?.startsWith('/_svc/') === true
}

/** Only the server of the SDK knows which of its resources exist. */
function foreignResource(uri: string): FoundResource {
  return { definition: { uri, name: uri, read: () => ({ text: '' }) }, variables: null }
}

/** Settings that are not objects are not shown. */
function settingsOf(extensions: JsonObject): Record<string, JsonObject> {
  return Object.fromEntries(
    Object.entries(extensions).filter((entry): entry is [string, JsonObject] => isRecord(entry[1])),
  )
}
