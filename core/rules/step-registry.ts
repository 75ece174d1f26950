/** The steps that plugins add to rules: `testing.steps`. */
import type { RuleStepKind, RuleSteps } from '../contract/testing.ts'

/** The keys of the steps of the core, which no plugin can register. */
export const ACTIONS = ['fail', 'abort', 'respond', 'reply', 'pass'] as const
/** What a failure can have in addition. */
export const OF_FAIL = ['message', 'type', 'code', 'retry_after'] as const
export const BESIDES = ['delay', 'encoding', 'quiet', 'scenario', 'notify'] as const

/** The steps of one generation. */
export class StepRegistry implements RuleSteps {
  readonly #kinds = new Map<string, RuleStepKind>()

  register(kind: RuleStepKind): void {
    if (!/^[a-z][a-z_]{0,31}$/.test(kind.name))
      throw new Error(`the step "${kind.name}" must be 1 to 32 lower-case letters and underscores`)
    if ([...ACTIONS, ...OF_FAIL, ...BESIDES, 'times'].some(name => name === kind.name))
      throw new Error(`the step "${kind.name}" belongs to the core`)
    if (this.#kinds.has(kind.name)) throw new Error(`the step "${kind.name}" is registered twice`)
    if (kind.act !== undefined && kind.answers !== true)
      throw new Error(`the step "${kind.name}" has act, so answers must be true`)
    this.#kinds.set(kind.name, kind)
  }

  get(name: string): RuleStepKind | undefined {
    return this.#kinds.get(name)
  }

  /** In order of registration. */
  list(): readonly RuleStepKind[] {
    return [...this.#kinds.values()]
  }
}
