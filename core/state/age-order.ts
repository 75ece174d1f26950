/** Entries in insertion order, spare ones first. */
import { LinkedList, type Link } from '../collections/linked-list.ts'

export interface AgeLink<T> {
  readonly link: Link<T>
  readonly isSpare: boolean
}

export class AgeOrder<T> {
  readonly #spare = new LinkedList<T>()
  readonly #others = new LinkedList<T>()

  get size(): number {
    return this.#spare.size + this.#others.size
  }

  /** Appends a value to the spare ones or to the others. */
  push(value: T, isSpare: boolean): AgeLink<T> {
    return { link: this.#listOf(isSpare).push(value), isSpare }
  }

  remove({ link, isSpare }: AgeLink<T>): void {
    this.#listOf(isSpare).remove(link)
  }

  /** The first entry other than `kept`. */
  first(kept: T | null): T | undefined {
    return firstOtherThan(this.#spare, kept) ?? firstOtherThan(this.#others, kept)
  }

  /** All values in order, or in reverse order. */
  *values(fromLast = false): Generator<T> {
    yield* (fromLast ? this.#others : this.#spare).values(fromLast)
    yield* (fromLast ? this.#spare : this.#others).values(fromLast)
  }

  #listOf(isSpare: boolean): LinkedList<T> {
    return isSpare ? this.#spare : this.#others
  }
}

export function firstOtherThan<T>(list: LinkedList<T>, kept: T | null): T | undefined {
  const { first } = list
  return (first !== null && first.value === kept ? first.next : first)?.value
}
