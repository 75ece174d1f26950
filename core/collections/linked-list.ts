/**
 * A linked list with removal from any position in O(1).
 *
 * A `Map` keeps the same order, but finding its first key skips over all deleted ones before it: a full store that
 * evicts one entry for each new one would skip thousands each time.
 */

/** The link of a member; pass it to `remove` or `moveToEnd`. */
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
    // Otherwise an old link would keep all later ones from being collected by the young generation.
    link.previous = link.next = null
    this.size -= 1
  }

  moveToEnd(link: Link<T>): void {
    if (link === this.last) return
    this.remove(link)
    this.#append(link)
  }

  /** The values from first to last, or in reverse. */
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
