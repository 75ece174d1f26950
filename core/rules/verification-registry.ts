/** What plugins add to `POST /_svc/verify`: records that are counted in place of requests. One registry for each generation. */
import type { Verifications, VerifiedRecords } from '../contract/testing.ts'

export class VerificationRegistry implements Verifications {
  readonly #kinds = new Map<string, VerifiedRecords>()

  register(kind: VerifiedRecords): void {
    if (!/^[a-z][a-z0-9_]{0,31}$/.test(kind.name))
      throw new Error(`the verification "${kind.name}" must be 1 to 32 lower-case letters, digits and underscores`)
    if (this.#kinds.has(kind.name)) throw new Error(`the verification "${kind.name}" is registered twice`)
    this.#kinds.set(kind.name, kind)
  }

  /** In order of registration. */
  list(): readonly VerifiedRecords[] {
    return [...this.#kinds.values()]
  }
}
