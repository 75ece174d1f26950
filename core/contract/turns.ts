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

/** Bytes of a body or a message that are worth some milliseconds of work. */
const LARGE_BYTES = 65_536

/**
 * True if a body or message is small; otherwise wait for it, before the work on it: large ones take turns, and other requests
 * run in between.
 */
export function turnForBytes(bytes: number): true | Promise<true> {
  return bytes <= LARGE_BYTES || ownTurn().then(() => true)
}

/** Resolves in a turn of the event loop in which no other work that waits for a turn is done. */
export function ownTurn(): Promise<void> {
  return QUEUE.next()
}
