/** Owns selecting the entries of the registry that a server lists. */
import { unknownName } from 'svc/toolkit'
import type { Skill } from '../skills/skill.ts'
import { type Registry, type Template, type Tool, UNNAMED_SERVERS } from './registry.ts'
import type { MethodHandler, PromptDefinition, ResourceDefinition } from '../types.ts'

export interface Selection {
  readonly tools: ReadonlyMap<string, Tool>
  readonly resources: ReadonlyMap<string, ResourceDefinition>
  readonly templates: readonly Template[]
  readonly prompts: ReadonlyMap<string, PromptDefinition>
  readonly skills: readonly Skill[]
  /** Methods of protocol extensions. */
  readonly methods: ReadonlyMap<string, MethodHandler>
}

/** The names that a server selects, or `*`. Entries that are not strings are ignored here. */
export interface RequestedSelection {
  name: string
  tools?: readonly unknown[]
  resources?: readonly unknown[]
  prompts?: readonly unknown[]
}

/** Reports an unknown name; `at` is its position, such as `tools[1]`. */
export type Report = (at: string, message: string, remedy?: string) => void

/** Selects the requested entries and those that list the server, in order of registration. Reports unknown names. */
export function select(registry: Registry, requested: RequestedSelection, report: Report): Selection {
  const isShown = (entry: { servers?: string[]; fixture?: boolean }, name: string, selected: readonly unknown[] = []) =>
    (entry.servers ?? UNNAMED_SERVERS).includes(requested.name) ||
    selected.includes(name) ||
    (selected.includes('*') && !entry.fixture)
  const { tools, resources, templates, prompts } = registry
  reportUnknown('tools', 'tool', requested.tools, [tools], report)
  reportUnknown('resources', 'resource', requested.resources, [resources, templates], report)
  reportUnknown('prompts', 'prompt', requested.prompts, [prompts], report)
  return {
    tools: filter(tools, (tool, name) => isShown(tool.definition, name, requested.tools)),
    resources: filter(resources, (resource, uri) => isShown(resource, uri, requested.resources)),
    templates: [
      ...filter(templates, (template, uri) => isShown(template.definition, uri, requested.resources)).values(),
    ],
    prompts: filter(prompts, (prompt, name) => isShown(prompt, name, requested.prompts)),
    skills: registry.skills.get(requested.name) ?? [],
    methods: registry.methods.get(requested.name) ?? new Map(),
  }
}

function reportUnknown(
  member: string,
  kind: string,
  names: readonly unknown[] = [],
  registered: ReadonlyMap<string, Entry>[],
  report: Report,
): void {
  for (const [index, name] of names.entries()) {
    if (typeof name !== 'string' || name === '*' || registered.some(entries => entries.has(name))) continue
    const { message, remedy } = unknownName(
      kind,
      name,
      registered.flatMap(entries => [...filter(entries, entry => !isFixture(entry)).keys()]),
      { listsNames: true },
    )
    report(`${member}[${index}]`, message, remedy)
  }
}

type Entry = Tool | Template | ResourceDefinition | PromptDefinition

function isFixture(entry: Entry): boolean {
  return ('definition' in entry ? entry.definition : entry).fixture === true
}

function filter<T>(entries: ReadonlyMap<string, T>, isShown: (entry: T, name: string) => boolean): Map<string, T> {
  return new Map([...entries].filter(([name, entry]) => isShown(entry, name)))
}
