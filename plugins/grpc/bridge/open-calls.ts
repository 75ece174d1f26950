/** Looks up the call of an outer request on the inner side of the bridge. */
import type { MediaTypeCall } from 'svc/plugin'

export class OpenCalls {
  readonly #calls = new Map<string, MediaTypeCall>()
  #last = 0

  /** Returns the id of the call, valid until `remove`. */
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
