/** Finds the call of an outer request again on the inner side of the bridge. */
import type { MediaTypeCall } from 'svc/plugin'

export class OpenCalls {
  readonly #calls = new Map<string, MediaTypeCall>()
  #last = 0

  /** Answers the id under which the call is found until `remove`. */
  add(call: MediaTypeCall): string {
    const id = String(++this.#last)
    this.#calls.set(id, call)
    return id
  }

  find(id: string): MediaTypeCall | undefined {
    return this.#calls.get(id)
  }

  remove(id: string): void {
    this.#calls.delete(id)
  }
}
