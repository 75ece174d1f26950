/** Scenarios: named states that rules test and change. They belong to a session, or to the instance. */
import type { Store, StoreBounds } from '../contract/plugin.ts'
import type { RuleBounds } from './bounds.ts'

/** Maximum length of the name of a scenario, and of a state. */
export const MAX_SCENARIO_TEXT = 64
/** The state of a scenario that was never set. */
export const STARTED = 'Started'

/** States by name. Plain JSON; replaced, never changed. */
export type ScenarioStates = Readonly<Record<string, string>>

/** No session has an empty name: requests without one share the states of the instance. */
const INSTANCE = ''
/** States of the instance outlive those of sessions. */
const INSTANCE_MS = 30 * 86_400_000
const NONE: ScenarioStates = {}

export interface ScenarioOptions {
  bounds: Pick<RuleBounds, 'scenarios' | 'scenarioSessions' | 'sessionIdleMs'>
  openStore<T>(name: string, bounds: StoreBounds<T>): Store<T>
}

export class Scenarios {
  /** Scenarios of a session. */
  readonly limit: number
  readonly #store: Store<ScenarioStates>

  constructor({ bounds, openStore }: ScenarioOptions) {
    this.limit = bounds.scenarios
    this.#store = openStore<ScenarioStates>('scenarios', {
      maxCount: bounds.scenarioSessions + 1,
      ttlMs: bounds.sessionIdleMs,
      ttlFrom: 'use',
      evict: 'idle',
    })
  }

  /** The states that were set. Null: those of the instance. */
  async states(session: string | null): Promise<ScenarioStates> {
    return (await this.#store.get(session ?? INSTANCE)) ?? NONE
  }

  /**
   * Sets states if `isMet` holds for the present ones, in one atomic step. `lost`: it does not hold. `full`: there would be
   * too many scenarios, and nothing changes.
   */
  async change(
    session: string | null,
    changes: ScenarioStates,
    isMet: (states: ScenarioStates) => boolean = () => true,
  ): Promise<'changed' | 'lost' | 'full'> {
    let outcome: 'changed' | 'lost' | 'full' = 'lost'
    await this.#store.update(
      session ?? INSTANCE,
      (states = NONE) => {
        const after = { ...states, ...changes }
        outcome = !isMet(states) ? 'lost' : Object.keys(after).length > this.limit ? 'full' : 'changed'
        if (outcome === 'changed') return after
        // Nothing is kept of a scope without scenarios.
        return Object.keys(states).length === 0 ? undefined : states
      },
      session === null ? { ttlMs: INSTANCE_MS } : {},
    )
    return outcome
  }

  /** Removes the states of a session, or all. Returns their number. */
  async reset(scope: { session: string } | 'all'): Promise<number> {
    if (scope === 'all') {
      const all = await this.#store.list()
      await this.#store.clear()
      return all.reduce((sum, { value }) => sum + Object.keys(value).length, 0)
    }
    const states = await this.#store.take(scope.session)
    return states === undefined ? 0 : Object.keys(states).length
  }
}

/** The state of a scenario. */
export function stateOf(states: ScenarioStates, name: string): string {
  return Object.hasOwn(states, name) ? states[name]! : STARTED
}
