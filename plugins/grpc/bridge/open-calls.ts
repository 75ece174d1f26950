/** Finds the call of an outer request again on the inner side of the bridge. */
import type { TakenOverCall } from 'svc/plugin'

export class OpenCalls {
  readonly #calls = new Map<string, TakenOverCall>()
  #last = 0

  /** Answers the id under which the call is found until `remove`. */
  add(call: TakenOverCall): string {
    const id = String(++this.#last)
    this.#calls.set(id, call)
    return id
  }

  find(id: string): TakenOverCall | undefined {
    return this.#calls.get(id)
  }

  remove(id: string): void {
    this.#calls.delete(id)
  }
}
