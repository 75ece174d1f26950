/** What clients change about a model server by routes, on all replicas: its adapters, and whether it sleeps. */
import type { Replicated } from 'svc/plugin'

export interface ServerState {
  isAsleep?: boolean
  /** Adapters that a route has loaded, the oldest first. */
  loaded?: readonly string[]
  /** Adapters of the configuration that a route has unloaded. */
  unloaded?: readonly string[]
}
/** By provider. */
export type ServerStates = Readonly<Record<string, ServerState>>

export const MAX_ADAPTERS = 20

export interface ModelServerOptions {
  provider: string
  /** Adapters of the configuration. */
  loras: readonly string[]
  /** Without it, requests to sleep are accepted and have no effect. */
  canSleep: boolean
  states: Replicated<ServerStates>
  /** Discards what is cached. */
  discard(): Promise<unknown>
}

export class ModelServer {
  readonly #options: ModelServerOptions

  constructor(options: ModelServerOptions) {
    this.#options = options
  }

  get isAsleep(): boolean {
    return this.#state.isAsleep === true
  }

  /** The adapters that are served now. */
  get adapters(): readonly string[] {
    const { loaded = [], unloaded = [] } = this.#state
    const configured = this.#options.loras
    return [
      ...configured.filter(name => !unloaded.includes(name)),
      ...loaded.filter(name => !configured.includes(name)),
    ]
  }

  /** Whether a listed model is an adapter that has been unloaded. */
  isUnloaded(model: string): boolean {
    return this.#options.loras.includes(model) && !this.adapters.includes(model)
  }

  /** Returns false if too many are loaded. One that is loaded stays so. */
  async load(name: string): Promise<boolean> {
    await this.#update(state => {
      const { loaded = [], unloaded = [] } = state
      if (unloaded.includes(name)) return { ...state, unloaded: unloaded.filter(other => other !== name) }
      if (this.adapters.length >= MAX_ADAPTERS || this.adapters.includes(name) || loaded.includes(name)) return state
      return { ...state, loaded: [...loaded, name] }
    })
    return this.adapters.includes(name)
  }

  unload(name: string): Promise<void> {
    return this.#update(state => {
      const { loaded = [], unloaded = [] } = state
      const isConfigured = this.#options.loras.includes(name)
      return {
        ...state,
        loaded: loaded.filter(other => other !== name),
        unloaded: isConfigured && !unloaded.includes(name) ? [...unloaded, name] : unloaded,
      }
    })
  }

  async sleep(): Promise<void> {
    if (!this.#options.canSleep) return
    await this.#update(state => ({ ...state, isAsleep: true }))
    await this.#options.discard()
  }

  wake(): Promise<void> {
    return this.#update(state => ({ ...state, isAsleep: false }))
  }

  get #state(): ServerState {
    return this.#options.states.current[this.#options.provider] ?? {}
  }

  async #update(change: (state: ServerState) => ServerState): Promise<void> {
    const { provider, states } = this.#options
    await states.update(all => ({ ...all, [provider]: change(all[provider] ?? {}) }))
  }
}
