/** The events of a subscription that breaks off. */

/** Passes on a number of events, then calls `cut` in place of the next one; nothing follows. */
export class CutEvents<Event> implements AsyncIterableIterator<Event> {
  readonly #events: AsyncIterator<Event>
  readonly #cut: () => void
  #left: number

  constructor(events: AsyncIterable<Event>, count: number, cut: () => void) {
    this.#events = events[Symbol.asyncIterator]()
    this.#left = count
    this.#cut = cut
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Event>> {
    if (this.#left-- > 0) return this.#events.next()
    this.#cut()
    await this.return()
    // Without an end: what serves the stream must not send one.
    return new Promise(() => {})
  }

  async return(): Promise<IteratorResult<Event>> {
    await this.#events.return?.()
    return { done: true, value: undefined }
  }

  async throw(error: unknown): Promise<IteratorResult<Event>> {
    await this.return()
    throw error
  }
}
