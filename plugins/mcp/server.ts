/** Owns a served variant: a name, who may use it, and its selection from the registry. */
import { Lists } from './lists.ts'
import { type Registry, type Template, type Tool, UNNAMED_SERVERS } from './registry.ts'
import { STATELESS } from './versions.ts'
import { serverInfo } from './wire/server-info.ts'
import type { PromptDefinition, ResourceDefinition, ServerDefinition, TemplateDefinition } from './types.ts'

export interface Selection {
  readonly tools: ReadonlyMap<string, Tool>
  readonly resources: ReadonlyMap<string, ResourceDefinition>
  readonly templates: readonly Template[]
  readonly prompts: ReadonlyMap<string, PromptDefinition>
}

/** A resource that was found by its URI. */
export type FoundResource =
  | { definition: ResourceDefinition; variables: null }
  | { definition: TemplateDefinition; variables: Record<string, string> }

export class Server implements Selection {
  readonly name: string
  readonly definition: ServerDefinition
  readonly auth: 'open' | 'apikey' | 'oauth'
  /** The one API key that is accepted; null: by the rule for all. */
  readonly apiKey: string | null
  /** Release of the product, shown as `serverInfo.version`. */
  readonly release: string
  readonly tools: ReadonlyMap<string, Tool>
  readonly resources: ReadonlyMap<string, ResourceDefinition>
  readonly templates: readonly Template[]
  readonly prompts: ReadonlyMap<string, PromptDefinition>
  readonly lists: Lists
  /** `serverInfo` of the newest version as JSON text: part of every stateless result. */
  readonly infoText: string

  constructor(definition: ServerDefinition, selection: Selection, release: string, apiKey: string | null = null) {
    this.name = definition.name
    this.definition = definition
    this.auth = definition.auth ?? 'open'
    this.apiKey = apiKey
    this.release = release
    this.tools = selection.tools
    this.resources = selection.resources
    this.templates = selection.templates
    this.prompts = selection.prompts
    this.lists = new Lists(this)
    this.infoText = JSON.stringify(serverInfo(this, STATELESS))
  }

  get isNamed(): boolean {
    return !UNNAMED_SERVERS.includes(this.name)
  }

  get hasResources(): boolean {
    return this.resources.size > 0 || this.templates.length > 0
  }

  get hasCompletions(): boolean {
    return this.prompts.size > 0 || this.templates.length > 0
  }

  /** The resource of that URI; only what this server selects and what exists is found. */
  findResource(uri: string): FoundResource | null {
    const resource = this.resources.get(uri)
    if (resource) return { definition: resource, variables: null }
    for (const template of this.templates) {
      const variables = template.pattern.match(uri)
      if (variables && template.definition.exists(variables)) return { definition: template.definition, variables }
    }
    return null
  }
}

/** What a server shows: what it selects by name or `*`, and what names the server itself; in order of registration. */
export function select(registry: Registry, definition: ServerDefinition): Selection {
  const isShown = (entry: { servers?: string[]; fixture?: boolean }, name: string, selected: string[] = []) =>
    (entry.servers ?? UNNAMED_SERVERS).includes(definition.name) || selected.includes(name) || (selected.includes('*') && !entry.fixture)
  return {
    tools: filter(registry.tools, (tool, name) => isShown(tool.definition, name, definition.tools)),
    resources: filter(registry.resources, (resource, uri) => isShown(resource, uri, definition.resources)),
    templates: [...filter(registry.templates, (template, uri) => isShown(template.definition, uri, definition.resources)).values()],
    prompts: filter(registry.prompts, (prompt, name) => isShown(prompt, name, definition.prompts)),
  }
}

function filter<T>(entries: Map<string, T>, isShown: (entry: T, name: string) => boolean): Map<string, T> {
  return new Map([...entries].filter(([name, entry]) => isShown(entry, name)))
}
