/** What a reset removes: the kinds of the core and of the plugins of one generation. */
import type { ResetKind, Resets } from '../contract/testing.ts'

export class ResetRegistry implements Resets {
  readonly #kinds = new Map<string, ResetKind>()

  register(kind: ResetKind): void {
    if (!/^[a-z][a-z0-9_]{0,31}$/.test(kind.name))
      throw new Error(`the reset kind "${kind.name}" must be 1 to 32 lower-case letters, digits and underscores`)
    if (this.#kinds.has(kind.name)) throw new Error(`the reset kind "${kind.name}" is registered twice`)
    this.#kinds.set(kind.name, kind)
  }

  /** In order of registration. */
  list(): readonly ResetKind[] {
    return [...this.#kinds.values()]
  }
}
