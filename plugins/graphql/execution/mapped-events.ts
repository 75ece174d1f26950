/** The events of a subscription, each executed. */

/**
 * An async iterator instead of a generator function: `return()` has to reach the source, and to end work on an event, while
 * `next()` waits. `leave` is called once, when the events are over.
 */
export class MappedEvents<Event, Result> implements AsyncIterableIterator<Result> {
  readonly #source: AsyncIterator<Event>
  readonly #map: (event: Event) => Promise<Result> | Result
  readonly #leave: () => void
  #isOver = false

  constructor(source: AsyncIterable<Event>, map: (event: Event) => Promise<Result> | Result, leave: () => void) {
    this.#source = source[Symbol.asyncIterator]()
    this.#map = map
    this.#leave = leave
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Result>> {
    if (this.#isOver) return { done: true, value: undefined }
    try {
      const { done, value } = await this.#source.next()
      if (done === true) return this.#end()
      const result = await this.#map(value)
      return this.#isOver ? { done: true, value: undefined } : { done: false, value: result }
    } catch (error) {
      await this.return()
      throw error
    }
  }

  async return(): Promise<IteratorResult<Result>> {
    const end = this.#end()
    await this.#source.return?.()
    return end
  }

  async throw(error: unknown): Promise<IteratorResult<Result>> {
    await this.return()
    throw error
  }

  #end(): IteratorResult<Result> {
    if (!this.#isOver) {
      this.#isOver = true
      this.#leave()
    }
    return { done: true, value: undefined }
  }
}
