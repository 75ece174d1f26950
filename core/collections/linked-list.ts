/**
 * Owns a linked list whose members leave from anywhere in O(1).
 *
 * A `Map` keeps the same order, but finding its first key walks over all the deleted ones before it: a full store that
 * evicts one entry for each new one then pays for thousands.
 */

/** A member's place; hand it back to `remove` or `moveToEnd`. */
export interface Link<T> {
  readonly value: T
  previous: Link<T> | null
  next: Link<T> | null
}

export class LinkedList<T> {
  first: Link<T> | null = null
  last: Link<T> | null = null
  size = 0

  push(value: T): Link<T> {
    const link: Link<T> = { value, previous: null, next: null }
    this.#append(link)
    return link
  }

  remove(link: Link<T>): void {
    if (link.previous === null) this.first = link.next
    else link.previous.next = link.next
    if (link.next === null) this.last = link.previous
    else link.next.previous = link.previous
    // One that is old would keep all that came after it from being collected young.
    link.previous = link.next = null
    this.size -= 1
  }

  moveToEnd(link: Link<T>): void {
    if (link === this.last) return
    this.remove(link)
    this.#append(link)
  }

  /** The values from the first to the last, or the other way round. */
  *values(fromLast = false): Generator<T> {
    for (let link = fromLast ? this.last : this.first; link !== null; link = fromLast ? link.previous : link.next)
      yield link.value
  }

  #append(link: Link<T>): void {
    link.previous = this.last
    link.next = null
    if (this.last === null) this.first = link
    else this.last.next = link
    this.last = link
    this.size += 1
  }
}
