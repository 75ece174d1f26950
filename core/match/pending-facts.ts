/** Facts of a protocol that are read asynchronously: the evaluation ends early, and is repeated once they are there. */

/** Thrown by an evaluation of conditions. Never rejects: facts that can't be read are absent. */
export class PendingFacts extends Error {
  readonly read: Promise<void>
  constructor(read: Promise<void>) {
    super('the facts of a protocol are not read yet')
    this.read = read
  }
}

/** Evaluates conditions, again after each read that they wait for. `evaluate` must change nothing before it has its result. */
export async function whenRead<T>(evaluate: () => T): Promise<T> {
  for (;;)
    try {
      return evaluate()
    } catch (error) {
      if (!(error instanceof PendingFacts)) throw error
      await error.read
    }
}
