/** Spreads work of many requests over turns of the event loop. */

/** Work that waits for a turn. One goes on in each: if all did, other requests would wait for all of it. */
class TurnQueue {
  readonly #waiting: (() => void)[] = []

  next(): Promise<void> {
    return new Promise(resolve => {
      if (this.#waiting.push(resolve) === 1) setImmediate(this.#goOn)
    })
  }

  readonly #goOn = (): void => {
    this.#waiting.shift()!()
    if (this.#waiting.length > 0) setImmediate(this.#goOn)
  }
}

/** A process has one event loop, so it has one queue, whatever the number of services and generations. */
const QUEUE = new TurnQueue()

/** Resolves in a turn of the event loop in which no other work that waits for a turn is done. */
export function ownTurn(): Promise<void> {
  return QUEUE.next()
}
