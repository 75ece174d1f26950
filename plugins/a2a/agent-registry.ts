/** Owns the registered agents; ids are unique. */
import type { Logger } from 'svc/plugin'
import type { A2aAgents, AgentDefinition } from './types.ts'

const AGENT_ID = /^[a-z][a-z0-9-]{0,39}$/
/** Paths below `/a2a` that other routes use. */
const RESERVED_IDS: ReadonlySet<string> = new Set(['v1', 'webhook-sink'])

export class AgentRegistry {
  readonly #agents = new Map<string, AgentDefinition>()
  readonly #owners = new Map<string, string>()
  /** The loggers of the plugins. */
  readonly #logs = new Map<string, Logger>()

  get(id: string): AgentDefinition | undefined {
    return this.#agents.get(id)
  }

  /** The listed agents in the order of registration. */
  list(): AgentDefinition[] {
    return this.all().filter(({ listed = true }) => listed)
  }

  /** All agents in the order of registration. */
  all(): AgentDefinition[] {
    return [...this.#agents.values()]
  }

  /** The ids of the listed agents. */
  ids(): string[] {
    return this.list().map(({ id }) => id)
  }

  /** The logger of the plugin that registered an agent; undefined if the agent is gone. */
  logOf(id: string): Logger | undefined {
    return this.#logs.get(this.#owners.get(id) ?? '')
  }

  /** The extension point as one plugin uses it. `log` is the logger of that plugin. */
  registrar(plugin: string, log?: Logger): A2aAgents {
    if (log !== undefined) this.#logs.set(plugin, log)
    return { agent: definition => this.#add(plugin, definition) }
  }

  #add(plugin: string, definition: AgentDefinition): void {
    const { id } = definition
    if (!AGENT_ID.test(id) || RESERVED_IDS.has(id))
      throw new Error(
        `invalid A2A agent id "${id}" (it must match ${AGENT_ID.source}; ${[...RESERVED_IDS].join(' and ')} are reserved)`,
      )
    const owner = this.#owners.get(id)
    if (owner !== undefined)
      throw new Error(`A2A agent "${id}" of plugin ${plugin} is already registered by plugin ${owner}`)
    for (const list of ['inputModes', 'outputModes', 'skills'] as const) {
      if (definition[list].length === 0)
        throw new Error(`A2A agent "${id}" of plugin ${plugin} has no ${list} (expected at least one)`)
    }
    for (const skill of [...definition.skills, ...(definition.extendedSkills ?? [])]) {
      if (skill.tags.length === 0 || skill.examples.length === 0)
        throw new Error(`skill "${skill.id}" of A2A agent "${id}" must have at least one tag and one example`)
    }
    this.#agents.set(id, definition)
    this.#owners.set(id, plugin)
  }
}
